"""Solutions for other programs: tables, datasets, meshes with values, a page to read."""
