"""Problems in text files: TOML, with equations as texts.

What happens to a file: `document` reads it and knows where everything stands (`places`); `parse` makes SymPy of its
texts, by `tokens` and the table of `words`, within `bounds`; `shapes`, `regions` and `options` make domains, regions
and options of its tables; `read` goes through it from top to bottom; `output` writes what it asks for.
"""

from .output import PICTURES, write
from .read import ProblemFile, read

__all__ = ["PICTURES", "ProblemFile", "read", "write"]
