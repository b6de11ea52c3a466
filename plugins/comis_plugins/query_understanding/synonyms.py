"""Synonyms that the user names: words that are searched besides a word of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from comis_core.text import Analyser

Stems = tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Synonyms:
    """Additions by the stems of a word or phrase, so that `kids` in the map is found in "Ana's kid"."""

    analyser: Analyser
    additions: Mapping[Stems, Sequence[str]]

    @classmethod
    def of(cls, analyser: Analyser, words: Mapping[str, Sequence[str]]) -> Synonyms:
        """From the configured map; entries that hold no word are dropped."""
        additions: dict[Stems, list[str]] = {}
        for word, others in words.items():
            stems = tuple(analyser.all_stems(word))
            if stems:
                additions.setdefault(stems, []).extend(others)
        return cls(analyser, additions)

    def added_to(self, text: str) -> str:
        """The text and behind it the synonyms of what it says, each once and only if it does not say it itself."""
        if not self.additions:
            return text
        said = tuple(self.analyser.all_stems(text))
        longest = max(map(len, self.additions))
        spans = {said[at : at + size] for size in range(1, longest + 1) for at in range(len(said) - size + 1)}
        found = (other for stems, others in self.additions.items() if stems in spans for other in others)
        fresh = [other for other in dict.fromkeys(found) if tuple(self.analyser.all_stems(other)) not in spans]
        return " ".join((text, *fresh))
