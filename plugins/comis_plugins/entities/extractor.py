"""The extractor: names in memories, found while they are written."""

from __future__ import annotations

from collections.abc import Sequence

from comis_core.model import Annotation, Memory
from comis_core.protocols import BuildContext, ScopeView
from comis_plugins.entities.scanning import plain


def build(context: BuildContext) -> EntityExtractor:
    """The extractor; it keeps nothing."""
    return EntityExtractor()


class EntityExtractor:
    """Finds entities by how they are written, and known ones wherever they stand."""

    def extract(self, memories: Sequence[Memory], scope_view: ScopeView) -> Sequence[Sequence[Annotation]]:
        """Annotations of kind "entity", and "alias" for a misspelt name; at most `batch.MOST` names a memory.

        A batch is evidence for itself: a name that one memory shows is known in all of them.
        """
        from comis_plugins.entities.batch import annotated  # opening a file and asking needs none of it

        return annotated([plain(_text(memory)) for memory in memories], scope_view.entities)


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}" if memory.title else memory.content
