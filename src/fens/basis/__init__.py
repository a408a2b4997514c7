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
from .singular.corners import AtCorners
from .singular.cracks import AtCracks, CrackFunctions
from .singular.cuts import CutCornerFunctions
from .singular.edges import AlongEdges, Chebyshev, EdgeFunctions
from .singular.holes import AroundHoles
from .singular.onsets import AtOnsets, SimilarityFunctions
from .singular.powers import CornerFunctions
from .sites import Corner, Crack, Hole, Onset, Sites, Spot, place_of
from .slabs import Combinations, TimeSlabs
from .space import Draw, JointOperator, Scales, TrialSpace, of_each
from .spots import AtSpots
from .union import Union
from .windows import Cell, Gaussian, Windowed

__all__ = [
    "ACTIVATIONS", "PROPOSALS", "Activation", "AlongEdges", "Ansatz", "AroundHoles", "AtCorners", "AtCracks",
    "AtOnsets", "AtSpots", "Basis", "Cell", "Chebyshev", "Coefficient", "Combinations", "Composed", "Corner",
    "CornerFunctions", "Crack", "CrackFunctions", "CutCornerFunctions", "Distribution", "Draw", "Drawn",
    "EdgeFunctions", "Frame", "Gaussian", "Hole", "InCells", "Isotropic", "JointOperator", "Layers", "Mixture",
    "Number", "Onset", "Operator", "Orders", "Oriented", "Plain", "Proposal", "RandomDraw", "RandomFeatures", "Rough",
    "Scales", "SimilarityFunctions", "Sites", "Sparse", "Spot", "Sum", "TimeSlabs", "TrialSpace", "TwoLayers",
    "Union", "Windowed", "activation", "check_initialisation", "of_each", "place_of", "row_slices",
]  # fmt: skip
