"""One trajectory format a file."""
