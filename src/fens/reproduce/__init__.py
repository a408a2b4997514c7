"""The experiments of the paper, run through the public interface and compared with its figures.

    paper        every number of its tables
    experiments  its problems, grids, sizes, and how much of them a quick run leaves out
    cells        one number of a table as a piece of work, with a key
    run          a cell carried out: in column `paper`, in column `fens`, by finite elements, or swept over the scale
    results      what was found, in a file that survives being killed
    comparison   ours next to the paper's
    summary, tables, figures, document, report    the page
    command      `fens reproduce`
"""
