"""A problem at its points, solved with given features; and the scale of these, by trial fits."""
