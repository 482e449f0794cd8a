"""ShareGPT."""
