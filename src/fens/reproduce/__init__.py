"""The experiments of the paper, run through the public interface and compared with its figures.

    paper        every number of its tables
    experiments  its problems, grids, sizes, and how much of them a quick run leaves out
    cells        one number of a table as a piece of work, with a key
    run          a cell carried out: in column `paper`, in column `fens`, swept over the scale, or timed
    fem          the paper's rival, finite elements
    frequency    what features can represent, frequency by frequency
    fingerprint  the numbers of the code in a word, which says whether a cell is still what the code computes
    results      what was found, in a file that survives being killed
    comparison   ours next to the paper's
    claims       what the paper says, each with a verdict
    summary, tables, figures, document, report    the page
    command      `fens reproduce`
"""
