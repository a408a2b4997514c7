"""A page as a list of blocks, written as HTML or as Markdown."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

MARKS = {"good": "●", "near": "○", "bad": "▲", "": ""}  # besides the colours, for those who do not see them

STYLE = """
:root { --ink: #1b1f24; --soft: #5b6470; --line: #d8dde3; --good: #cfe3f7; --near: #f3f1e4; --bad: #f9d9b8; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; color: var(--ink); background: #fff;
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; }
h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h2, h3 { line-height: 1.25; } code { font-size: .92em; background: #f2f4f6; padding: 0 .2em; }
.scroll { overflow-x: auto; margin: .75rem 0; } table { border-collapse: collapse; font-size: .85rem; }
p.caption { color: var(--soft); font-size: .9rem; margin: 1.2rem 0 -.4rem; }
th, td { padding: .18rem .55rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid var(--line); vertical-align: bottom; }
td { border-bottom: 1px solid #eceff2; } td.text { text-align: left; white-space: normal; min-width: 9rem; }
td.good { background: var(--good); } td.near { background: var(--near); } td.bad { background: var(--bad); }
figure { margin: 1rem 0; } figure img { width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .9rem; }
figure img { max-width: 44rem; } details > summary { cursor: pointer; color: #1f5fa8; }
@media (max-width: 40rem) { body { padding: .7rem; font-size: 15px; } h1 { font-size: 1.35rem; }
  table { font-size: .73rem; } th, td { padding: .15rem .22rem; } th, td:first-child { white-space: normal; } }
"""


@dataclass(frozen=True)
class Heading:
    """A heading of level 1, 2 or 3, with a name to link to."""

    text: str
    level: int = 2
    name: str = ""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Value:
    """An entry of a table; `tone` is good, near or bad relative to the paper's, `prose` what wraps."""

    text: str
    tone: str = ""
    prose: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of values under a header; folded away if it is for those who want to know more."""

    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """A picture in SVG, with a name for its file and a sentence below it."""

    name: str
    svg: bytes
    caption: str


Block = Heading | Text | Items | Table | Figure


def html(title: str, blocks: Sequence[Block]) -> str:
    """A page of its own, with everything in it."""
    body = "\n".join(_html(b) for b in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def markdown(blocks: Sequence[Block]) -> str:
    """The same in Markdown, with the figures next to it."""
    return "\n\n".join(_markdown(b) for b in blocks) + "\n"


def write(folder: Path, title: str, blocks: Sequence[Block]) -> Path:
    """Both, and the figures as files; the path is that of the HTML page."""
    page = folder / "report.html"
    for figure in (b for b in blocks if isinstance(b, Figure)):
        (folder / f"{figure.name}.svg").write_bytes(figure.svg)
    page.write_text(html(title, blocks), encoding="utf-8")
    (folder / "report.md").write_text(markdown(blocks), encoding="utf-8")
    return page


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        name = f' id="{block.name}"' if block.name else ""
        return f"<h{block.level}{name}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, Items):
        return "<ul>" + "".join(f"<li>{_inline(i)}</li>" for i in block.items) + "</ul>"
    if isinstance(block, Figure):
        source = base64.b64encode(block.svg).decode()
        caption = _inline(block.caption)
        return (
            f'<figure><img src="data:image/svg+xml;base64,{source}" alt="{escape(block.caption, quote=True)}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return _html_table(block)


def _html_table(table: Table) -> str:
    header = "".join(f"<th>{_inline(h)}</th>" for h in table.header)
    rows = "".join("<tr>" + "".join(map(_html_value, row)) + "</tr>\n" for row in table.rows)
    inner = f'<div class="scroll"><table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table></div>'
    caption = _inline(table.caption)
    if table.folded:
        return f"<details><summary>{caption}</summary>{inner}</details>"
    return f'<p class="caption">{caption}</p>{inner}'


def _html_value(value: Value) -> str:
    style = " ".join(filter(None, (value.tone, "text" if value.prose else "")))
    mark = f" {MARKS[value.tone]}" if value.tone else ""
    return f'<td class="{style}">{_inline(value.text)}{mark}</td>' if style else f"<td>{_inline(value.text)}</td>"


def _inline(text: str) -> str:
    """Text with `code` in it."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{p}</code>" if k % 2 else p for k, p in enumerate(parts))


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Items):
        return "\n".join(f"- {i}" for i in block.items)
    if isinstance(block, Figure):
        return f"![{block.caption}]({block.name}.svg)\n\n{block.caption}"
    lines = ["| " + " | ".join(table_row) + " |" for table_row in _markdown_rows(block)]
    lines.insert(1, "|" + "---|" * len(block.header))
    return (f"{block.caption}\n\n" if block.caption else "") + "\n".join(lines)


def _markdown_rows(table: Table) -> list[list[str]]:
    rows = [[f"{v.text} {MARKS[v.tone]}".strip().replace("|", "\\|") for v in row] for row in table.rows]
    return [list(table.header), *rows]
