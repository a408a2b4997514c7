"""The features and all their derivatives."""

from .activation import ACTIVATIONS, Activation, activation
from .distribution import Distribution, Isotropic, Mixture, Oriented, Sparse
from .frequencies import Draw, draw
from .random_features import Coefficient, Operator, RandomFeatures

__all__ = [
    "ACTIVATIONS", "Activation", "Coefficient", "Distribution", "Draw", "Isotropic", "Mixture", "Operator",
    "Oriented", "RandomFeatures", "Sparse", "activation", "draw",
]
