"""Plain values for templates, made of the engine's. No query is made once rendering has begun."""
