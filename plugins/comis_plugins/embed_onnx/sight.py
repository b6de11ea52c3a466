"""The word pieces of a tokenizer as `comis_core.text.sight` wants them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from comis_core.text.sight import Sight

BYTE = re.compile(r"<0x[0-9A-F]{2}>")


def sight_of(tokenizer: Any) -> Sight:
    """How much of a text a model sees, judged by its tokenizer (of the library tokenizers)."""
    unknown = next((token for token in ("[UNK]", "<unk>") if tokenizer.token_to_id(token) is not None), None)

    def pieces(text: str) -> Sequence[str | None]:
        tokens: list[str] = tokenizer.encode(text, add_special_tokens=False).tokens
        return [None if token == unknown or BYTE.fullmatch(token) else token for token in tokens]

    return Sight(pieces, tokenizer.get_vocab_size())
