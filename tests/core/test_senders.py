from __future__ import annotations

import pytest

from comis_core.senders import ASSISTANT, SYSTEM, TOOL, Roles

HOUSE = Roles(assistants=["Alfred", " the  Böt ", "support"], people=["Agent", "AI"])


@pytest.mark.parametrize("sender", ["user", " Assistant ", "SYSTEM", "tool", "customer"])
def test_a_role_is_nobodys_name(sender: str) -> None:
    assert not Roles().is_named(sender)


@pytest.mark.parametrize("sender", ["Ana", "user7", "the assistant of Ana"])
def test_whatever_is_no_role_is_a_name(sender: str) -> None:
    assert Roles().is_named(sender)


@pytest.mark.parametrize(
    ("sender", "kind"), [("Bot", ASSISTANT), (" ai ", ASSISTANT), ("function", TOOL), ("system", SYSTEM)]
)
def test_machines_are_known_by_their_role(sender: str, kind: str) -> None:
    assert Roles().machine(sender) == kind


@pytest.mark.parametrize("sender", ["user", "customer", "Ana", ""])
def test_people_are_no_machines(sender: str) -> None:
    assert Roles().machine(sender) == ""


def test_of_the_senders_of_a_scope_machines_are_known() -> None:
    assert Roles().machines(["user", "Bot", "tool"]) == {"Bot": ASSISTANT, "tool": TOOL}


@pytest.mark.parametrize(("other", "found"), [("user", ["agent"]), ("Customer", []), ("client", [])])
def test_an_agent_is_a_person_where_customers_are_served(other: str, found: list[str]) -> None:
    assert list(Roles().machines(["agent", other])) == found


@pytest.mark.parametrize("sender", ["Alfred", "ALFRED\n", "Álfred", "The bot", "support", "assistant"])
def test_assistants_of_the_agent_are_machines_in_every_spelling(sender: str) -> None:
    assert HOUSE.machine(sender) == ASSISTANT
    assert not HOUSE.is_person(sender)


def test_an_assistant_with_a_name_is_named() -> None:
    assert HOUSE.is_named("Alfred")


def test_a_role_that_an_assistant_speaks_under_is_no_name() -> None:
    assert not HOUSE.is_named("support")


@pytest.mark.parametrize("sender", ["agent", "AGENT ", "Ai"])
def test_people_of_the_agent_have_names_that_are_roles_elsewhere(sender: str) -> None:
    assert HOUSE.machine(sender) == ""
    assert HOUSE.is_person(sender)


@pytest.mark.parametrize("sender", ["user", "Ana", "tool", "Alfredo"])
def test_what_the_agent_says_nothing_of_is_as_elsewhere(sender: str) -> None:
    assert (HOUSE.is_named(sender), HOUSE.machine(sender)) == (Roles().is_named(sender), Roles().machine(sender))


def test_an_agent_that_is_an_assistant_stays_one_beside_a_customer() -> None:
    assert Roles(assistants=["agent"]).machines(["agent", "customer"]) == {"agent": ASSISTANT}


def test_of_the_senders_of_a_scope_the_agents_own_are_known() -> None:
    assert HOUSE.machines(["Alfred", "Ana", "agent", "bot"]) == {"Alfred": ASSISTANT, "bot": ASSISTANT}
