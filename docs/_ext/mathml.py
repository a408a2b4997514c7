"""Formulas as MathML, made when the site is built: no script, no network, and they can be copied."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def setup(app: Any) -> dict[str, Any]:
    """Make it known to Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator: Any, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """A formula by itself."""
    translator.body.append(f'<div class="formula">{convert(node.astext().strip(), display="block")}</div>')
    raise nodes.SkipNode
