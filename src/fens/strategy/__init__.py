"""What is chosen for the user: features and their frequencies, how many, where, and slabs of time."""
