"""Functions with the singularities that solutions have at special places; each kind proposes itself."""
