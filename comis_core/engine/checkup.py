"""A checkup: configuration, plugins and file, whatever state they are in. It runs in any case."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import attrs

from comis_core.clock import SystemClock
from comis_core.config import Config, MemoryOptions, read, structure
from comis_core.config.reading import RawConfig
from comis_core.engine.derived import derived_of
from comis_core.engine.diagnosis import Diagnosis, Problem
from comis_core.engine.doctor import SAVE, Doctor
from comis_core.engine.models import bare_context, model_problems
from comis_core.engine.pipelines import pipeline_problems
from comis_core.engine.resources import Resources
from comis_core.errors import ComisError, ConfigError
from comis_core.host import Host, Registry, build_indexes, discover
from comis_core.host.choice import choose
from comis_core.host.isolate import probe
from comis_core.model import to_microseconds
from comis_core.protocols import Clock
from comis_core.specs import IndexSpec
from comis_core.store import Store, migrations
from comis_core.store.faults import is_damage
from comis_core.store.outbox import Outbox
from comis_core.store.sequence import TurnSequence
from comis_core.store.vectors import VectorStore, load_sqlite_vec
from comis_core.text import Analyser


def check_up(
    path: Path | None = None,
    *,
    config: Path | str | Mapping[str, Any] | None = None,
    preset: str | None = None,
    repair: bool = False,
    isolate: bool = False,
    clock: Clock | None = None,
) -> Diagnosis:
    """Look at a file without opening an engine on it.

    Args:
        path: the database file; `memory.dbPath` of the config when None.
        config, preset: as for `comis_core.open`. A config that is wrong is a problem, and the defaults stand in for it.
        repair: build derived tables again where they are not sound. Nothing that was stored is touched.
        isolate: import each plugin in a process of its own first, with a time limit; those that fail are left out.

    Returns:
        What was found; what was mended before that is in `repaired`.
    """
    return _Checkup(path, config, preset, repair, isolate, clock or SystemClock()).run()


@attrs.define(eq=False, repr=False)
class _Checkup:
    """One checkup under way."""

    path: Path | None
    config: Path | str | Mapping[str, Any] | None
    preset: str | None
    repair: bool
    isolate: bool
    clock: Clock
    problems: list[Problem] = attrs.field(factory=list)

    def run(self) -> Diagnosis:
        raw = self._raw()
        registry = self._plugins(raw)
        settings = self._settings(raw, registry)
        self.problems += pipeline_problems(registry, settings)
        self.problems += model_problems(registry, settings)
        path = self.path or settings.database_path()
        repaired: list[str] = []
        facts: dict[str, Any] = {}
        if not path.exists():
            self._tell("file", f"there is no file {path}", "store something first, or name the file with --db")
        elif path.is_file() and not path.stat().st_size:
            self._tell("file", f"{path} is empty", "it becomes a database with the first memory")
        else:
            try:
                repaired, facts = self._file(path, registry, settings)
            except ComisError as error:
                self._tell("file", error.message, SAVE if is_damage(error) else error.hint or SAVE)
        return Diagnosis(path=path, problems=tuple(self.problems), repaired=tuple(repaired), facts=facts)

    def _tell(self, area: str, what: str, remedy: str = "", *, minor: bool = False) -> None:
        self.problems.append(Problem(area=area, what=what, remedy=remedy, minor=minor))

    # -- configuration and plugins

    def _raw(self) -> RawConfig:
        source = {} if self.config is None and self.path is not None else self.config
        try:
            return read(source)
        except (ComisError, OSError) as error:
            self._tell("config", str(error), "the defaults are used here")
            return read({})

    def _plugins(self, raw: RawConfig) -> Registry:
        try:
            host = Host.of(raw)
        except ComisError as error:
            self._tell("config", str(error), "no plugin of a third party is looked at")
            host = Host()
        if self.isolate:
            host = attrs.evolve(host, disable=(*host.disable, *self._isolated(host)))
        registry = host.load(tolerant=True)
        for failure in registry.failures:
            self._tell("plugins", str(failure), "`comis plugins show NAME` says where it comes from")
        for missing in registry.missing:
            self._tell("plugins", missing, "install it, or take it out of the config")
        for distribution, reason in registry.unreadable.items():
            self._tell("plugins", f"{distribution}: its metadata cannot be read: {reason}", minor=True)
        return attrs.evolve(registry, strict=False)

    def _isolated(self, host: Host) -> Iterator[str]:
        """The plugins that cannot be imported in a process of their own."""
        for choice in choose(discover(), host.enable, host.disable):
            if not choice.imported:
                continue
            reason = probe(choice.candidate)
            if reason:
                self._tell("plugins", f"{choice.name!r} ({choice.candidate}): {reason}", "disable or reinstall it")
                yield choice.name

    def _settings(self, raw: RawConfig, registry: Registry) -> Config:
        try:
            return structure(raw, registry.schema(), registry.presets, self.preset)
        except ConfigError as error:
            for problem in error.problems or (error.message,):
                self._tell("config", problem, "`comis config check` shows all; the defaults are used here")
        return structure(read({}), registry.schema(), registry.presets, None)

    # -- the file

    def _file(self, path: Path, registry: Registry, settings: Config) -> tuple[list[str], dict[str, Any]]:
        memory = settings.core(MemoryOptions)
        sets = registry.migrations()
        store = Store.open(
            path,
            clock=self.clock,
            wal=memory.wal_mode,
            synchronous=memory.synchronous,
            migrations=sets if self.repair else {},
            on_connect=load_sqlite_vec,
        )
        with ExitStack() as ends:
            ends.enter_context(store)
            doctor = self._doctor(store, registry, settings, self._states(store, registry), ends)
            repaired = self._mend(doctor) if self.repair else []
            self.problems += doctor.examine()
            return repaired, doctor.facts()

    def _states(self, store: Store, registry: Registry) -> frozenset[str]:
        """The plugins whose tables are there and can be used; what is wrong with the others."""
        usable = set()
        for owner, steps in registry.migrations().items():
            recorded = store.migrated(owner)
            reason = store.disabled.get(owner) or migrations.newer(owner, recorded, steps)
            if reason:
                self._tell("plugins", reason, f"upgrade the plugin, or put {owner!r} under plugins.disable")
            elif len(recorded) == len(steps):
                usable.add(owner)
            else:
                self._tell("plugins", f"{owner!r} has not made its tables yet", "open the file once", minor=True)
        return frozenset(usable)

    def _doctor(
        self, store: Store, registry: Registry, settings: Config, usable: frozenset[str], ends: ExitStack
    ) -> Doctor:
        text = Analyser(settings.core(MemoryOptions).language)
        vectors, sequence = VectorStore(0), TurnSequence(text.stem_count)
        log = logging.getLogger("comis_core")
        resources = ends.enter_context(closing(Resources(log)))
        context = attrs.evolve(
            bare_context(settings, resources, log),
            clock=self.clock,
            text=text,
            vectors=vectors,
            sequence=sequence,
            known_scopes=store.scopes,
        )
        built = build_indexes(registry, settings, context)
        ends.callback(built.close)
        for failure in built.degraded:
            self._tell("plugins", str(failure))
        owners = {spec.name: spec.plugin.name for spec in registry.specs(IndexSpec) if spec.plugin is not None}
        without = registry.migrations().keys() - usable
        kept = [bound for bound in built.parts if owners.get(bound.name) not in without]
        return Doctor(
            store=store,
            indexes=derived_of(registry, kept, sequence, text),
            vectors=vectors,
            outbox=Outbox(),
            now=lambda: to_microseconds(self.clock.now()),
        )

    def _mend(self, doctor: Doctor) -> list[str]:
        try:
            return doctor.repair()
        except ComisError as error:
            self._tell("file", f"the repair did not get through: {error.message}", error.hint)
            return []
