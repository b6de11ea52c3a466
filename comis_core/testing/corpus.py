"""What the conformance kit stores and asks: a few people over a few weeks, many scripts, and texts nobody expects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from comis_core.model import Annotation, Filters, MemoryType, NewMemory, Scope, Trust

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""The present moment of the kit."""

HOME = Scope("conformance", "home")
"""The scope that is asked."""
NEIGHBOUR = Scope("conformance", "neighbour")
"""Another agent of the same tenant that remembers the same words."""
STRANGER = Scope("elsewhere", "home")
"""An agent of the same name at another tenant."""
EMPTY = Scope("conformance", "empty")
"""A scope that nothing was stored in."""


def day(number: int) -> datetime:
    """A moment `number` days before NOW."""
    return NOW - timedelta(days=number)


def entity(name: str) -> Annotation:
    """An entity that a memory mentions."""
    return Annotation(kind="entity", name=name)


def triple(subject: str, predicate: str, value: str) -> Annotation:
    """A statement that a memory makes."""
    return Annotation(kind="triple", name=subject, predicate=predicate, value=value, confidence=0.8)


def turn(sender: str, session: str, number: int, content: str, *annotations: Annotation, days: int) -> NewMemory:
    """One turn of a conversation."""
    return NewMemory(
        content=content,
        sender=sender,
        session=session,
        turn=number,
        type=MemoryType.EPISODIC,
        occurred_at=day(days),
        created_at=day(days),
        annotations=annotations,
    )


CONVERSATION: tuple[NewMemory, ...] = (
    turn(
        "ana", "s1", 0, "I moved to Lisbon last week.", entity("Lisbon"), triple("ana", "lives in", "Lisbon"), days=40
    ),
    turn("ben", "s1", 1, "How is the new flat in Lisbon?", entity("Lisbon"), days=40),
    turn("ana", "s1", 2, "Small, but the river is five minutes away.", days=40),
    turn("ben", "s1", 3, "When do you start at the bakery?", entity("bakery"), days=40),
    turn("ana", "s1", 4, "On Monday at six in the morning.", entity("bakery"), days=40),
    turn("ana", "s2", 0, "The bakery closed, so I teach swimming now.", entity("bakery"), entity("swimming"), days=10),
    turn("ben", "s2", 1, "My sister Dana swims too, in Porto.", entity("Dana"), entity("Porto"), days=10),
    turn("ana", "s2", 2, "Then we three should swim in the Douro!", entity("Porto"), days=9),
)
"""Two people who answer each other in two sessions."""

FACTS: tuple[NewMemory, ...] = (
    NewMemory(content="Ana is allergic to peanuts.", trust=Trust.SYSTEM, pinned=True, tags=("health",), proof_count=4),
    NewMemory(content="Deploy with `make release`, then run gen-itgc and foo.bar().", type=MemoryType.PROCEDURAL),
    NewMemory(content="om_x1 is the staging host; pre-edit hooks are off.", tags=("work", "hosts"), title="Hosts"),
    NewMemory(content="A stranger claims that Ana lives in Rome.", trust=Trust.EXTERNAL, sender="mallory"),
    NewMemory(content="Ben prefers tea.", key="ben/drink", confidence=0.4, importance=0.9, created_at=day(300)),
    NewMemory(content="Ben prefers coffee now.", key="ben/drink", importance=0.1, created_at=day(2)),
    NewMemory(content="The conference takes place next summer.", occurred_at=day(-120)),
    NewMemory(content="The telegraph office opened.", occurred_at=datetime(1850, 6, 1, tzinfo=UTC)),
    NewMemory(content="word " * 900 + "needle", title="A long text", type=MemoryType.WORKING),
)
"""What is not said in a conversation: every trust, type, key, tag and an unusual date."""

SCRIPTS: tuple[NewMemory, ...] = tuple(
    NewMemory(content=text, tags=("scripts",))
    for text in (
        "今日は成語しりとりをした。",
        "用户身份由服务器验证。",
        "تسكن آنا في لشبونة منذ الربيع",
        "अना अब लिस्बन में रहती है",
        "Анна переехала в Лиссабон",
        "แอนาอาศัยอยู่ที่ลิสบอน",
        "Café, naïve, Straße, İstanbul, ﬁnal, ＦＵＬＬ",
        "cafe\N{COMBINING ACUTE ACCENT} au lait",
        "🎉🎉 party 👩‍👩‍👧",
    )
)
"""Scripts with and without spaces, combining marks, ligatures, emoji."""

HIDDEN: tuple[NewMemory, ...] = (
    NewMemory(content="Ana's old address was in Madrid.", expires_at=day(1)),
    NewMemory(content="Ana evicted Lisbon from her plans.", tags=("evict",)),
    NewMemory(content="Ana deleted Lisbon from her map.", tags=("delete",)),
    NewMemory(content="Ana lives in Lisbon, first version.", tags=("update",)),
)
"""What is stored and then not in sight: it expires, is evicted, deleted or replaced."""

NEIGHBOURS: tuple[NewMemory, ...] = (
    *CONVERSATION,
    *FACTS[1:],
    *SCRIPTS,
    NewMemory(content="Ana moved to Lisbon. Lisbon, Lisbon, Lisbon: the secret of the neighbour."),
)
"""What other scopes remember: the same words, so that a leak would show."""

QUESTIONS: tuple[str, ...] = (
    "Where does Ana live?",
    "When does Ana start at the bakery?",
    "Who swims in Porto with Dana?",
    "gen-itgc om_x1",
    "成語しりとり",
    "Лиссабон",
    "cafe",
    "needle",
    "health work hosts scripts s1 s2 ana ben mallory ben/drink procedural working external lisbon bakery lives in",
)
"""Questions that the home scope can answer.

The last one says what memories have beside their text, tags, sessions, senders, keys and so on, in small letters: a
part that reads nothing but those has something to find, in the neighbours' memories too.
"""

HOSTILE: tuple[str, ...] = (
    "",
    " \t\n",
    '"',
    "a:b",
    "x AND",
    "(y",
    "NEAR(",
    "*",
    "^x",
    "pre-edit",
    "what's next?",
    "om_x1 测试",
    "the of and",
    "?!… —",
    "🎉",
    "'; DROP TABLE memories; --",
    "%s {0} \\ \\u0000",
    "nul \N{REPLACEMENT CHARACTER} inside",
    "\N{RIGHT-TO-LEFT OVERRIDE}desrever",
    "a\N{COMBINING ACUTE ACCENT}" * 50,
    "x" * 100_000,
    "many words " * 9_000,
)
"""Texts that a user may type: each is a valid query. NUL and lone surrogates are replaced before a part sees them."""

FILTERS: Mapping[str, Filters] = {
    "no filter": Filters(),
    "external only": Filters(trust=frozenset({Trust.EXTERNAL})),
    "system and learned": Filters(trust=frozenset({Trust.SYSTEM, Trust.LEARNED})),
    "episodic": Filters(types=frozenset({MemoryType.EPISODIC})),
    "tagged": Filters(tags=frozenset({"health", "hosts"})),
    "a window": Filters(since=day(45), until=day(30)),
    "as recorded before": Filters(record_as_of=day(20)),
    "as it was then": Filters(event_as_of=day(30)),
    "nothing at all": Filters(tags=frozenset({"no such tag"})),
}
"""Restrictions that a part must obey, by what they show."""
