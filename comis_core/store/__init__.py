"""The store: one SQLite file that holds what is remembered, and everything that derives from it."""

from comis_core.store.facade import Store

__all__ = ["Store"]
