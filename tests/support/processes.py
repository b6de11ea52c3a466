"""Processes of their own for tests of durability: what they do, and how a test talks to them.

A process speaks in JSON lines on standard output and only says what has been acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from support.toys import Toys

import comis_core
import comis_core.errors
from comis_core.model import NewMemory

TESTS = Path(__file__).parents[1]
BATCH = 5
"""Memories of a batch write."""


def start(work: Callable[..., None], *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Run a function of this module in a Python process of its own, with its arguments as text."""
    program = f"import sys; from support.processes import {work.__name__} as work; work(*sys.argv[1:])"
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


@contextmanager
def started(count: int, work: Callable[..., None], *arguments: object) -> Iterator[list[subprocess.Popen[str]]]:
    """Several of them, each with its number as last argument; none outlives the block."""
    with ExitStack() as ends:
        processes = []
        for number in range(count):
            process = ends.enter_context(start(work, *arguments, number))
            ends.callback(process.kill)
            processes.append(process)
        yield processes


def ready(process: subprocess.Popen[str]) -> None:
    """Wait until a process says that it is. Raises AssertionError with its errors when it ends instead."""
    assert process.stdout is not None
    if process.stdout.readline() != '"ready"\n':
        raise AssertionError(process.communicate()[1])


def said(process: subprocess.Popen[str]) -> tuple[list[Any], str]:
    """Everything a process says until its end, and its errors. A line that was cut off was never said."""
    with process:
        out, errors = process.communicate()
    return [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")], errors


def say(value: object) -> None:
    print(json.dumps(value), flush=True)


def config(model: str) -> dict[str, Any]:
    """Words and, with a model, vectors; few parts, so that the store has most of the work."""
    lanes = {"fts": {"enabled": True}, "lexical": {"enabled": True}, "vector": {"enabled": model != "none"}}
    return {
        "memory": {"recall": {"embeddingModel": model}},
        "agents": {"default": {"preset": "comis", "rag": {"minScore": 0.0, "lanes": lanes}}},
    }


def opened(path: Path, model: str, **options: Any) -> comis_core.Engine:
    return comis_core.open(path, config=config(model), plugins={"toys": Toys()}, **options)


def write(path: str, model: str, first: str, seconds: str) -> None:
    """Write single memories and batches for ever, and say each once it is acknowledged: [number, ids].

    seconds: processor time after which the system ends the process wherever it is, as kill -9 would; 0 for never.
    """
    with opened(Path(path), model) as engine:
        agent = engine.agent()
        say("ready")
        if float(seconds):
            # Processor time and not the clock: on a busy machine the process gets as far as on an idle one.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, float(seconds))
        number = int(first)
        while True:
            if number % 3:
                ids = [agent.store(content(number, 0)).id]
            else:
                rows = [NewMemory(content=content(number, row)) for row in range(BATCH)]
                ids = [stored.id for stored in agent.store_many(rows).stored]
            say([number, ids])
            number += 1


def content(number: int, row: int) -> str:
    return f"write {number} row {row} about heron{number} and sparrow{row}"


def mix(path: str, model: str, journal: str, operations: str, number: str) -> None:
    """Store, change, take away and recall at random; say what is expected to be there at the end.

    Every memory that stays is told to all others in the journal, once it is committed, and everybody recalls what the
    others told last.
    """
    chance = random.Random(int(number))
    mine: dict[str, str] = {}
    with opened(Path(path), model) as engine, Path(journal).open("a+b", buffering=0) as told:
        agent = engine.agent()
        say("ready")
        sys.stdin.readline()
        for step in range(int(operations)):
            token = f"p{number}s{step}"
            draw = chance.random()
            if draw < 0.35 or not mine:
                keep = agent.store(f"kept {token} by the river")
                mine[keep.id] = token
                told.write(f"{token:<16}\n".encode())
            elif draw < 0.5:
                rows = [NewMemory(content=f"passing {token}r{row}") for row in range(BATCH)]
                passing = [stored.id for stored in agent.store_many(rows).stored]
                if draw < 0.42:
                    assert agent.evict(*passing) == agent.restore(*passing) == BATCH
                assert agent.delete(*passing) == BATCH
            elif draw < 0.7:
                id = chance.choice(list(mine))
                agent.update(id, title=f"title {step}")
            elif draw < 0.8:
                id = chance.choice(list(mine))
                assert mine[id] in agent.get(id).content
            else:
                token = last_told(told)
                answer = agent.search(token, limit=20)
                assert not answer.degraded, answer.degraded
                found = any(f" {token} " in item.memory.content for item in answer)
                assert found, f"{token} is committed and not found"
    say(mine)


def last_told(journal: Any) -> str:
    end = journal.seek(0, os.SEEK_END)
    journal.seek(max(0, end - 17))
    return str(journal.read(17).decode().split()[-1])


def fill(path: str, limit: str) -> None:
    """Write until something fails; say what was acknowledged, then the error. limit: bytes of a file, 0 = any."""
    import resource

    if int(limit):
        # Python ignores the signal, so the write itself fails, as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    with opened(Path(path), "none") as engine:
        agent = engine.agent()
        try:
            for number in range(100_000):
                say(agent.store(f"write {number} " + "word " * 400).id)
        except comis_core.errors.StoreError as error:
            say({"error": error.message, "hint": error.hint, "count": agent.count()})


def read(path: str, user: str) -> None:
    """Say what a process of another user, who may not write the file, gets out of it, and what becomes of a write."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db", "none") as engine:
        # Everything is imported once, for the other user may not be able to read where Python is installed.
        engine.agent().store(content(1, 0))
        engine.agent().recall("heron1")
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
    with opened(Path(path), "none") as engine:
        agent = engine.agent()
        try:
            agent.store("something new")
        except comis_core.errors.ComisError as error:
            say({"read_only": engine.store.read_only, "found": len(agent.recall("heron1").items), "error": str(error)})
