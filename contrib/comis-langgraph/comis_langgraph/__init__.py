"""LangGraph's long-term store on comis-core.

with comis_core.open("memory.db", preset="tuned") as engine:
    store = ComisStore(engine.agent("helper"))
    graph = builder.compile(store=store)
"""

from comis_langgraph.store import ComisStore

__all__ = ["ComisStore"]
