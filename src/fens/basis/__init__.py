"""Trial functions and all their derivatives: random features, and what they are composed to."""

from . import learnt  # noqa: F401 - proposes itself
from .activation import ACTIVATIONS, Activation, activation
from .ansatz import Ansatz, Drawn, Frame, Number, Plain, RandomDraw, Sum
from .basis import Basis, Coefficient, Operator, Orders
from .cells import InCells
from .composed import Composed
from .distribution import Distribution, Isotropic, Mixture, Oriented, Sparse
from .initialisation import check_initialisation
from .layers import Layers, TwoLayers
from .proposals import PROPOSALS, Proposal, Rough
from .random_features import RandomFeatures
from .row_slices import row_slices
from .singular.corners import AtCorners, CornerFunctions
from .singular.holes import AroundHoles
from .sites import Corner, Hole, Sites, Spot
from .space import Draw, JointOperator, Scales, TrialSpace, of_each
from .spots import AtSpots
from .union import Union
from .windows import Cell, Gaussian, Windowed

__all__ = [
    "ACTIVATIONS", "PROPOSALS", "Activation", "Ansatz", "AroundHoles", "AtCorners", "AtSpots", "Basis", "Cell",
    "Coefficient", "Composed", "Corner", "CornerFunctions", "Distribution", "Draw", "Drawn", "Frame", "Gaussian",
    "Hole", "InCells", "Isotropic", "JointOperator", "Layers", "Mixture", "Number", "Operator", "Orders",
    "Oriented", "Plain", "Proposal", "RandomDraw", "RandomFeatures", "Rough", "Scales", "Sites", "Sparse", "Spot",
    "Sum", "TrialSpace", "TwoLayers", "Union", "Windowed",
    "activation", "check_initialisation", "of_each", "row_slices",
]  # fmt: skip
