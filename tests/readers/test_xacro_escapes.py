"""A xacro file runs nothing: each escape is refused with its place, and the process that expands can do nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.processes import environment, python
from cadbridge.readers.xacro.expressions import RefusedError, TooLargeError, evaluate
from cadbridge.readers.xacro.names import table
from cadbridge.reading import read
from tests.waiting import SLOW

ISSUE = (
    "(lambda T,V,f: (lambda G: (lambda g: [V(V(g['sys'])['modules']['__main__']).update([('_REFUSED_EVENTS', ())]), "
    "V(g['os'])['system']('id > PWNED')])(V(T(G))['__get__'](G, f)))(V(T(lambda: 0))['__globals__']))"
    "(python['type'], python['vars'], xacro['tokenize'])"
)

EXPRESSIONS = {
    "the lambdas of the first report": ISSUE,
    "import": "__import__('os').system('id > PWNED')",
    "open for writing": "open('PWNED', 'w')",
    "open for reading": "open('/etc/passwd')",
    "eval": "eval('1')",
    "exec": "exec('import os')",
    "compile": "compile('1', '', 'eval')",
    "getattr": "getattr('', 'upper')",
    "globals": "globals()",
    "locals": "locals()",
    "vars": "python.vars(1)",
    "vars by subscript": "python['vars'](1)",
    "type": "python.type('x', (), dict())",
    "type by subscript": "python['type']('')",
    "a name space as a value": "python",
    "a name space in a list": "[math]",
    "a name space compared": "math == math",
    "a name space searched": "'vars' in python",
    "length of a name space": "len(python)",
    "a name space as a dictionary": "dict(python)",
    "a function as a value": "sin",
    "a function chosen": "(sin if 1 else cos)(0)",
    "a function in a list": "[sin][0](0)",
    "the module of a function": "sin.__self__",
    "globals of a function": "xacro.tokenize.__globals__",
    "globals of load_yaml": "load_yaml.__globals__['os'].system('id > PWNED')",
    "code of a function": "xacro.load_yaml.__code__",
    "class of a tuple": "().__class__.__bases__[0].__subclasses__()",
    "class of a text": "''.__class__.__mro__",
    "class of a number": "(1).__class__",
    "mro without underscores": "str.mro()",
    "real part": "(1).real",
    "bit_length": "(1).bit_length()",
    "lambda": "(lambda: 1)()",
    "lambda with the class": "(lambda: ().__class__)()",
    "list comprehension": "[x for x in [1]]",
    "frame of a generator": "(x for x in [1]).gi_frame.f_back.f_globals",
    "walrus": "(x := 1)",
    "f-string": "f'a'",
    "format": "'{0.__class__}'.format(1)".replace("{", "").replace("}", ""),
    "format with a key": "'0'.format_map(python)",
    "format, the builtin": "format(1, '999999999d')",
    "wide conversion": "'%999999999d' % 1",
    "conversion of a computed width": "'%*d' % (9, 1)",
    "conversion of a name": "'%(a)s' % dict(a=1)",
    "encode": "'a'.encode()",
    "translate": "'a'.translate(python)",
    "bytes": "b'a'",
    "complex": "1j",
    "ellipsis": "...",
    "starred": "max(*[1, 2])",
    "map of map": "map(map, [1])",
    "map of a file's function": "list(map(open, ['PWNED']))",
    "filter by a text": "python.filter('a', [1])",
    "key of sorted": "sorted([1], key=python.vars)",
    "key of max": "max([1], key=str)",
    "isinstance with a text": "python.isinstance(1, 'int')",
    "matrix product": "[1] @ [2]",
    "breakpoint": "breakpoint()",
    "input": "input()",
    "print to a file": "print(1, file=1)",
    "help": "help()",
    "exit": "exit()",
    "memoryview": "memoryview(1)",
    "super": "super()",
    "object": "object()",
    "setattr": "setattr(1, 'a', 1)",
    "a call of a number": "(1)(2)",
    "a call of a text": "'os'()",
    "the loader of a module": "math.__loader__",
    "the specification of a module": "math.__spec__.loader",
    "private name": "__builtins__",
    "the table of builtins by name": "__builtins__['open']('PWNED', 'w')",
    "the file's table": "xacro.filestack",
    "the disk by the name of xacro": "xacro.os.system('id > PWNED')",
    "await": "await 1",
    "a file of the system": "xacro.load_yaml('/etc/passwd')",
    "a file above": "xacro.load_yaml('../../../../etc/passwd')",
    "the process's own memory": "xacro.load_yaml('/proc/self/environ')",
    "a device without end": "load_yaml('/dev/zero')",
    "a link out of the folder": "load_yaml('link.yaml')",
    "a pipe": "load_yaml('pipe.yaml')",
    "python's YAML tags": "load_yaml('tagged.yaml')",
    "python's YAML names": "load_yaml('named.yaml')",
}
"""By name, an expression that must be refused."""

TOO_LARGE = {
    "power of a power": "9**9**9",
    "power of a negative": "(-9)**99999",
    "text repeated": "'a' * 10**10",
    "text repeated twice": "('a' * 60000) * 60000",
    "list repeated": "[0] * 10**10",
    "shift": "1 << 10**9",
    "range": "range(10**10)",
    "factorial": "factorial(10**7)",
    "combinations": "math.comb(10**6, 10**5)",
    "product": "math.prod([10**300] * 1000)",
    "round": "round(5, -10**9)",
    "replace": "('a' * 100000).replace('a', 'a' * 100000)",
    "join": "('a' * 100000).join(['b'] * 1000)",
    "zero fill": "'a'.zfill(10**9)",
    "lists in lists": "[" * 60 + "]" * 60,
    "lists of one list": "[[0] * 1000] * 1000",
    "zip": "zip(" + "[0] * 50000," * 9 + ")",
    "a long expression": "1" + " + 1" * 10_000,
}

FILES = {
    "include of the system": '<xacro:include filename="/etc/passwd"/>',
    "include above": '<xacro:include filename="../../secret.xacro"/>',
    "include of everything": '<xacro:include filename="/*/*"/>',
    "include through a link": '<xacro:include filename="link.yaml"/>',
    "include of a pipe": '<xacro:include filename="pipe.yaml"/>',
    "include of a device": '<xacro:include filename="/dev/stdin"/>',
    "optional include of the system": '<xacro:include filename="/etc/passwd" optional="true"/>',
    "document type": '<xacro:include filename="doctype.xacro"/>',
    "document type in UTF-16": '<xacro:include filename="doctype16.xacro"/>',
    "the environment": '<link name="$(env HOME)"/>',
    "eval substitution": '<link name="$(eval __import__)"/>',
    "eval of open": '<link name="$(eval open)"/>',
    "a condition": "<xacro:if value=\"${__import__('os')}\"/>",
    "the name of a property": '<xacro:property name="${open}" value="1"/>',
    "the default of a parameter": (
        '<xacro:macro name="m" params="a:=${open}"><link name="${a}"/></xacro:macro><xacro:m/>'
    ),
    "a lazy property": '<xacro:property name="a" value="${().__class__}"/><link name="${a}"/>',
    "a property that is a function": '<xacro:property name="f" value="${sin}"/><link name="${f(0)}"/>',
    "the name of a macro": '<xacro:call macro="${().__class__}"/>',
    "the name of an element": '<xacro:element xacro:name="${open}"/>',
    "an attribute": '<xacro:attribute name="a" value="${open}"/>',
    "a text": "<link>${open}</link>",
    "a comment": "<!-- xacro:eval-comments --><!-- ${open} -->",
    "an argument's default": '<xacro:arg name="a" default="${open}"/>',
}

ENDLESS = {
    "a macro in itself": '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>',
    "macros that double": "".join(
        f'<xacro:macro name="m{n}" params=""><xacro:m{n + 1}/><xacro:m{n + 1}/></xacro:macro>' for n in range(30)
    )
    + '<xacro:macro name="m30" params=""><link name="a"/></xacro:macro><xacro:m0/>',
    "properties that double": '<xacro:property name="p0" value="ha"/>'
    + "".join(f'<xacro:property name="p{n + 1}" value="${{p{n}}}${{p{n}}}"/>' for n in range(40))
    + '<link name="${p40}"/>',
    "a property in itself": (
        '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>'
    ),
    "the file in itself": '<xacro:include filename="self.xacro"/>',
    "aliases of YAML": "<link name=\"${load_yaml('laughs.yaml')}\"/>",
}

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'

# One process, confined once as every process that expands is, answers for all the files.
ASK = """
import gc, json, sys
from cadbridge.readers.xacro import child
for encoding in child._ENCODINGS:
    "".encode(encoding)
sys.setrecursionlimit(4000)
import xacro
plain = {name: getattr(xacro, name) for name in child._REPLACED}
requests = json.loads(sys.stdin.read())
from cadbridge.budget import LIMITS
LIMITS["xacro calls"] = (2_000, LIMITS["xacro calls"][1])
child.confine([child.Path(requests[0]["own"])])
answers = []
for request in requests:
    vars(xacro).update(plain)
    expansion = child.Expansion(request)
    try:
        answers.append({"text": expansion.run()[:1000]})
    except Exception as fault:
        answers.append(child._fault(fault, expansion))
    gc.collect()
print(json.dumps(answers))
"""


def document(body: str) -> str:
    """A file with the body on its third line."""
    return f"{HEAD}\n<link name='base'/>\n{body}\n</robot>"


def quoted(expression: str) -> str:
    """An expression within an attribute."""
    text = expression.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return document(f'<link name="${{{text}}}"/>')


CASES = {f"expression: {name}": quoted(text) for name, text in EXPRESSIONS.items()}
CASES |= {f"file: {name}": document(text) for name, text in FILES.items()}
LARGE = {f"expression: {name}": quoted(text) for name, text in TOO_LARGE.items()}
LARGE |= {f"file: {name}": document(text) for name, text in ENDLESS.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's folder, with what the escapes reach for."""
    above = tmp_path_factory.mktemp("above")
    here = above / "a" / "b"
    here.mkdir(parents=True)
    (above / "secret.xacro").write_text(f"{HEAD}<link name='secret'/></robot>", encoding="utf-8")
    (here / "link.yaml").symlink_to("/etc/passwd")
    if hasattr(os, "mkfifo"):
        os.mkfifo(here / "pipe.yaml")
    (here / "tagged.yaml").write_text("a: !!python/object/apply:os.system ['id > PWNED']\n", encoding="utf-8")
    (here / "named.yaml").write_text("a: !!python/name:os.system\n", encoding="utf-8")
    (here / "self.xacro").write_text(document(ENDLESS["the file in itself"]), encoding="utf-8")
    laughs = "a0: &a0 [ha, ha]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(40))
    (here / "laughs.yaml").write_text(laughs, encoding="utf-8")
    typed = f'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>{HEAD}<link name="a"/></robot>'
    (here / "doctype.xacro").write_text(typed, encoding="utf-8")
    (here / "doctype16.xacro").write_text('<?xml version="1.0" encoding="UTF-16"?>' + typed, encoding="utf-16")
    return here


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, dict[str, Any]]:
    """What the process says to each case."""
    cases = CASES | LARGE
    requests = []
    for number, text in enumerate(cases.values()):
        path = folder / f"case{number}.xacro"
        path.write_text(text, encoding="utf-8")
        requests.append({"path": str(path), "arguments": {}, "packages": {}, "own": str(folder), "given": []})
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASK], input=json.dumps(requests), capture_output=True, text=True, cwd=folder,
        env=environment(), check=False, timeout=SLOW,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(cases, json.loads(done.stdout), strict=True))


def test_there_are_at_least_sixty_escapes() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES)
def test_an_escape_is_refused_where_it_stands(case: str, answers: dict[str, Any], folder: Path) -> None:
    answer = answers[case]
    assert "text" not in answer, answer
    if not (case.startswith("expression: ") and "invalid syntax" in answer["error"]):
        assert answer["refused"], answer
    assert "Traceback" not in answer["error"]
    assert (answer["line"] or 0) >= 1
    assert not list(folder.rglob("PWNED*"))


@pytest.mark.parametrize("case", LARGE)
def test_what_asks_for_too_much_ends_soon(case: str, answers: dict[str, Any]) -> None:
    answer = answers[case]
    assert "text" not in answer
    assert not answer["refused"]
    assert any(word in answer["error"] for word in ("large", "without end", "circular", "more than")), answer


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_evaluator_alone_refuses_them(name: str) -> None:
    if "yaml" in EXPRESSIONS[name]:
        return  # its own function is the process's
    with pytest.raises((RefusedError, TooLargeError, SyntaxError)):
        evaluate(EXPRESSIONS[name], table())


@pytest.mark.parametrize("name", ["the lambdas of the first report", "a file of the system"])
def test_a_refusal_is_a_finding_with_its_place(name: str, folder: Path) -> None:
    path = folder / "robot.urdf"
    path.write_text(quoted(EXPRESSIONS[name]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    (finding,) = caught.value.findings
    place = finding.where
    assert (finding.code, place.file, place.line, place.item) == ("CB1921", str(path), 3, "link")
    assert "No option lets a file run code" not in finding.message


@pytest.mark.parametrize("command", ["inspect", "check", "batch"])
def test_no_command_runs_it(command: str, folder: Path) -> None:
    place = folder / command
    place.mkdir()
    (place / "robot.urdf").write_text(quoted(ISSUE), encoding="utf-8")
    (place / "jobs.yaml").write_text(
        'format: "cadbridge.jobs/1"\njobs: [{name: a, sources: robot.urdf, do: check}]\n', encoding="utf-8"
    )
    for name in ("json", "numpy", "yaml", "xacro", "lxml", "subprocess", "re"):
        (place / f"{name}.py").write_text(f"open({str(place / 'PWNED')!r}, 'w')\n", encoding="utf-8")
    source = "jobs.yaml" if command == "batch" else "robot.urdf"
    done = subprocess.run(
        [*python("cadbridge"), command, source], cwd=place, env=environment(), capture_output=True, text=True,
        check=False, timeout=SLOW,
    )  # fmt: skip
    assert done.returncode == (1 if command == "batch" else 2), done.stderr
    assert "CB1921" in done.stdout + done.stderr or command == "batch"
    assert not (place / "PWNED").exists()


DOZEN = [name for name in EXPRESSIONS if name != "the lambdas of the first report"][::5][:12]


@pytest.fixture(scope="module")
def dozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dozen escapes, and the jobs that check some of them: each starts a process that expands it."""
    place = tmp_path_factory.mktemp("dozen")
    for number, name in enumerate(DOZEN):
        (place / f"r{number}.urdf").write_text(quoted(EXPRESSIONS[name]), encoding="utf-8")
    (place / "jobs.yaml").write_text(
        'format: "cadbridge.jobs/1"\njobs: [{sources: "r1*.urdf", do: check}]\n', encoding="utf-8"
    )
    return place


@pytest.mark.parametrize(
    ("number", "command"),
    [
        pytest.param(n, command, id=f"{name}-{command}", marks=pytest.mark.nightly if (n + k) % 2 else ())
        for n, name in enumerate(DOZEN)
        for k, command in enumerate(("inspect", "check"))
    ],
)
def test_commands_refuse_a_dozen(
    command: str, number: int, dozen: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dozen)
    assert main([command, f"r{number}.urdf"]) == 2
    shown = capsys.readouterr()
    assert "CB1921" in shown.out + shown.err
    assert f"r{number}.urdf:3" in shown.out + shown.err
    assert not list(dozen.rglob("PWNED*"))


def test_a_batch_refuses_some_of_them(dozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dozen)
    assert main(["batch", "jobs.yaml"]) == 1
    manifests = [json.loads(path.read_bytes()) for path in dozen.rglob("manifest.json")]
    assert len(manifests) == 3
    assert all({"CB1921"} <= {f["code"] for f in manifest["findings"]} for manifest in manifests)
    assert not list(dozen.rglob("PWNED*"))


TRIES = {
    "run a program": "os.execv('/bin/true', ['true'])",
    "start a process": "os.fork()",
    "write a file": "os.open(HERE + '/PWNED', os.O_WRONLY | os.O_CREAT)",
    "append to a file": "os.open(HERE + '/own', os.O_WRONLY | os.O_APPEND)",
    "make a file by O_RDWR": "os.open(HERE + '/PWNED', os.O_RDWR | os.O_CREAT)",
    "truncate a file": "os.truncate(HERE + '/own', 0)",
    "remove a file": "os.unlink(HERE + '/own')",
    "rename a file": "os.rename(HERE + '/own', HERE + '/PWNED')",
    "make a folder": "os.mkdir(HERE + '/PWNED')",
    "make a link": "os.symlink('/etc/passwd', HERE + '/PWNED')",
    "open a connection": "socket.socket()",
    "send a signal": "os.kill(os.getppid(), 9)",
    "read another file": "os.open('/etc/passwd', os.O_RDONLY)",
    "read the folder above": "os.open(HERE + '/../secret', os.O_RDONLY)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux'")
def test_the_system_itself_holds_the_process(tmp_path: Path) -> None:
    """Without Python's hook: whatever code could run in the process, it reads its folder and computes."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "own").write_text("own", encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    script = f"""
import os, socket, sys
from cadbridge import confinement
HERE = {str(here)!r}
confinement._hook = lambda folders: lambda event, arguments: None
print(*confinement.confine([confinement.Path(HERE)]))
assert os.read(os.open(HERE + "/own", os.O_RDONLY), 9) == b"own"
for attempt in {list(TRIES.values())!r}:
    try:
        eval(attempt)
        print("possible: " + attempt)
    except OSError:
        print("refused")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, env=environment(), check=False, timeout=60
    )
    layers, *said = done.stdout.splitlines()
    if "seccomp" not in layers or "landlock" not in layers:
        pytest.skip(f"this kernel has no more than {layers}")
    assert said == ["refused"] * len(TRIES)
    assert sorted(p.name for p in here.iterdir()) == ["own"]


def test_the_hook_alone_refuses_and_knows_no_list(tmp_path: Path) -> None:
    """Where the system has no more than that."""
    script = f"""
import os
from cadbridge import confinement
import sys
sys.addaudithook(confinement._hook((confinement.Path({str(tmp_path)!r}),)))
vars(confinement).clear()
for attempt in ("os.system('id')", "open('/etc/passwd')", "os.open({str(tmp_path / "P")!r}, os.O_CREAT | os.O_WRONLY)",
                "__import__('ctypes')", "os.fork()", "exec('1')"):
    try:
        compile(attempt, "", "eval") and eval(attempt)
        print("possible: " + attempt)
    except PermissionError:
        print("refused")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, env=environment(), check=False, timeout=60
    )
    assert "possible" not in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
