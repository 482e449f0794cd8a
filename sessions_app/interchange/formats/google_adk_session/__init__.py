"""Google ADK sessions."""
