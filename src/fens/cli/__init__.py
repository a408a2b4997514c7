"""The subcommands of the command line, each a module with `add_arguments(parser)` and `run(args)`, an exit code."""
