"""Import and export of JSONL, one memory a line."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import attrs
import click

from comis_core.cli.files import written
from comis_core.cli.memories import is_there
from comis_core.cli.options import Target, as_json, print_json, refuse_unknown, target
from comis_core.errors import ComisError
from comis_core.model import NewMemory
from comis_core.rows import memory_row, new_memory, row_of
from comis_core.text import fingerprint

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.model import Annotation, Memory

BATCH = 500


@attrs.frozen(kw_only=True)
class Row:
    """A line of the file: its number, and the memory, or else what is wrong with it."""

    number: int
    memory: NewMemory | None = None
    """Without the annotations that point to other memories: those may stand further down."""
    pointers: tuple[Annotation, ...] = ()
    evicted: bool = False
    problem: str = ""


@attrs.define(kw_only=True)
class Report:
    """What an import did."""

    added: int = 0
    known: int = 0
    rejected: list[tuple[int, str]] = attrs.field(factory=list)
    pointing: list[tuple[int, str, tuple[Annotation, ...]]] = attrs.field(factory=list)
    """Line, memory id and what the memory says of others, once all of them are there."""


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--keep-going", is_flag=True, help="Store the good rows of a file that has bad ones.")
@click.option("--admin", is_flag=True, help="Allow rows of trust system.")
@target
@as_json
def import_(target: Target, as_json: bool, file: Path, keep_going: bool, admin: bool) -> None:
    """Read memories from FILE, a JSON object a line ("-" reads standard input).

    Without --keep-going a file with a single bad row changes nothing. Known memories are skipped, so that an import can
    be repeated.
    """
    with _seekable(file) as path, target.handle(admin=admin, new=True) as agent:
        total, known, rejected = _survey(path, agent)
        report = Report(known=len(known), rejected=rejected)
        if rejected and not keep_going:
            _tell(report, as_json)
            raise ComisError(
                f"nothing was imported: {len(rejected)} of {total} rows are wrong",
                hint="mend them, or store the good ones with --keep-going (and those of trust system with --admin)",
            )
        passed = known | {number for number, _ in rejected}
        with _progress(total - len(passed), "importing") as advance:
            for batch in _batches(row for row in _read(path) if row.number not in passed):
                _store(agent, batch, report)
                advance(len(batch))
        _point(agent, report)
    _tell(report, as_json)
    if report.rejected:
        raise SystemExit(1)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="-")
@click.option("--evicted", is_flag=True, help="Also what is hidden from recall.")
@click.option("--damaged", is_flag=True, help="Take what can be read of a damaged file, and say how much could not.")
@target
def export(target: Target, file: Path, evicted: bool, damaged: bool) -> None:
    """Write every live memory to FILE, a JSON object a line (default: standard output).

    FILE is replaced when everything was written.
    """
    if damaged:
        _salvage(target, file, evicted)
        return
    with (
        target.handle(finish=False) as agent,
        _output(file, agent.engine.path) as out,
        _progress(agent.count(), "exporting") as advance,
    ):
        for memory in agent.export(include_evicted=evicted):
            out.write(_line(memory, agent.annotations(memory.id)))
            advance(1)


def _line(memory: Memory, annotations: Sequence[Annotation]) -> str:
    row = memory_row(memory)
    notes = [row_of(note) for note in annotations if note.origin != "extractor"]
    if notes:
        row["annotations"] = notes
    return json.dumps(row, ensure_ascii=False) + "\n"


def _salvage(target: Target, file: Path, evicted: bool) -> None:
    """Export without an engine, for indexes and plugins have no use in a damaged file."""
    from comis_core.clock import SystemClock
    from comis_core.model import Scope
    from comis_core.store import Store
    from comis_core.store.salvage import whole

    count = 0
    with (
        whole(target.path()) as readable,
        Store.open(readable, clock=SystemClock(), read_only=True) as store,
    ):
        refuse_unknown(store.scopes(), target.path(), tenant=target.tenant, agent=target.agent)
        with store.salvage(Scope(target.tenant, target.agent)) as found, _output(file, target.path()) as out:
            for memory, annotations in found:
                if evicted or memory.evicted_at is None:
                    out.write(_line(memory, annotations))
                    count += 1
    click.secho(f"{count:,} memories written, {found.unreadable:,} rows could not be read", err=True)
    if found.unreadable or found.silent:
        raise SystemExit(1)


def _survey(path: Path, agent: Agent) -> tuple[int, set[int], list[tuple[int, str]]]:
    """Read the whole file without storing: the number of rows, which are known, and what is wrong with which."""
    total = 0
    known: set[int] = set()
    rejected: list[tuple[int, str]] = []
    seen: dict[str, int] = {}
    pointing: list[tuple[int, Annotation]] = []
    for row in _read(path):
        total += 1
        id = row.memory.id if row.memory else None
        if row.memory is None:
            rejected.append((row.number, row.problem))
        elif id is not None and id in seen:
            rejected.append((row.number, f"id {id} is on line {seen[id]} already"))
        elif _is_known(agent, row.memory):
            known.add(row.number)
        elif problem := agent.check(row.memory):
            rejected.append((row.number, problem))
        if id is not None:
            seen.setdefault(id, row.number)
        pointing += [(row.number, said) for said in row.pointers]
    wrong = {number for number, _ in rejected}
    for number, said in pointing:
        if number not in wrong and said.target not in seen and not is_there(agent, str(said.target)):
            rejected.append((number, f"{said.kind!r} points to {said.target}, which is neither in the file nor known"))
    return total, known, rejected


def _is_known(agent: Agent, memory: NewMemory) -> bool:
    """Whether this scope has the memory under the same id with the same words."""
    try:
        return memory.id is not None and fingerprint(agent.get(memory.id).content) == fingerprint(memory.content)
    except ComisError:
        return False


def _store(agent: Agent, batch: list[Row], report: Report) -> None:
    result = agent.store_many([row.memory for row in batch if row.memory])
    refused = {row.index: row.reason for row in result.rejected}
    report.rejected += [(batch[index].number, reason) for index, reason in refused.items()]
    report.known += sum(stored.duplicate for stored in result.stored)
    report.added += sum(not stored.duplicate for stored in result.stored)
    accepted = [row for index, row in enumerate(batch) if index not in refused]
    pairs = list(zip(accepted, result.stored, strict=True))
    report.pointing += [(row.number, stored.id, row.pointers) for row, stored in pairs if row.pointers]
    hidden = [stored.id for row, stored in pairs if row.evicted]
    if hidden:
        agent.evict(*hidden)


def _point(agent: Agent, report: Report) -> None:
    """Add what memories say of each other."""
    for number, id, pointers in report.pointing:
        try:
            agent.annotate(id, *pointers)
        except ComisError as error:
            report.rejected.append((number, f"stored without what it says of others: {error.message}"))


def _read(path: Path) -> Iterator[Row]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parse(number, line)


def _parse(number: int, line: bytes) -> Row:
    try:
        data = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        return Row(number=number, problem=f"not UTF-8 at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return Row(number=number, problem=f"not JSON: {error}")
    if not isinstance(data, dict):
        return Row(number=number, problem=f"a row is a JSON object, not {type(data).__name__}")
    try:
        memory = new_memory(data)
    except ComisError as error:
        return Row(number=number, problem=str(error))
    pointers = [said for said in memory.annotations if said.target is not None]
    pointers += [Annotation(kind="supersedes", target=target) for target in memory.supersedes]
    plain = tuple(said for said in memory.annotations if said.target is None)
    return Row(
        number=number,
        memory=attrs.evolve(memory, annotations=plain, supersedes=()),
        pointers=tuple(pointers),
        evicted=data.get("evicted_at") is not None,
    )


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _tell(report: Report, as_json: bool) -> None:
    if as_json:
        rows = [{"line": number, "reason": reason} for number, reason in sorted(report.rejected)]
        print_json({"added": report.added, "known": report.known, "rejected": rows})
        return
    for number, reason in sorted(report.rejected)[:50]:
        click.secho(f"line {number}: {reason}", err=True, fg="yellow")
    if len(report.rejected) > 50:
        click.secho(f"and {len(report.rejected) - 50} more (--json lists all)", err=True, fg="yellow")
    click.echo(f"{report.added} added, {report.known} already known, {len(report.rejected)} rejected")


@contextmanager
def _seekable(file: Path) -> Iterator[Path]:
    """The file itself, or a copy of standard input, since a file is read twice."""
    if str(file) != "-":
        if not file.is_file():
            raise click.UsageError(f"there is no file {file}")
        yield file
        return
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)


@contextmanager
def _output(file: Path, database: Path) -> Iterator[IO[str]]:
    """Standard output, or FILE once everything was written."""
    if str(file) != "-" and file.exists() and database.exists() and file.samefile(database):
        raise ComisError(f"{file} is the database itself", hint="name another file to export to")
    if str(file) == "-":
        yield sys.stdout
        return
    with written(file) as out:
        yield out


@contextmanager
def _progress(total: int, what: str) -> Iterator[Any]:
    """A progress bar on a terminal's standard error; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)
