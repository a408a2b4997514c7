"""Regions, and the points on them."""

from .boundary.curve import Arc, Curve, Line, Oval
from .boundary.pair import Pair
from .boundary.piece import Extruded, Patch, Piece, Samples
from .checks import check_extent
from .quadrature.graded import graded_rule
from .region import Domain, Facet, Part, Points, Region, checked_count, points_of
from .sampling.extreme_points import ExtremePoints
from .sampling.graded import Fan, Graded, Sector, on_boundary, parameter, stops
from .sampling.samplers import Clustered, Concentrated, Demand, Grid, Random, Sampler
from .sampling.subsample import subsample
from .shapes.ball import Ball
from .shapes.box import Box
from .shapes.cloud import Cloud
from .shapes.combination import Combined
from .shapes.cylinder import Cylinder
from .shapes.implicit import Implicit
from .shapes.polygon import Polygon
from .shapes.registry import PIECES, SHAPES, Description
from .shapes.shape import Shape
from .shapes.slit import Segment, Slit
from .shapes.star import Star
from .shapes.surface import Surface

__all__ = [
    "PIECES",
    "SHAPES",
    "Arc",
    "Ball",
    "Box",
    "Cloud",
    "Clustered",
    "Combined",
    "Concentrated",
    "Curve",
    "Cylinder",
    "Demand",
    "Description",
    "Domain",
    "ExtremePoints",
    "Extruded",
    "Facet",
    "Fan",
    "Graded",
    "Grid",
    "Implicit",
    "Line",
    "Oval",
    "Pair",
    "Part",
    "Patch",
    "Piece",
    "Points",
    "Polygon",
    "Random",
    "Region",
    "Sampler",
    "Samples",
    "Sector",
    "Segment",
    "Shape",
    "Slit",
    "Star",
    "Surface",
    "check_extent",
    "checked_count",
    "graded_rule",
    "on_boundary",
    "parameter",
    "points_of",
    "stops",
    "subsample",
]
