"""One view a route, one engine call a view."""
