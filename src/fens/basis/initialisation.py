"""Half-widths of the uniform distribution of W and b."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SettingError, quoted

# for M features in d dimensions
INITIALISATIONS = {
    "uniform": lambda M, d: np.sqrt(3.0),  # unit variance
    "xavier": lambda M, d: np.sqrt(6.0 / (M + d)),
    "kaiming": lambda M, d: np.sqrt(6.0 / d),
}


def check_initialisation(name: Any) -> None:
    """Refuse what is not the name of a way to draw frequencies."""
    if not isinstance(name, str) or name not in INITIALISATIONS:
        raise SettingError(f"The initialisation must be one of {', '.join(INITIALISATIONS)}; got {quoted(name)}.")
