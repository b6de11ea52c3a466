"""Who speaks: senders that are names, and those that are roles.

Public: the sequence of turns, the block for the prompt and plugins that look for people ask alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import attrs

from comis_core.model.shown import Compared

ASSISTANT, TOOL, SYSTEM = "the assistant", "a tool", "the system"
MACHINES: Mapping[str, str] = MappingProxyType({
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "agent", "model", "llm"), ASSISTANT),
    **dict.fromkeys(("tool", "function"), TOOL),
    "system": SYSTEM,
})
"""Roles that are no person's -> in words what speaks."""

_SERVED = frozenset(("customer", "client"))

_SERVING = "agent"
"""The role that is a machine's, unless somebody is served."""

ROLES = frozenset((
    *MACHINES, "user", "developer", "human", "customer", "client", "operator", "support", "unknown", "anonymous",
))  # fmt: skip
"""Senders that say what someone is, not who; compared casefolded and without white space around."""


def _fold(name: str) -> str:
    from comis_core.text import fold_name  # where no name is given, as in most configurations, nothing needs it

    return fold_name(name)


def _folded(names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str):
        raise ValueError(f"names are a list, not one text: [{names!r}]")
    return frozenset(map(_fold, names))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Roles(Compared):
    """Which senders of an agent's memories are people, and which are machines.

    Without anything said of them, the senders in `ROLES` are roles and all others are names of people.

    assistants: names of assistants, and other senders that one speaks under. people: senders in `ROLES` that are
    names of people here. Both are kept folded (`text.fold_name`), and so are senders compared with them; they go before
    the tables. What is in both is an assistant's.

    An `agent` is a machine, but a person where customers are served; `beside` tells.

    Raises:
        ValueError: one text where a list of names belongs.
    """

    assistants: frozenset[str] = attrs.field(default=frozenset(), converter=_folded)
    people: frozenset[str] = attrs.field(default=frozenset(), converter=_folded)
    serving: bool = False
    """Whether an `agent` of whom nothing is said is a person; `beside` sets it."""

    def beside(self, senders: Iterable[str]) -> Roles:
        """The roles in a scope with these senders: an `agent` beside a customer is a person, unless told otherwise.

        Whoever asks what a sender is in a scope asks the roles that this gives for all senders of the scope.
        """
        serving = any(_role(sender) in _SERVED for sender in senders)
        return self if serving == self.serving else attrs.evolve(self, serving=serving)

    def among(self, some: Iterable[str], everyone: Callable[[], Iterable[str]]) -> Roles:
        """`beside` everyone of a scope, who is asked for only where what one of `some` is follows from the others."""
        return self.beside(everyone()) if any(map(self.is_relative, some)) else self

    def is_relative(self, sender: str) -> bool:
        """Whether what this sender is follows from the others of its scope (`beside`)."""
        return _role(sender) == _SERVING and not (self._says_any and _fold(sender) in self.assistants | self.people)

    def is_named(self, sender: str) -> bool:
        """Whether a sender is a name and not a role: "the user" is nobody's name. An assistant may have one too."""
        return _role(sender) not in ROLES or (bool(self.people) and _fold(sender) in self.people)

    def machine(self, sender: str) -> str:
        """What kind of machine this is: `ASSISTANT`, `TOOL`, `SYSTEM`, or "" for a person."""
        role = _role(sender)
        return self._kind(sender, "" if self.serving and role == _SERVING else MACHINES.get(role, ""))

    def is_person(self, sender: str) -> bool:
        """Whether a sender is the name of a person: neither a role nor an assistant's name."""
        return self.is_named(sender) and not self.machine(sender)

    @property
    def _says_any(self) -> bool:
        return bool(self.assistants or self.people)

    def _kind(self, sender: str, kind: str) -> str:
        """What kind of machine a sender is that is of this kind where nothing is said of it."""
        if not self._says_any:
            return kind
        name = _fold(sender)
        if name in self.assistants:
            return ASSISTANT
        return "" if name in self.people else kind


def _role(sender: str) -> str:
    return sender.strip().casefold()
