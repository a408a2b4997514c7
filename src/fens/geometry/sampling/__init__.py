"""Points on regions."""
