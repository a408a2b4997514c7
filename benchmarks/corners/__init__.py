"""Problems with corners, cracks and jumps, each with a reference made without fens: `python benchmarks/corners.py`."""
