"""Import a plugin in a process of its own, with a time limit: one that hangs or crashes takes nobody along.

What its specs would import on demand is imported too, since a recall would meet it only when the part is built.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pluggy

from comis_core import hookspecs
from comis_core.errors import ComisError
from comis_core.host.discovery import Candidate
from comis_core.host.guard import guarded, one_line
from comis_core.host.loading import Loading, load
from comis_core.specs import OnDemand, Spec

PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from comis_core.host import isolate; isolate.main()"
SECONDS = 10.0
"""Time limit of one plugin's imports; one that imports a large library needs a few."""


def probe(candidate: Candidate, *, seconds: float = SECONDS) -> str:
    """Try one plugin in a subprocess: import it, ask its hooks, and import what they name to be built on demand.

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
    reason = _not_importable(loading) if loading.error is None else loading.reason
    print("\n" + json.dumps({"reason": reason}))


def _not_importable(loading: Loading) -> str:
    """What is wrong with the first part that is built on demand and cannot be; "" when none is."""
    for spec in loading.specs:
        if isinstance(spec, Spec) and isinstance(spec.build, OnDemand):
            try:
                guarded(spec.build.resolve)
            except ComisError as error:
                return f"{spec.stage} {spec.name!r}, {spec.build.target}: {one_line(str(error))}"
    return ""


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
