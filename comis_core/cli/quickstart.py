"""The quickstart: a sample conversation stored, then asked five questions."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from comis_core.model import MemoryType, NewMemory

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.engine import Engine

QUESTIONS = (
    "When does Maya have to be in the Lisbon office?",
    "Which company carries the cello, and what does it cost?",
    "What is Maya allergic to?",
    "Where did she put the pet passport?",
    "What kind of food should the restaurant after the concert have, and why?",
)
AGENT = "quickstart"
"""Whose memory the sample becomes."""


@click.command()
@click.option("--db", "database", type=click.Path(path_type=Path, dir_okay=False), help="Keep the store in this file.")
@click.option("--preset", default="tuned", show_default=True)
def quickstart(database: Path | None, preset: str) -> None:
    """Store a sample conversation of sixty turns over six weeks, then ask it five questions."""
    with _engine(database, preset) as engine:
        agent = engine.agent(AGENT)
        memories = sample()
        started = time.perf_counter()
        result = agent.store_many(memories)
        engine.drain()
        milliseconds = (time.perf_counter() - started) * 1000
        new = sum(not stored.duplicate for stored in result.stored)
        click.secho(f"{new} turns stored in {milliseconds:.0f} ms, {engine.path.name}", bold=True)
        agent.recall(QUESTIONS[0])  # the first recall loads what later ones use
        for question in QUESTIONS:
            _ask(agent, question, memories[-1].created_at)
        for note in agent.recall(QUESTIONS[0]).notes:
            click.secho(f"note: {note}", dim=True)
        if database is not None:
            click.echo(f"\nAsk more: `comis recall QUESTION --db {database} --agent {AGENT}`.")
        click.echo("\nYour own: `comis init` writes a config.yaml; `comis store --config config.yaml TEXT` uses it.")


def sample() -> list[NewMemory]:
    """The sample conversation."""
    text = (files("comis_core.cli") / "sample.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [
        NewMemory(**{**row, "type": MemoryType(row["type"]), "created_at": datetime.fromisoformat(row["created_at"])})
        for row in rows
    ]


@contextmanager
def _engine(database: Path | None, preset: str) -> Iterator[Engine]:
    import comis_core

    with tempfile.TemporaryDirectory(prefix="comis-quickstart-") as folder:
        path = database or Path(folder) / "memory.db"
        with comis_core.open(path, config={}, preset=preset) as engine:
            yield engine


def _ask(agent: Agent, question: str, now: datetime | None) -> None:
    answer = agent.recall(question, sender="maya", now=now, max_results=3)
    click.echo()
    click.secho(f"? {question}", fg="cyan", bold=True)
    for item in answer:
        memory = item.memory
        click.echo(f"  {item.score:.2f}  {memory.created_at:%d %b}  {memory.sender}: {memory.content}")
        click.secho(f"        {item.why}", dim=True)
    click.secho(f"  {answer.milliseconds:.1f} ms", dim=True)
