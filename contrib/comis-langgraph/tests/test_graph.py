"""A real graph reads and writes through the store."""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from comis_langgraph import ComisStore


class Chat(TypedDict):
    said: str
    known: list[str]


def remember(state: Chat, *, store: BaseStore) -> dict[str, list[str]]:
    known = [item.value["text"] for item in store.search(("users", "ana"), query=state["said"])]
    store.put(("users", "ana"), state["said"], {"text": state["said"]})
    return {"known": known}


def test_a_graph_remembers_between_two_conversations(store: ComisStore) -> None:
    builder = StateGraph(Chat)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store)
    first = graph.invoke({"said": "I moved to Lisbon in March", "known": []})
    second = graph.invoke({"said": "when did I move to Lisbon?", "known": []})
    assert first["known"] == []
    assert second["known"] == ["I moved to Lisbon in March"]
