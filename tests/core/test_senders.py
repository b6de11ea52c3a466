from __future__ import annotations

from collections.abc import Mapping

import pytest

from comis_core.senders import ASSISTANT, SYSTEM, TOOL, Roles


def machines(roles: Roles, *senders: str) -> Mapping[str, str]:
    """Those of a scope's senders that are machines -> what kind."""
    beside = roles.beside(senders)
    return {sender: kind for sender in senders if (kind := beside.machine(sender))}


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
    assert machines(Roles(), "user", "Bot", "tool") == {"Bot": ASSISTANT, "tool": TOOL}


@pytest.mark.parametrize(("other", "found"), [("user", ["agent"]), ("Customer", []), ("client", [])])
def test_an_agent_is_a_person_where_customers_are_served(other: str, found: list[str]) -> None:
    assert list(machines(Roles(), "agent", other)) == found


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
    assert machines(Roles(assistants=["agent"]), "agent", "customer") == {"agent": ASSISTANT}


def test_of_the_senders_of_a_scope_the_agents_own_are_known() -> None:
    assert machines(HOUSE, "Alfred", "Ana", "agent", "bot") == {"Alfred": ASSISTANT, "bot": ASSISTANT}


@pytest.mark.parametrize("role", ["assistant", "ai", "bot", "chatbot", "model", "llm"])
def test_beside_a_customer_every_other_machine_stays_one(role: str) -> None:
    assert machines(Roles(), role, "customer") == {role: ASSISTANT}
    assert machines(Roles(), "tool", "system", "customer") == {"tool": TOOL, "system": SYSTEM}


def test_an_assistant_that_is_also_among_the_people_is_an_assistant() -> None:
    both = Roles(assistants=["Alfred", "agent"], people=["alfred", "Agent"])
    assert (both.machine("Alfred"), both.machine("agent")) == (ASSISTANT, ASSISTANT)


def test_an_agent_asks_as_a_person_where_customers_speak() -> None:
    assert Roles().beside(["customer", "assistant"]).machine("agent") == ""


def test_roles_of_a_scope_without_customers_are_the_agents() -> None:
    assert Roles().beside(["agent", "customer"]).beside(["agent"]).machine("agent") == ASSISTANT


@pytest.mark.parametrize(
    ("sender", "relative"), [("agent", True), (" AGENT", True), ("bot", False), ("customer", False)]
)
def test_only_what_an_agent_is_follows_from_the_others(sender: str, relative: bool) -> None:
    assert Roles().is_relative(sender) is relative
    assert not Roles(people=["agent"]).is_relative(sender)
    assert not Roles(assistants=["Agent"]).is_relative(sender)


def test_the_others_of_a_scope_are_asked_for_only_where_something_follows_from_them() -> None:
    asked: list[str] = []

    def everyone() -> list[str]:
        asked.append("once")
        return ["agent", "customer"]

    assert Roles().among(["bot", "Ana"], everyone).machine("agent") == ASSISTANT
    assert not asked
    assert Roles().among(["Ana", "agent"], everyone).machine("agent") == ""


@pytest.mark.parametrize("given", [{"assistants": "Alfred"}, {"people": "agent"}])
def test_one_text_is_no_list_of_names(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"a list, not one text: \['(Alfred|agent)'\]"):
        Roles(**given)  # type: ignore[arg-type]
