"""Problems of evolution in time: how accurate over the whole of it, how fast, and what is said of them.

    python benchmarks/evolution.py [NAME …] [--variants] [--seeds 3] [--page]
    python benchmarks/evolution.py --cost    # what slabs cost after the first one

Prints for each problem and seed the largest error at many times from the first to the last, the estimate, their ratio,
the verdict, the number of slabs of time and of features and the seconds, beside what is asked for. `--page` keeps the
results in docs/evolution.csv, in place of former ones of the same problems, and writes docs/evolution.md from all that
is there. `--variants` takes problems like these, and not the same. References are in benchmarks/evolution, with how
each was made and checked; `--make` makes those again that are kept as data.
"""

from evolution.__main__ import main  # the package beside this file, which comes first

if __name__ == "__main__":
    main()
