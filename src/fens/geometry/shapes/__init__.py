"""Domains in space and in space-time."""
