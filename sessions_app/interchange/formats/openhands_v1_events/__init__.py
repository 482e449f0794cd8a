"""OpenHands V1 events."""
