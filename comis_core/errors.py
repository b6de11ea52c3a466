"""Every error this package raises on purpose: what is wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_SHOWN = 60


def shown(value: object) -> str:
    """A value as messages show it, on one line and not at length; one that cannot be shown by its kind alone."""
    try:
        words = repr(value)
    except Exception:  # noqa: BLE001 - an object's own code, or a number of thousands of digits
        words = f"a number of {value.bit_length():,} bits" if isinstance(value, int) else f"some {type(value).__name__}"
    return words if len(words) <= _MOST_SHOWN else f"{words[: _MOST_SHOWN - 3]}..."


class ComisError(Exception):
    """Base of all errors raised on purpose.

    Args:
        message: what is wrong and where.
        hint: what to do next; shown on a line of its own by the CLI.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ArgumentError(ComisError):
    """A call was given something that it does not take; the message names the argument and what it takes."""


class ConfigError(ComisError):
    """The configuration is wrong; all problems found are collected in `problems`."""

    def __init__(self, message: str, *, problems: Sequence[str] = (), hint: str = "") -> None:
        super().__init__("\n".join([message, *problems]), hint=hint)
        self.problems = tuple(problems)


class PluginError(ComisError):
    """A plugin cannot be used: it names plugin, distribution, version and cause."""


class ContractError(PluginError):
    """A plugin's part broke its contract (duplicates, NaN, foreign ids, wrong length)."""


class PartInactive(ComisError):
    """Raised by a spec's `build` when the part has nothing to work with, e.g. no embedder is configured.

    The part is left out of the pipeline and the message becomes a note of every recall; nothing is degraded.

    Args:
        quiet: nobody has asked for the part, so that not even a note is due.
    """

    def __init__(self, message: str, *, hint: str = "", quiet: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.quiet = quiet


class StoreError(ComisError):
    """The database cannot do what was asked; the file is as it was before."""


class ReadOnlyError(StoreError):
    """The database file or its folder cannot be written."""


class MissingFileError(StoreError):
    """The database file or its log was removed or replaced, while it was open or after a crash."""


class NotADatabaseError(StoreError):
    """The file exists and is no SQLite database of this package, or it is damaged."""


class NewerSchemaError(StoreError):
    """The file was written by a newer version of this package."""


class NotFoundError(ComisError):
    """No live memory of this scope has that id."""


class MemoryRejected(ComisError):
    """A memory breaks a rule of the store; `index` is its place in the batch (0 for a single store)."""

    def __init__(self, reason: str, *, index: int = 0, hint: str = "") -> None:
        super().__init__(f"memory {index}: {reason}", hint=hint)
        self.index = index
        self.reason = reason


class EmbedderError(ComisError):
    """An embedder failed or returned something else than finite unit vectors of its dimensions."""


class LanguageModelError(ComisError):
    """A language model call failed."""
