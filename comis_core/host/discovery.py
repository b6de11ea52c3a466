"""Which plugins are installed, known from distribution metadata alone: nothing is imported here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from email.parser import HeaderParser
from typing import Any

import attrs
import importlib_metadata

from comis_core.installed import distributions
from comis_core.model.shown import Compared

GROUP = "comis.plugins"
"""The entry-point group of plugins."""
BUILTIN_DISTRIBUTION = "comis-core"
"""The distribution whose plugins are candidates without being enabled."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Candidate(Compared):
    """A plugin that could be imported: one entry point of one distribution, or an object the caller passed."""

    name: str
    distribution: str
    version: str
    entry_point: str
    """What the distribution's metadata says: "package.module" or "package.module:attribute"."""
    builtin: bool = False
    given: object = attrs.field(default=None, eq=False, repr=False)
    """The plugin itself, when the caller passed it instead of installing it."""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version} ({self.entry_point})"

    def load(self) -> object:
        """Import the plugin. Raises whatever its import raises."""
        if self.given is not None:
            return self.given
        return importlib_metadata.EntryPoint(name=self.name, value=self.entry_point, group=GROUP).load()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Discovery(Compared):
    """What was found.

    claims: plugin name -> everyone who claims it, built-ins first; more than one makes the name unusable.
    unreadable: distribution -> why its metadata could not be read.
    """

    claims: Mapping[str, tuple[Candidate, ...]]
    unreadable: Mapping[str, str] = attrs.field(factory=dict)


def discover(extra: Mapping[str, object] | None = None) -> Discovery:
    """Find every plugin on the import path and those given.

    Args:
        extra: plugin name -> module or object that the caller passes without installing it.
    """
    unreadable: dict[str, str] = {}
    claims: dict[str, list[Candidate]] = {}
    for candidate in (*_installed(unreadable), *_given(extra or {})):
        rivals = claims.setdefault(candidate.name, [])
        if candidate not in rivals:
            rivals.append(candidate)
    ordered = {name: tuple(sorted(claims[name], key=_rank)) for name in sorted(claims)}
    return Discovery(claims=ordered, unreadable=unreadable)


def _installed(unreadable: dict[str, str]) -> Iterator[Candidate]:
    """One candidate an entry point; a distribution that stands on the path twice counts where it comes first."""
    seen: set[str] = set()
    for distribution in distributions():
        try:
            points = [point for point in distribution.entry_points if point.group == GROUP]
            if not points:
                continue
            name, version = _named(distribution)
        except Exception as error:  # noqa: BLE001 - somebody's broken metadata must not hide the other plugins
            unreadable[_location(distribution)] = f"{type(error).__name__}: {error}"
            continue
        if normalise(name) in seen:
            continue
        seen.add(normalise(name))
        builtin = normalise(name) == BUILTIN_DISTRIBUTION
        for point in points:
            yield Candidate(
                name=point.name, distribution=name, version=version, entry_point=point.value, builtin=builtin
            )


def _given(extra: Mapping[str, object]) -> Iterator[Candidate]:
    for name, plugin in extra.items():
        yield Candidate(
            name=name,
            distribution="in-process",
            version=str(getattr(plugin, "__version__", "unversioned")),
            entry_point=getattr(plugin, "__name__", type(plugin).__qualname__),
            given=plugin,
        )


def normalise(distribution: str) -> str:
    """A distribution's name as package indexes compare it: lower case, runs of `-`, `_` and `.` as one hyphen."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _named(distribution: Any) -> tuple[str, str]:
    """Name and version, from the head of the metadata: the body is a whole README, which takes long to parse."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    fields = HeaderParser().parsestr(text.partition("\n\n")[0])
    for field in ("Name", "Version"):
        if not fields[field]:
            raise ValueError(f"the metadata has no {field}")
    return str(fields["Name"]), str(fields["Version"])


def _location(distribution: Any) -> str:
    return str(getattr(distribution, "_path", distribution))


def _rank(candidate: Candidate) -> tuple[bool, str, str, str]:
    return (not candidate.builtin, candidate.distribution, candidate.version, candidate.entry_point)
