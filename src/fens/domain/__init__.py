"""Regions, and the points on them."""

from .ball import Ball
from .box import Box
from .combine import Combined
from .cylinder import Cylinder
from .piece import Patch, Piece, Samples
from .region import Domain, Part, Points, Region
from .sample import Clustered, Demand, Grid, Random, Sampler
from .shape import Shape
from .thin import thinned

__all__ = [
    "Ball",
    "Box",
    "Clustered",
    "Combined",
    "Cylinder",
    "Demand",
    "Domain",
    "Grid",
    "Part",
    "Patch",
    "Piece",
    "Points",
    "Random",
    "Region",
    "Sampler",
    "Samples",
    "Shape",
    "thinned",
]
