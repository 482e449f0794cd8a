"""OpenHands V0 events."""
