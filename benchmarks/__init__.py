"""What the engine costs beside the same work through the bare driver: `python -m benchmarks`."""
