"""Solutions for other programs: tables, datasets, meshes with values, a page to read; and formats of your own."""

from .formats import ELSEWHERE, EXPORTS, Export, name_by_ending, options_of, sections, write
from .places import rows_in, values_at

__all__ = [
    "ELSEWHERE",
    "EXPORTS",
    "Export",
    "name_by_ending",
    "options_of",
    "rows_in",
    "sections",
    "values_at",
    "write",
]
