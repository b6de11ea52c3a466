"""Names that are one name misspelt: merged only when they are long and differ by one letter in the middle.

Dana and Dan, Johnson and Johnston, Petersen and Peterson, Alexandra and Alexander stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

_SHORTEST = 9
"""Letters of the shorter of two words from which on they may be one."""
_EDGE = 3
"""Letters at either end that both must share: endings tell names apart."""

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψως")


def alike(key: str, is_known: Callable[[str], bool]) -> str | None:
    """A known name of which `key` (folded, not known itself) is a misspelling; None when there is none."""
    words = key.split(" ")
    for place, word in enumerate(words):
        if len(word) < _SHORTEST or not word.isalpha():
            continue
        before, after = " ".join([*words[:place], ""]), " ".join(["", *words[place + 1 :]])
        for other in _one_letter_off(word):
            candidate = f"{before}{other}{after}"
            if is_known(candidate):
                return candidate
    return None


def _one_letter_off(word: str) -> Iterator[str]:
    """Every word that differs in one letter between the edges: left out, doubled up, exchanged or swapped."""
    alphabet = next((letters for letters in _ALPHABETS if word[0] in letters), "")
    last = len(word) - _EDGE
    for place in range(_EDGE, last):
        head, tail = word[:place], word[place + 1 :]
        if len(word) > _SHORTEST:
            yield head + tail
        yield from (head + letter + tail for letter in alphabet if letter != word[place])
    for place in range(_EDGE, last + 1):
        yield from (word[:place] + letter + word[place:] for letter in alphabet)
    for place in range(_EDGE, last - 1):
        if word[place] != word[place + 1]:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
