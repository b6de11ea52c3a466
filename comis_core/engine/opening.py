"""From a config to an open engine: read, load plugins, structure, migrate, build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from comis_core import arguments
from comis_core.clock import SystemClock
from comis_core.config import Config, MemoryOptions, read, structure
from comis_core.errors import ArgumentError, ConfigError, StoreError
from comis_core.host import Host, Registry
from comis_core.protocols import Clock

if TYPE_CHECKING:
    from comis_core.engine.engine import Engine
    from comis_core.store import Store

Source = Path | str | Mapping[str, Any] | None


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Loaded:
    """A config with the plugins it enables: everything that can be known before a file is opened."""

    registry: Registry
    settings: Config


def load_settings(
    config: Source = None,
    *,
    preset: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    disable: Sequence[str] = (),
    plugins: Mapping[str, object] | None = None,
    tolerant: bool = False,
) -> Loaded:
    """Read a config, load the plugins it enables and check it against the keys they bring.

    Args:
        config: a config.yaml, or the same as a mapping; None for $COMIS_CONFIG, else ~/.comis/config.yaml.
        preset: the preset of agents that name none.
        overrides: keys of every agent's section that win over everything, as a nested mapping.
        disable: built-ins to do without, besides `plugins.disable`.
        plugins: plugin name -> module or object, used without being installed.
        tolerant: pass over what cannot be loaded (for commands that must run in any case).

    Raises:
        ConfigError: with every problem there is.
        PluginError: a plugin failed under `plugins.strict`.
    """
    if config is not None and not isinstance(config, Mapping):
        config = arguments.a_file("config", config)
    arguments.a_text_or_none("preset", preset)
    left_out = tuple(
        arguments.a_text("each of disable", name) for name in arguments.several("disable", disable, "names")
    )
    if plugins is not None and not isinstance(plugins, Mapping):
        raise ArgumentError(f"plugins must map names to modules or objects, not {type(plugins).__name__}")
    raw = read(config)
    host = Host.of(raw, extra=plugins)
    registry = attrs.evolve(host, disable=(*host.disable, *left_out)).load(tolerant=tolerant)
    settings = structure(raw, registry.schema(), registry.presets, preset, overrides=overrides)
    return Loaded(registry=registry, settings=settings)


def open_engine(
    path: Path | str | None = None,
    *,
    config: Source = None,
    preset: str | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
    create: bool = True,
    overrides: Mapping[str, Any] | None = None,
    disable: Sequence[str] = (),
    plugins: Mapping[str, object] | None = None,
    embedding_cache: Path | None = None,
) -> Engine:
    """Open a memory file, creating it if need be.

    Args:
        path: the database file; `memory.dbPath` of the config when None.
        config, preset, overrides, disable, plugins: as for `load_settings`. With a `path` and no `config`, no config
            file is looked for.
        clock: where time comes from; the system's by default.
        read_only: never write; the file must exist.
        create: make the file if there is none; False makes that an error.
        embedding_cache: a file that keeps embeddings by fingerprint and text digest across stores (evaluation).

    Raises:
        ConfigError: the config is wrong. StoreError: the file cannot be used; it is as it was before.
    """
    from comis_core.engine.engine import Engine
    from comis_core.store import Store
    from comis_core.store.vectors import load_sqlite_vec

    if isinstance(path, Mapping):
        raise ConfigError("path is the database file, not a mapping", hint="pass config=... by name")
    named = None if path is None else arguments.a_file("path", path)
    cache = None if embedding_cache is None else arguments.a_file("embedding_cache", embedding_cache)
    for name, flag in (("read_only", read_only), ("create", create)):
        arguments.a_flag(name, flag)
    if clock is not None and not callable(getattr(clock, "now", None)):
        raise ArgumentError(f"clock must have a method now(), and {type(clock).__name__} has none")
    source = {} if config is None and path is not None else config
    loaded = load_settings(source, preset=preset, overrides=overrides, disable=disable, plugins=plugins)
    settings, registry = loaded.settings, loaded.registry
    memory = settings.core(MemoryOptions)
    moments = clock or SystemClock()
    file = named if named is not None else settings.database_path()
    if not create and not file.exists():
        raise StoreError(f"there is no memory file {file}", hint="`comis store` or `comis import` makes one")
    store = Store.open(
        file,
        clock=moments,
        wal=memory.wal_mode,
        synchronous=memory.synchronous,
        read_only=read_only,
        on_connect=load_sqlite_vec,
    )
    try:
        registry = with_tables(registry, store)
        return Engine(store=store, registry=registry, settings=settings, clock=moments, embedding_cache=cache)
    except BaseException:
        store.close()
        raise


def with_tables(registry: Registry, store: Store) -> Registry:
    """Bring the plugins' tables up; the registry without those whose tables cannot be used."""
    for owner, reason in store.migrate(registry.migrations()).items():
        registry = registry.without(owner, "migrations", reason)
    return registry


def unchanged(file: Path, former: Config, settings: Config) -> list[str]:
    """One sentence for each key of an open file that a new configuration has otherwise, and that stays as it is."""
    wanted = settings.database_path()
    path = former.database_path() if wanted == former.database_path() else file
    before, after = former.core(MemoryOptions), settings.core(MemoryOptions)
    kept = (
        ("dbPath", path.absolute(), wanted.absolute()),
        ("language", before.language, after.language),
        ("walMode", before.wal_mode, after.wal_mode),
    )
    return [
        f"{settings.origin(f'memory.{key}')}: memory.{key} stays {was} while the file is open, not {now}; open it anew"
        for key, was, now in kept
        if was != now and settings.origin(f"memory.{key}") != "default"
    ]
