"""The features and all their derivatives."""

from .activation import ACTIVATIONS, Activation, activation
from .distribution import Distribution, Isotropic, Mixture, Oriented, Sparse
from .family import Family, JointOperator
from .frequencies import Draw, Draws, Unscaled, constant, draw
from .layers import draw_layers
from .pieces import OVERLAP, draw_pieces
from .random_features import Coefficient, Features, Operator, RandomFeatures

__all__ = [
    "ACTIVATIONS", "OVERLAP", "Activation", "Coefficient", "Distribution", "Draw", "Draws", "Family", "Features",
    "Isotropic", "JointOperator", "Mixture", "Operator", "Oriented", "RandomFeatures", "Sparse", "Unscaled",
    "activation", "constant", "draw", "draw_layers", "draw_pieces",
]
