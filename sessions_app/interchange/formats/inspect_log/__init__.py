"""Inspect logs."""
