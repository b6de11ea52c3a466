"""Import a plugin in a process of its own, with a time limit: one that hangs or crashes takes nobody along."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pluggy

from comis_core import hookspecs
from comis_core.host.discovery import Candidate
from comis_core.host.loading import load

PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from comis_core.host import isolate; isolate.main()"
SECONDS = 10.0
"""Time limit of one import; a plugin that imports a large library needs a few."""


def probe(candidate: Candidate, *, seconds: float = SECONDS) -> str:
    """Try one plugin in a subprocess: import it and ask its hooks.

    Args:
        candidate: the plugin, as discovered. One that was given as an object is in this process already.
        seconds: wall clock after which it counts as hanging.

    Returns:
        What is wrong, or "" when nothing is.
    """
    if candidate.given is not None:
        return ""
    try:
        done = subprocess.run(_command(candidate), capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"entry point {candidate.entry_point}: still importing after {seconds:g} s"
    return _verdict(candidate, done)


def main() -> None:
    """The subprocess: load the plugin that the arguments name and print the verdict as the last line."""
    name, distribution, version, entry_point = sys.argv[2:6]
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    candidate = Candidate(name=name, distribution=distribution, version=version, entry_point=entry_point)
    loading = load(manager, candidate)
    print("\n" + json.dumps({"reason": "" if loading.error is None else loading.reason}))


def _command(candidate: Candidate) -> list[str]:
    words = (candidate.name, candidate.distribution, candidate.version, candidate.entry_point)
    return [sys.executable, "-c", PROGRAM, json.dumps(sys.path), *words]


def _verdict(candidate: Candidate, done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode == 0:
        try:
            return str(json.loads(done.stdout.splitlines()[-1])["reason"])
        except (ValueError, LookupError, TypeError):
            return f"entry point {candidate.entry_point}: the import ended the process"
    if done.returncode < 0:
        return f"entry point {candidate.entry_point}: the import died of {signal.Signals(-done.returncode).name}"
    return f"entry point {candidate.entry_point}: the import ended the process with exit code {done.returncode}"
