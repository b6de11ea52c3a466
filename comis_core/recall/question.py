"""How much of a question is read.

Agents pass whole messages on, and a message may be a pasted document. What is asked of it stands before it or behind
it, so the two ends are read and the middle is not: each lane's time stays that of a question. A model that takes less
than that, counted in its own tokens, is its embedder's to cut for.
"""

from __future__ import annotations

LONGEST = 4_000
"""Characters of a question that are read. How many tokens that are depends on the script and the model's tokenizer: a
fourth of it, or four times as many."""

_HALF = (LONGEST - 1) // 2
"""Of each end; between the two stands a line break, and what is read must not be too long for those who read it."""

_LONGEST_WORD = 100
"""Characters after which a word may be cut in two; scripts without spaces have no other place to cut."""


def read_of(text: str) -> tuple[str, int]:
    """What is read of a question, and how many of its characters are not.

    Args:
        text: the question, of any length.

    Returns:
        The question and 0, or its first and last 1,999 characters on lines of their own, less a word that the cut
        would go through. White space around a question longer than that does not count.
    """
    if len(text) <= LONGEST:
        return text, 0
    text = text.strip()
    if len(text) <= LONGEST:
        return text, 0
    read = f"{_beginning(text)}\n{_end(text)}"
    return read, len(text) - len(read) + 1


def unread_note(unread: int) -> str:
    """What the answer to a question that was not read as a whole says of it."""
    return (
        f"the question is too long: {unread:,} characters in its middle were not read; put what is asked into its "
        f"first or last {_HALF - _LONGEST_WORD:,} characters"
    )


def _beginning(text: str) -> str:
    for end in range(_HALF, _HALF - _LONGEST_WORD, -1):
        if text[end].isspace():
            return text[:end]
    return text[:_HALF]


def _end(text: str) -> str:
    first = len(text) - _HALF
    for start in range(first, first + _LONGEST_WORD):
        if text[start - 1].isspace():
            return text[start:]
    return text[first:]
