"""What boundaries are made of: curves, surfaces and patches, each the image of a unit cube."""
