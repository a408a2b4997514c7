"""Problems with corners, cracks and jumps: how accurate, how fast, and what is said of them.

    python benchmarks/corners.py [NAME …] [--variants] [--seeds 3] [--page]

Prints for each problem and seed the largest error at points that go down to 1e-8 of each corner, the estimate, their
ratio, the verdict, the number of features and the seconds, beside what is asked for. `--page` writes docs/corners.md.
`--variants` takes problems like these, and not the same. References are in benchmarks/corners, with how each was made
and checked; `--make` makes those again that are kept as data.
"""

from corners.__main__ import main  # the package beside this file, which comes first

if __name__ == "__main__":
    main()
