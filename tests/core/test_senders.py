from __future__ import annotations

import pytest

from comis_core.senders import ASSISTANT, SYSTEM, TOOL, is_named, machine, machines


@pytest.mark.parametrize("sender", ["user", " Assistant ", "SYSTEM", "tool", "customer"])
def test_a_role_is_nobodys_name(sender: str) -> None:
    assert not is_named(sender)


@pytest.mark.parametrize("sender", ["Ana", "user7", "the assistant of Ana"])
def test_whatever_is_no_role_is_a_name(sender: str) -> None:
    assert is_named(sender)


@pytest.mark.parametrize(
    ("sender", "kind"), [("Bot", ASSISTANT), (" ai ", ASSISTANT), ("function", TOOL), ("system", SYSTEM)]
)
def test_machines_are_known_by_their_role(sender: str, kind: str) -> None:
    assert machine(sender) == kind


@pytest.mark.parametrize("sender", ["user", "customer", "Ana", ""])
def test_people_are_no_machines(sender: str) -> None:
    assert machine(sender) == ""


def test_of_the_senders_of_a_scope_machines_are_known() -> None:
    assert machines(["user", "Bot", "tool"]) == {"Bot": ASSISTANT, "tool": TOOL}


@pytest.mark.parametrize(("other", "found"), [("user", ["agent"]), ("Customer", []), ("client", [])])
def test_an_agent_is_a_person_where_customers_are_served(other: str, found: list[str]) -> None:
    assert list(machines(["agent", other])) == found
