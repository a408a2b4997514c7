"""`fens completion`: a script that completes commands and options in a shell, made from the parser itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping

from .shared import OK, add_examples

DESCRIPTION = "Print a script that makes a shell complete the commands and options of fens."
EXAMPLES = (
    'bash: eval "$(fens completion bash)"          in ~/.bashrc',
    "zsh:  fens completion zsh > ~/.zfunc/_fens     with ~/.zfunc in fpath",
    "fish: fens completion fish > ~/.config/fish/completions/fens.fish",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    parser.add_argument("shell", choices=tuple(SHELLS), help="which shell")
    add_examples(parser, EXAMPLES)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    sys.stdout.write("\n".join(SHELLS[args.shell](subparsers(args.parser))) + "\n")
    return OK


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a parser."""
    return next(dict(a.choices) for a in parser._actions if isinstance(a, argparse._SubParsersAction))


def bash(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    """A function of COMP_WORDS."""
    yield "_fens() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield "    if [ \"$COMP_CWORD\" -eq 1 ]; then"
    yield f'        words="{" ".join(commands)}"'
    yield '    else case "${COMP_WORDS[1]}" in'
    for name, parser in commands.items():
        choices = [c for a in parser._actions for c in a.choices or ()]
        yield f'        {name}) words="{" ".join([*_flags(parser), *choices])}" ;;'
    yield "    esac; fi"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _fens fens  # where nothing fits, files"


def zsh(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    """A function for zsh's own completion system."""
    yield "#compdef fens"
    yield "local -a commands"
    yield "commands=("
    for name, parser in commands.items():
        yield f"    {_quoted(f'{name}:{_line(parser.description)}')}"
    yield ")"
    yield "if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield 'case "${words[2]}" in'
    for name, parser in commands.items():
        yield f"    {name}) shift words; (( CURRENT-- )); _arguments {' '.join(_zsh_arguments(parser))} ;;"
    yield "esac"


def fish(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    """A line for each command and option."""
    for name, parser in commands.items():
        yield f"complete -c fens -n __fish_use_subcommand -f -a {name} -d {_quoted(_line(parser.description))}"
        seen = f"complete -c fens -n '__fish_seen_subcommand_from {name}'"
        for action in _options(parser):
            long = action.option_strings[-1].removeprefix("--")
            values = f" -f -a {_quoted(' '.join(map(str, action.choices)))}" if action.choices else ""
            yield f"{seen} -l {long}{'' if action.nargs == 0 else ' -r'}{values} -d {_quoted(_line(action.help))}"
        for action in _places(parser):
            if action.choices:
                yield f"{seen} -f -a {_quoted(' '.join(map(str, action.choices)))}"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [a for a in parser._actions if a.option_strings]


def _places(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [a for a in parser._actions if not a.option_strings]


def _flags(parser: argparse.ArgumentParser) -> list[str]:
    return [f for a in _options(parser) for f in a.option_strings if f.startswith("--")]


def _zsh_arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in _options(parser):
        text = _line(action.help).replace("[", "(").replace("]", ")").replace(":", " ")
        many = "*" if isinstance(action, argparse._AppendAction) else ""
        value = "" if action.nargs == 0 else f":value:{_wanted(action)}"
        yield _quoted(f"{many}{action.option_strings[-1]}[{text}]{value}")
    for action in _places(parser):
        wanted = _wanted(action)
        yield _quoted(f"{'*' if action.nargs else ''}:{action.dest}:{wanted}")


def _wanted(action: argparse.Action) -> str:
    return f"({' '.join(map(str, action.choices))})" if action.choices else "_files"


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).split(". ")[0].rstrip(".")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
