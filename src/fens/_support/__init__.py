"""What the method rests on and is not of it: numbers, devices, files, progress, formulas as functions of arrays."""
