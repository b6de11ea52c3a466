"""BERT's forward pass in numpy, in float64: what a runtime's vectors and scores are compared with.

Devlin et al. 2019 (post-norm encoder, GELU), with the tensors named as in GGUF files. Token types are all 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def hidden_states(weights: Mapping[str, NDArray[np.float32]], tokens: Sequence[int], heads: int) -> Array:
    """float64[len(tokens), d]: the last layer's output."""
    weight = {name: np.asarray(value, np.float64) for name, value in weights.items()}
    state = weight["token_embd.weight"][list(tokens)] + weight["position_embd.weight"][: len(tokens)]
    state = _norm(state + weight["token_types.weight"][0], weight, "token_embd_norm")
    layers = 1 + max(int(name.split(".")[1]) for name in weight if name.startswith("blk."))
    for layer in range(layers):
        at = f"blk.{layer}."
        attended = _linear(_attend(state, weight, at, heads), weight, f"{at}attn_output")
        state = _norm(state + attended, weight, f"{at}attn_output_norm")
        inner = _gelu(_linear(state, weight, f"{at}ffn_up"))
        state = _norm(state + _linear(inner, weight, f"{at}ffn_down"), weight, f"{at}layer_output_norm")
    return state


def embedding(weights: Mapping[str, NDArray[np.float32]], tokens: Sequence[int], heads: int, pooling: str) -> Array:
    """float64[d] of unit length. pooling: mean, cls or last."""
    states = hidden_states(weights, tokens, heads)
    pooled: Array = {"mean": states.mean(axis=0), "cls": states[0], "last": states[-1]}[pooling]
    unit: Array = pooled / np.linalg.norm(pooled)
    return unit


def relevance(weights: Mapping[str, NDArray[np.float32]], tokens: Sequence[int], heads: int) -> float:
    """The cross-encoder's only score: a dense layer with tanh and a projection on the first token's state."""
    first = hidden_states(weights, tokens, heads)[:1]
    weight = {name: np.asarray(value, np.float64) for name, value in weights.items()}
    return float(_linear(np.tanh(_linear(first, weight, "cls")), weight, "cls.output")[0, 0])


def _attend(state: Array, weight: Mapping[str, Array], at: str, heads: int) -> Array:
    def split(name: str) -> Array:
        projected = _linear(state, weight, f"{at}{name}")
        return projected.reshape(len(state), heads, -1).transpose(1, 0, 2)

    query, key, value = split("attn_q"), split("attn_k"), split("attn_v")
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed: Array = (shares @ value).transpose(1, 0, 2).reshape(state.shape)
    return mixed


def _linear(state: Array, weight: Mapping[str, Array], name: str) -> Array:
    result: Array = state @ weight[f"{name}.weight"].T + weight[f"{name}.bias"]
    return result


def _norm(state: Array, weight: Mapping[str, Array], name: str, epsilon: float = 1e-12) -> Array:
    centred = state - state.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    result: Array = scaled * weight[f"{name}.weight"] + weight[f"{name}.bias"]
    return result


def _gelu(state: Array) -> Array:
    # math.erf, since numpy has none; the arrays of a test are small.
    error: Array = np.vectorize(math.erf)(state / math.sqrt(2.0))
    return 0.5 * state * (1.0 + error)
