"""Regions, and the points on them."""

from .box import Box, Cylinder
from .region import Domain, Part, Patch, Points, Region, Samples
from .sample import Clustered, Grid, Random, Sampler

__all__ = [
    "Box", "Clustered", "Cylinder", "Domain", "Grid", "Part", "Patch", "Points", "Random", "Region", "Sampler",
    "Samples",
]
