"""Eigenvalues and their functions."""

from .eigen import Mode, eigen

__all__ = ["Mode", "eigen"]
