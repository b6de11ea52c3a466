"""Rules of every spec: its options, its tables, and that its part can be built and closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from comis_core.config import read, structure
from comis_core.config.options import fields_of, plain
from comis_core.specs import Migration, Preset, Spec
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule


def documents_every_option(bench: Bench, spec: Spec) -> None:
    """Every option has a default and a help text; both become the documentation."""
    silent = [
        f"{section.path}.{field.key}"
        for section in spec.sections
        for field in fields_of(section.options_class)
        if not field.help.strip()
    ]
    assert not silent, f"options without metadata={{'help': ...}}: {', '.join(silent)}"


def accepts_its_own_defaults_from_a_file(bench: Bench, spec: Spec) -> None:
    """What an option is by default can also be written in a config."""
    for section, options in zip(spec.sections, bench.options(spec), strict=True):
        keys = {field.key: plain(getattr(options, field.attribute.name)) for field in fields_of(section.options_class)}
        for part in reversed(section.path.split(".") if section.path else []):
            keys = {part: keys}
        source = {"memory": keys} if section.level == "engine" else {"agents": {"home": keys}}
        config = structure(read(source), bench.registry.schema(), bench.registry.presets)
        assert config.options(section, "home") == options


def builds_with_its_defaults_and_closes_twice(bench: Bench, spec: Spec) -> None:
    """A part can be built without configuration, beside another one, and closed more than once."""
    first, second = bench.build(spec), bench.build(spec)
    for part in (first, first, second):
        if hasattr(part, "close"):
            part.close()


def names_its_tables_after_the_plugin(bench: Bench, spec: Spec) -> None:
    """What migrations create begins with the plugin's name, so that no two plugins meet."""
    if not spec.migrations:
        return
    own = {bench.plugin: bench.registry.migrations()[bench.plugin]}
    made = _schema(bench, own) - _schema(bench, {})
    assert made, "the migrations made nothing"
    strange = sorted(name for name in made if not name.startswith((f"{bench.plugin}_", "sqlite_")))
    assert not strange, f"not named {bench.plugin}_...: {', '.join(strange)}"


def _schema(bench: Bench, migrations: Mapping[str, Sequence[Migration]]) -> set[str]:
    """Names of everything in a new file with these migrations."""
    from comis_core.store import Store

    with (
        TemporaryDirectory(dir=bench.store.path.parent) as folder,
        Store.open(Path(folder) / "tables.db", clock=bench.clock, migrations=migrations) as store,
    ):
        assert not store.disabled, store.disabled
        return set(store.write(lambda tx: [name for (name,) in tx.execute("SELECT name FROM sqlite_master")]))


def is_a_sound_overlay(bench: Bench, preset: Preset) -> None:
    """A preset has only keys that exist, with values that they accept."""
    config = structure(
        read({"agents": {"home": {"preset": preset.name}}}), bench.registry.schema(), bench.registry.presets
    )
    assert config.preset("home") == preset.name


EVERY_SPEC = (
    Rule(documents_every_option),
    Rule(accepts_its_own_defaults_from_a_file),
    Rule(builds_with_its_defaults_and_closes_twice),
    Rule(names_its_tables_after_the_plugin),
)
PRESET = (Rule(is_a_sound_overlay),)
