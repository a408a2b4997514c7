"""Regions, and the points on them."""

from .box import Box, Cylinder
from .pair import Pair
from .region import Domain, Part, Patch, Points, Region, Samples
from .sample import Clustered, Demand, Grid, Random, Sampler
from .thin import thinned

__all__ = [
    "Box",
    "Clustered",
    "Cylinder",
    "Demand",
    "Domain",
    "Grid",
    "Pair",
    "Part",
    "Patch",
    "Points",
    "Random",
    "Region",
    "Sampler",
    "Samples",
    "thinned",
]
