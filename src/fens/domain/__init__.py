"""Regions, and the points on them."""

from .ball import Ball
from .box import Box
from .checks import check_extent
from .cloud import Cloud
from .combine import Combined
from .cylinder import Cylinder
from .implicit import Implicit
from .pair import Pair
from .piece import Extruded, Patch, Piece, Samples
from .polygon import Polygon
from .reach import Reaching
from .region import Domain, Edge, Part, Points, Region, checked_count, points_of
from .sample import Clustered, Concentrated, Demand, Grid, Random, Sampler
from .shape import Shape
from .star import Star
from .surface import Surface
from .thin import thinned

__all__ = [
    "Ball",
    "Box",
    "Cloud",
    "Clustered",
    "Combined",
    "Concentrated",
    "Cylinder",
    "Demand",
    "Domain",
    "Edge",
    "Extruded",
    "Grid",
    "Implicit",
    "Pair",
    "Part",
    "Patch",
    "Piece",
    "Points",
    "Polygon",
    "Random",
    "Reaching",
    "Region",
    "Sampler",
    "Samples",
    "Shape",
    "Star",
    "Surface",
    "check_extent",
    "checked_count",
    "points_of",
    "thinned",
]
