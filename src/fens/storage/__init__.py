"""Values of known kinds as one file, and back. A file is data: nothing in it is ever run.

What happens to a value: `encode` makes a flat list of entries of it, with `formulas` for SymPy; `container` writes
them, and the numbers of arrays, behind a checksum. Reading goes the other way: `container` refuses what was not
written like that, and `decode` builds the values again, of the `kinds` on a list and no others, each field checked
against its annotation (`matches_annotation`) and all of them against each other (`sound`).
"""

from .container import packed, read, write
from .registry import KINDS, Kind

__all__ = ["KINDS", "Kind", "packed", "read", "write"]
