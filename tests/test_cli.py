"""The command line: what it prints where, its exit codes, and how it stops."""

import csv
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fens
import fens.cli.shared as shared
import fens.cli.solve as solve_command
import fens_command
from fens._support.progress import listening, tell, track, watch
from fens.cli.app import COMMANDS, build_parser, main
from fens.errors import NotConverged

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(fens.__file__).parents[1])}
PROGRAM = "import sys; from fens.cli.app import main; sys.exit(main())"
POISSON = """title = "Poisson"
unknowns = ["u"]
[parameters]
k = 1
[domain]
box = { x = [0, 1] }
[equations]
inside = "diff(u, x, 2) = -2*k"
boundary = "u = 0"
[exact]
u = "k*x*(1 - x)"
[solve]
features = 40
[output]
table = "u.csv"
grid = 5
"""
ILL_POSED = POISSON.replace("boundary", '"face x = 0"')
EIGEN = """[unknowns]
u = "real"
m = "number"
[domain]
box = { x = [0, "pi"] }
[equations]
inside = "-diff(u, x, 2) = m*u"
boundary = "u = 0"
[eigen]
eigenvalue = "m"
count = 2
[solve]
features = 60
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "poisson.toml").write_text(POISSON)
    (tmp_path / "broken.toml").write_text("a = ")
    (tmp_path / "ill.toml").write_text(ILL_POSED)
    (tmp_path / "eigen.toml").write_text(EIGEN)
    return "poisson.toml"


def run(*arguments, program=PROGRAM, **options):
    """The program in a process of its own."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT, **options}
    return subprocess.run([sys.executable, "-W", "error", "-c", program, *arguments], **given)


def with_another(command, does):
    """The program with a command that does something else, for which it does not import SymPy and PyTorch."""
    return (
        "import sys, time, types\nfrom fens.cli import app\n"
        f"def run(args):\n    {does}\n    return 0\n"
        "sys.modules['another'] = types.SimpleNamespace(add_arguments=id, run=run)\n"
        f"app.COMMANDS['{command}'] = ('another', '')\nsys.exit(app.main())"
    )


CHECKED = with_another("check", "print('checked')")


def test_the_package_is_the_program_too():
    found = subprocess.run([sys.executable, "-m", "fens", "--version"], capture_output=True, text=True, env=ENVIRONMENT)
    assert (found.returncode, found.stdout) == (0, f"fens {fens.__version__}\n")


BOUNDS = {"helmholtz": 1e-13, "heat_plate": 1e-9}


def test_every_example_has_a_bound():
    assert {p.stem for p in (ROOT / "examples").glob("*.toml")} == set(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_examples(name, tmp_path, capsys):
    path = str(ROOT / "examples" / f"{name}.toml")
    assert main(["check", path]) == 0
    capsys.readouterr()
    assert main(["solve", path, "--json", "--output", str(tmp_path / "new")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["true_error"]["u"]["linf"] <= BOUNDS[name]
    assert found["true_error"]["u"]["linf"] <= found["error"]["estimate"]
    assert {Path(p).name for p in found["written"]} == {p.name for p in (tmp_path / "new").iterdir()}


def test_solve_tells_and_writes(file, capsys):
    assert main(["solve", file]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Poisson\nSolution u(x) on the box 0 < x < 1\n")
    assert "true error of u: L∞ " in out
    assert "written: u.csv" in out
    assert err == ""
    rows = list(csv.DictReader(Path("u.csv").read_text().split()))
    assert [float(r["x"]) for r in rows] == [0, 0.25, 0.5, 0.75, 1]
    assert [float(r["u"]) for r in rows] == pytest.approx([0, 3 / 16, 1 / 4, 3 / 16, 0], abs=1e-10)


def test_an_exact_solution_that_is_none_is_remarked_upon(file, capsys):
    told = "The exact solution given for u is not the solution that was found: they differ by 1.0e+00"
    assert main(["solve", file]) == 0
    assert "remark" not in capsys.readouterr().out
    assert main(["solve", file, "--set", "exact.u=k*x*(1 - x) + 1"]) == 0
    out, err = capsys.readouterr()
    assert f"  remark: {told}" in out
    assert err == ""
    assert main(["solve", file, "--json", "--set", "exact.u=k*x*(1 - x) + 1"]) == 0
    assert [r.startswith(told) for r in json.loads(capsys.readouterr().out)["remarks"]] == [True]
    assert main(["solve", file, "--set", "exact.u=k*x*(1 - x) + 1", "--set", "estimate=false"]) == 0
    assert "remark" not in capsys.readouterr().out


def test_json_and_changed_values(file, capsys):
    assert main(["solve", file, "--json", "--set", "k=3", "--set", "solve.features=30", "--set", "estimate=false"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["unknowns"], found["features"], found["error"], found["doubts"]) == (["u"], 30, None, [])
    rows = list(csv.DictReader(Path("u.csv").read_text().split()))
    assert float(rows[2]["u"]) == pytest.approx(0.75)


def test_complex_values_numbers_and_two_domains_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = 'unknowns = { u = "complex", a = "number" }\n[domain]\nbox = { x = [0, 1] }\n[equations]\n'
    text += 'inside = "diff(u, x) = I*u"\n"face x = 0" = "u = 1"\n"face x = 1" = "u = exp(I) + a - 2"\n'
    Path("a.toml").write_text(text + '[solve]\nfeatures = 40\n[output]\ntable = "a.csv"\ngrid = 3')
    assert main(["solve", "a.toml"]) in (0, 3)
    assert "a = 2" in capsys.readouterr().out
    header, _, middle, _ = Path("a.csv").read_text().split()
    assert header == "x,u_re,u_im"
    assert list(map(float, middle.split(","))) == pytest.approx([0.5, math.cos(0.5), math.sin(0.5)])
    text = 'unknowns = ["u", "v"]\n[domains]\nl.box = { x = [0, 1] }\nr.box = { x = [1, 2] }\n[equations]\n'
    text += '"inside of l" = "diff(u, x) = 1"\n"inside of r" = "diff(v, x) = 2"\n"face x = 0 of l" = "u = 0"\n'
    text += '"face x = 1 of l" = "u = v"\n[solve]\nfeatures = 30\n[output]\ntable = "b.csv"\ngrid = 2'
    Path("b.toml").write_text(text)
    assert main(["solve", "b.toml"]) == 0
    rows = [row.split(",") for row in Path("b.csv").read_text().split()[1:]]
    assert [(r[0], r[1] == "", r[2] == "") for r in rows] == [
        ("0", False, True), ("1", False, True), ("1", True, False), ("2", True, False),
    ]  # fmt: skip


def test_check_shows_the_equations_and_solves_nothing(file, capsys, monkeypatch):
    monkeypatch.setattr(solve_command.ProblemFile, "solve", None)
    assert main(["check", file, "--set", "k=7"]) == 0
    out = capsys.readouterr().out
    for words in ("Poisson", "Sought:  u(x)", "linear, 2 equations", "inside", "boundary", "features = 40", "u.csv"):
        assert words in out
    assert "(u(x)) = -14" in out
    assert main(["check", file, "--json"]) == 0
    equations = json.loads(capsys.readouterr().out)["equations"]
    assert equations[1] == {"on": "boundary", "region": "the boundary", "equation": "Eq(u(x), 0)"}


def test_plot(file, capsys):
    pytest.importorskip("matplotlib")
    assert main(["plot", file]) == 0
    assert capsys.readouterr().out == "poisson.png\n"
    assert Path("poisson.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", file, "--picture", "u.xyz"]) == 1
    assert "must end in .png" in capsys.readouterr().err


def test_info(capsys):
    assert main(["info"]) == 0
    assert "threads" in capsys.readouterr().out
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["versions"]["fens"] == fens.__version__


def test_eigenvalues(file, capsys):
    assert main(["solve", "eigen.toml"]) == 0
    assert "  4   error about" in capsys.readouterr().out
    assert main(["solve", "eigen.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["modes"][0]["eigenvalue"] == pytest.approx(1)


@pytest.fixture
def saved(file, capsys):
    assert main(["solve", file, "--save", "u.fens"]) == 0
    assert "written: u.fens" in capsys.readouterr().out
    return "u.fens"


def test_a_saved_solution_is_told_and_drawn(saved, capsys):
    pytest.importorskip("matplotlib")
    assert main(["info", saved]) == 0
    out = capsys.readouterr().out
    for words in ("u(x)", "Eq(u(x), 0) on the boundary", "roundoff-limited", "threads", fens.__version__, "features"):
        assert words in out
    assert main(["info", saved, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solution"]["features"] == 40
    assert main(["plot", saved]) == 0
    assert capsys.readouterr().out == "u.png\n"
    assert Path("u.png").read_bytes().startswith(b"\x89PNG")
    assert fens.load(saved)(0.5) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("to", "more", "written", "begins"),
    [
        ("csv", [], "u.csv", b"x,u"),
        ("csv", ["--points", "5", "--output", "v.csv"], "v.csv", b"x,u"),
        ("csv", ["--points", "x=0.5"], "u.csv", b"x,u\r\n0.5,0.2"),
        ("vtk", ["--points", "x=7"], "u.vtu", b"<?xml"),
        ("nc", ["--units", "x=m,u=K"], "u.nc", b"CDF"),
        ("html", [], "u.html", b"<!DOCTYPE html>"),
    ],
)
def test_export(saved, to, more, written, begins, capsys):
    pytest.importorskip("xarray")
    assert main(["export", saved, "--to", to, *more]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (f"{written}\n", "")
    assert Path(written).read_bytes().startswith(begins)
    assert main(["export", saved, "--to", to, *more, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"written": [written]}


@pytest.mark.parametrize("points", ["1", "x", "x=", "x=a", "y=3", "x=3,x=4", "x=nan", "9" * 30, "x=3,y=4", "-3", ""])
def test_wrong_points_are_told(saved, points, capsys):
    assert main(["export", saved, "--to", "csv", f"--points={points}"]) == 1
    assert "--points" in capsys.readouterr().err
    assert not Path("w.csv").exists()


def test_a_file_asks_for_everything(file, capsys):
    pytest.importorskip("xarray")
    names = {"save": "a.fens", "table": "a.csv", "netcdf": "a.nc", "vtk": "a.vtu"}
    names |= {"picture": "a.png", "report": "a.html"}
    lines = "".join(f'{key} = "{name}"\n' for key, name in names.items())
    Path(file).write_text(POISSON.partition("[output]")[0] + "[output]\n" + lines + "grid = 5\n")
    assert main(["check", file]) == 0
    assert ", ".join(names.values()) in capsys.readouterr().out
    assert main(["solve", file, "--output", "all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == [f"all/{n}" for n in names.values()]
    assert {p.name for p in Path("all").iterdir()} == set(names.values())
    assert "<h1>Poisson</h1>" in Path("all/a.html").read_text()
    for wrong, words in [("a.txt", "must end in .fens"), ("../a.fens", "without folders"), ("a.csv", "must end in")]:
        Path(file).write_text(POISSON + f'save = "{wrong}"\n')
        assert main(["check", file]) == 1
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "none.toml"], "none.toml: the file cannot be read: no such file"),
        (["check", "none.toml"], "no such file"),
        (["solve", "poisson.toml", "--set", "k"], "--set takes NAME=VALUE"),
        (["solve", "poisson.toml", "--set", "featurs=3"], "--set featurs=3: 'featurs' is not known in solve"),
        (["solve", "poisson.toml", "--set", "features=many"], "--set features=many: features must be a whole number"),
        (["check", "poisson.toml", "--set", "exact.u=sin("], "--set exact.u=sin(: the expression ends"),
        (["solve", "poisson.toml", "--output", "poisson.toml"], "poisson.toml cannot be written"),
        (["check", "broken.toml"], "line 1, column 5: this is not TOML"),
        (["reproduce", "nothing"], "There is no experiment 'nothing'"),
        (["solve", "poisson.toml", "--save", "none/u.fens"], "--save takes the name of a file in a folder that exists"),
        (["solve", "eigen.toml", "--save", "u.fens"], "an eigenvalue problem has several"),
        (["export", "none.fens", "--to", "csv"], "none.fens: the file cannot be read: no such file"),
        (["export", "poisson.toml", "--to", "csv"], "poisson.toml: this is not a solution saved by fens"),
        (["export", "u.fens", "--to", "csv", "--output", "u.txt"], "--output must end in .csv"),
        (["export", "u.fens", "--to", "csv", "--output", "none/u.csv"], "in a folder that exists"),
        (["export", "u.fens", "--to", "csv", "--units", "x=m"], "--units belongs to --to nc"),
        (["export", "u.fens", "--to", "html", "--points", "3"], "--points belongs to tables"),
        (["info", "poisson.toml"], "poisson.toml: this is not a solution saved by fens"),
        (["plot", "none.fens"], "no such file"),
        (["plot", "none.fens", "--set", "k=2"], "a saved solution is as it is"),
    ],
)
def test_errors_are_a_sentence_and_exit_code_1(file, arguments, words, capsys):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.startswith(f"fens {arguments[0]}: ")
    assert "Traceback" not in err


def test_an_error_in_a_file_points_at_it(file, capsys):
    Path(file).write_text(POISSON.replace("-2*k", "-2*q"))
    assert main(["check", file]) == 1
    assert capsys.readouterr().err.split("\n")[:3] == [
        "fens check: poisson.toml, line 8, column 30: the name q is not known; known are: k, x, u",
        '    inside = "diff(u, x, 2) = -2*q"',
        "                                 ^",
    ]


def test_unreliable_solutions_have_exit_code_3(file, capsys, monkeypatch):
    assert main(["solve", "ill.toml", "--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["verdict"] == "unreliable"
    assert "The solution is unreliable" in err
    assert main(["solve", file, "--set", "tol=1e-30", "--set", "max_features=40"]) == 3
    assert "above the tolerance 1.0e-30" in capsys.readouterr().err

    def fails(self, **options):
        raise NotConverged("It did not converge.")

    monkeypatch.setattr(solve_command.ProblemFile, "solve", fails)
    assert main(["solve", file]) == 3
    assert capsys.readouterr().err == "fens solve: It did not converge.\n"


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["solve"], ["info", "--jsn"], ["completion", "csh"]])
def test_wrong_usage_has_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: fens" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert f"usage: fens {name}" in out
    assert "examples:" in out


def test_help_lists_commands_and_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    for words in (*COMMANDS, "exit codes", "130", "examples:"):
        assert words in out


def test_results_and_errors_go_to_their_streams(file):
    done = run("solve", file, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["title"] == "Poisson"
    assert done.stderr == ""


def test_a_terminal_without_mathematical_signs(file, monkeypatch):
    plain = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", plain)
    assert main(["check", file]) == 0
    assert main(["solve", file]) == 0
    plain.seek(0)
    shown = plain.read()
    assert "--(u(x)) = -2" in shown
    assert "true error of u: L? " in shown


@pytest.fixture
def interruptible():
    """Ctrl-C as in a terminal, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_cleanly():
    program = with_another("solve", "print('solving', flush=True); time.sleep(60)")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", program, "solve"], **pipes, text=True, env=ENVIRONMENT)
    assert process.stdout.readline() == "solving\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "fens solve: stopped.\n")


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_starting_ends_cleanly(tmp_path):
    (tmp_path / "torch.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}"}
    command = [sys.executable, "-c", "import sys; from fens_command import main; sys.exit(main())", "info"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **pipes, text=True, env=environment)
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert re.fullmatch(r"fens( info)?: stopped\.\n", err)


@pytest.mark.usefixtures("interruptible")
def test_the_command_is_the_command_line(capfd, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["fens", "info"])
    assert fens_command.main() == 0
    assert "threads" in capfd.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_reader_that_leaves_is_no_error():
    read, write = os.pipe()
    os.close(read)
    done = run("check", program=CHECKED, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_is_told_to_a_terminal(monkeypatch, capsys):
    heard = []
    with listening(heard.append):
        tell("a")
        assert list(track([1, 2], "b")) == [1, 2]
        assert list(watch(["c"])) == ["c"]
    tell("d")
    assert heard == ["a", "b, 1 of 2", "b, 2 of 2", "c"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with shared.told("solving [x]"):
        tell("100 features: points")
    assert "solving [x]" in capsys.readouterr().err


COMPLETE = 'COMP_WORDS=(fens {0}); COMP_CWORD={1}; _fens; echo "${{COMPREPLY[@]}}"'


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_completion_in_bash(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    lines = [COMPLETE.format("so", 1), COMPLETE.format("solve --", 2), COMPLETE.format('completion ""', 2)]
    done = subprocess.run(["bash", "-c", "\n".join([script, *lines])], capture_output=True, text=True, check=True)
    options = "--help --set --allow-outside --output --save --json"
    assert done.stdout.split("\n")[:3] == ["solve", options, "--help bash zsh fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_everything(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    parser = build_parser(COMMANDS)
    commands = next(a.choices for a in parser._actions if a.dest == "command")
    for name, own in commands.items():
        assert name in script
        for option in (o for a in own._actions for o in a.option_strings if o.startswith("--")):
            assert option.lstrip("-") in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("argument", ["check", "--help"])
def test_a_full_disk_is_told(argument):
    with open("/dev/full", "w") as full:
        done = run(argument, program=CHECKED, stdout=full, env={**ENVIRONMENT, "PYTHONUNBUFFERED": ""})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "the output cannot be written: no space left on device" in done.stderr


def test_without_an_output_nothing_fails():
    command = [sys.executable, "-c", CHECKED, "check"]
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    done = subprocess.run(closed, capture_output=True, text=True, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")


def test_files_outside_are_for_those_who_ask(file, capsys):
    Path("inner").mkdir()
    Path("data.csv").write_text("x,T\n0.5,0.25\n")
    Path("inner/problem.toml").write_text(POISSON.replace("[exact]", '"points ../data.csv" = "u = data(T)"\n[exact]'))
    assert main(["check", "inner/problem.toml"]) == 1
    assert "leads out of the folder" in capsys.readouterr().err
    assert main(["check", "inner/problem.toml", "--allow-outside"]) == 0
