"""The numbers under which scopes' rows are filed."""

from __future__ import annotations

from comis_core.errors import ArgumentError, shown
from comis_core.model import Scope
from comis_core.protocols import Transaction
from comis_core.store.transaction import Execute

UNKNOWN = 0
"""Number of a scope that was never stored to: no row has it."""


LONGEST_NAME = 255
"""Characters of the name of a new tenant or agent; files that have longer ones stay readable and writable."""


class Scopes:
    """Scope -> number; numbers never change, so they are kept once found."""

    def __init__(self) -> None:
        self._numbers: dict[Scope, int] = {}

    def number(self, execute: Execute, scope: Scope) -> int:
        """The scope's number, or UNKNOWN."""
        number = self._numbers.get(scope, UNKNOWN)
        if not number:
            sql = "SELECT scope FROM scopes WHERE tenant = ? AND agent = ?"
            for (number,) in execute(sql, (scope.tenant, scope.agent)):
                self._numbers[scope] = number
        return number

    def ensure(self, transaction: Transaction, scope: Scope) -> int:
        """The scope's number; made if there is none. A new one is not kept: the transaction may be rolled back."""
        number = self._numbers.get(scope, UNKNOWN)
        if number or (number := self._number_in(transaction, scope)):
            return number
        _check_new(scope)
        transaction.execute(
            "INSERT INTO scopes(tenant, agent) VALUES (?, ?) ON CONFLICT DO NOTHING", (scope.tenant, scope.agent)
        )
        return self._number_in(transaction, scope)

    def _number_in(self, transaction: Transaction, scope: Scope) -> int:
        sql = "SELECT scope FROM scopes WHERE tenant = ? AND agent = ?"
        return next((int(number) for (number,) in transaction.execute(sql, (scope.tenant, scope.agent))), UNKNOWN)

    def all(self, transaction: Transaction) -> list[Scope]:
        """Every scope, by tenant and agent."""
        rows = transaction.execute("SELECT tenant, agent FROM scopes ORDER BY tenant, agent")
        return [Scope(tenant, agent) for tenant, agent in rows]


def _check_new(scope: Scope) -> None:
    for what, name in (("tenant", scope.tenant), ("agent", scope.agent)):
        if "\0" in name:
            raise ArgumentError(f"the name of a new {what} must not hold a NUL: {shown(name)}")
        if len(name) > LONGEST_NAME:
            raise ArgumentError(
                f"the name of a new {what} has {len(name)} characters, and at most {LONGEST_NAME} are allowed: "
                f"{shown(name)}"
            )
