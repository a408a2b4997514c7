"""The places of a domain at which solutions are seldom smooth, as bases see them."""

from __future__ import annotations

from ..basis import Hole, Sites
from ..geometry import Domain


def sites_of(domain: Domain) -> Sites:
    """The holes of a domain."""
    return Sites(tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in domain.hole_sites))
