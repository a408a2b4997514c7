"""Problems of evolution, each with a reference made without fens: `python benchmarks/evolution.py`."""
