"""The features and all their derivatives."""

from .activation import ACTIVATIONS, Activation, activation
from .cached import cached, derivatives
from .composed import draw_around
from .distribution import (
    AroundHoles,
    Distribution,
    Hole,
    Isotropic,
    Localised,
    Mixture,
    Oriented,
    Sparse,
    Spot,
    all_isotropic,
)
from .family import Family, JointOperator, matvec
from .frequencies import Draw, Draws, Unscaled, check_initialisation, constant, draw
from .layers import draw_layers
from .pieces import OVERLAP, draw_pieces, draw_spots
from .random_features import Coefficient, Features, Operator, RandomFeatures
from .row_slices import row_slices

__all__ = [
    "ACTIVATIONS",
    "OVERLAP",
    "Activation",
    "AroundHoles",
    "Coefficient",
    "Distribution",
    "Draw",
    "Draws",
    "Family",
    "Features",
    "Hole",
    "Isotropic",
    "JointOperator",
    "Localised",
    "Mixture",
    "Operator",
    "Oriented",
    "RandomFeatures",
    "Sparse",
    "Spot",
    "Unscaled",
    "activation",
    "all_isotropic",
    "cached",
    "check_initialisation",
    "constant",
    "derivatives",
    "draw",
    "draw_around",
    "draw_layers",
    "draw_pieces",
    "draw_spots",
    "matvec",
    "row_slices",
]
