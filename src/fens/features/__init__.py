"""The features and all their derivatives."""

from .activation import ACTIVATIONS, Activation, activation
from .frequencies import Draw, draw
from .random_features import Coefficient, Operator, RandomFeatures

__all__ = [
    "ACTIVATIONS", "Activation", "Coefficient", "Draw", "Operator", "RandomFeatures",
    "activation", "draw",
]
