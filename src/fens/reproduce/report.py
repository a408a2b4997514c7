"""stub."""
from pathlib import Path
from .results import Results
def write_report(results: Results, folder: Path) -> Path: return folder
