"""How the page of a solution looks, on wide screens and on narrow ones."""

STYLE = """
:root { color-scheme: light; --line: #d9dde3; --quiet: #5b6470; --ink: #1d2430; }
* { box-sizing: border-box; }
body { margin: 0; background: #f6f7f9; color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
section { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 1.25rem; margin-top: 1.25rem; }
p { margin: 0 0 .75rem; }
.verdict { border-left: 5px solid #8a93a0; background: #fff; padding: .75rem 1rem; border-radius: 4px; }
.verdict.good { border-color: #0072b2; } .verdict.bad { border-color: #d55e00; }
.quiet { color: var(--quiet); }
dl { margin: 0; } dt { color: var(--quiet); margin-top: .75rem; overflow-wrap: anywhere; }
dd { margin: .25rem 0 0; overflow-x: auto; overflow-y: hidden; padding: .25rem 0; }
math { font-size: 1.15em; } math[display="block"] { text-align: left; width: max-content; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.wide { overflow-x: auto; margin-bottom: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; } td { overflow-wrap: break-word; font-variant-numeric: tabular-nums; }
td:first-child { min-width: 8rem; } td + td { width: 45%; }
pre { background: #f1f3f6; padding: .9rem; border-radius: 6px; overflow-x: auto; font-size: .88rem; }
@media (max-width: 600px) { main { padding: 1.25rem .75rem 3rem; } section { padding: 1rem; } }
"""
