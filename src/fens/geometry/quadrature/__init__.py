"""Rules of integration."""
