"""What a batch of memories says of names: how each is written, what is known, and what counts as a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from comis_core.model import Annotation
from comis_core.text import fold_name
from comis_plugins.entities.alike import alike
from comis_plugins.entities.known import mentioned
from comis_plugins.entities.marks import marked
from comis_plugins.entities.scanning import word_runs
from comis_plugins.entities.spans import Mention, is_a_plain_word, spans

MOST = 256
"""Names of one memory; what comes later in the text is left out."""
_LONGEST = 100
"""Characters of a name."""


def annotated(texts: Sequence[str], known: Mapping[str, str]) -> Sequence[Sequence[Annotation]]:
    """What to say of each memory of a batch. texts: with plain apostrophes and spaces; known: the scope's names."""
    found = [[*marked(text), *spans(text)] for text in texts]
    batch = Batch.of(texts, found, known)
    return [batch.annotations(text, mentions) for text, mentions in zip(texts, found, strict=True)]


@attrs.frozen(eq=False, repr=False)
class Batch:
    """What the memories of a batch and the scope know of names. All names are folded.

    known: the scope's. sure: those that the batch shows beyond doubt. small: words that it writes in small letters too.
    """

    known: Mapping[str, str]
    sure: frozenset[str]
    small: frozenset[str]

    @classmethod
    def of(cls, texts: Sequence[str], found: Sequence[Sequence[Mention]], known: Mapping[str, str]) -> Batch:
        """The evidence of a batch."""
        sure = frozenset(mention.key for mentions in found for mention in mentions if mention.sure)
        doubtful = frozenset(mention.key for mentions in found for mention in mentions if not mention.sure) - sure
        small = (word for text in texts for word in _small(text, doubtful)) if doubtful else ()
        return cls(known, sure, frozenset(small))

    def annotations(self, text: str, mentions: Sequence[Mention]) -> list[Annotation]:
        """What to say of one memory."""
        written = [(mention.key, mention.name) for mention in mentions if self._stands(mention)]
        names: dict[str, str] = {}
        for key, name in (*written, *mentioned(text, self._knows)):
            names.setdefault(key, name)
        kept = [key for key in names if len(key) <= _LONGEST][:MOST]
        said = [Annotation(kind="entity", name=names[key], origin="extractor") for key in kept]
        return said + [
            Annotation(kind="alias", name=names[key], value=other, origin="extractor")
            for key, other in self._misspelt(kept)
        ]

    def _stands(self, mention: Mention) -> bool:
        if mention.sure or self._knows(mention.key):
            return True
        return mention.key not in self.small and not is_a_plain_word(mention.key)

    def _knows(self, key: str) -> bool:
        return key in self.sure or key in self.known

    def _misspelt(self, keys: Iterable[str]) -> Iterable[tuple[str, str]]:
        for key in keys:
            if key not in self.known:
                other = alike(key, self.known.__contains__)
                if other is not None:
                    yield key, other


_SMALL = re.compile(r"(?<![^\W_])[^\W\d_A-Z]\w*")
"""Words that do not begin with an ASCII capital."""


def _small(text: str, wanted: frozenset[str]) -> frozenset[str]:
    """Those of some folded words that a text writes in small letters."""
    if text.isascii() and "_" not in text:
        # What `_SMALL` finds there, but for words that begin with a capital or a digit and so are no folded names.
        return wanted.intersection(word_runs(text))
    found = _SMALL.findall(text)
    return wanted.intersection([word if word.isascii() else fold_name(word) for word in found])
