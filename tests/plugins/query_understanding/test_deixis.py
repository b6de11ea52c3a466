"""I and you in a question about a talk with an assistant."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from comis_core.senders import Roles
from comis_plugins.query_understanding.deixis import meant as meant_with

CHAT = ("assistant", "user")
ALFRED = Roles(assistants=["Alfred"])


def meant(text: str, senders: Collection[str], asker: str | None) -> tuple[str, ...]:
    """Where the agent says nothing of its senders."""
    return meant_with(text, senders, asker, Roles().beside(senders))


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend for the garden?",
        "Which stretch had you told me to do?",
        "What was the ratio you've suggested?",
        "How long did you say it takes?",
        "What was your advice about the loan?",
        "Which museum were you suggesting?",
        "Remind me of the three books that you first listed.",
        "Can you repeat what you said about moss?",
        "What  have you  already told me of Porto?",
        "What was your trick for people who ramble?",
    ],
)
def test_what_you_said_is_the_assistants(text: str) -> None:
    assert meant(text, CHAT, None) == ("assistant",)


@pytest.mark.parametrize(
    "text",
    [
        "Where do I keep my key?",
        "Can you tell me where I keep my key?",
        "Do you remember what my sister is called?",
        "Did you notice when I moved?",
        "Do you need to know what we paid?",
        "What have I told you about my knee?",
        "Can you read me my list of allergies?",
        "Could you put together everything I told you about the roof?",
        "Can you bring up what I paid for the roof?",
        "What did I say when you asked about my diet?",
        "Which book did I mention that you liked?",
        "Thank you indeed. Where do I keep my key?",
        "Have you got my address?",
    ],
)
def test_what_is_mine_was_said_by_the_user(text: str) -> None:
    assert meant(text, CHAT, None) == ("user",)


@pytest.mark.parametrize(
    "text",
    [
        "How much flour does the bread take?",
        "How do I keep paint from creeping under the tape?",
        "What can I say then?",
    ],
)
def test_a_question_without_i_and_you_or_for_advice_is_about_nobody(text: str) -> None:
    assert meant(text, CHAT, None) == ()


def test_an_assistant_is_meant_under_all_its_roles() -> None:
    assert meant("What did you say?", ("AI", "assistant", "user"), None) == ("AI", "assistant")


def test_an_agent_beside_a_customer_is_no_assistant() -> None:
    assert meant("What did you say?", ("agent", "customer"), None) == ()


def test_without_an_assistant_nobody_is_meant() -> None:
    assert meant("Where do I live?", ("Ana", "Ben"), "Ana") == ()


@pytest.mark.parametrize("asker", ["ana", " Ana\n", "Aná"])
def test_the_asker_is_meant_in_every_spelling(asker: str) -> None:
    assert meant("Where do I live?", ("ANA", "Ana ", "Ben", "assistant"), asker) == ("ANA", "Ana ")


def test_somebody_else_than_the_one_who_speaks_is_not_meant() -> None:
    assert meant("Where do I live?", ("Ana", "assistant"), "Ben") == ()


def test_an_asker_with_a_name_is_the_user_who_has_none() -> None:
    assert meant("Where do I live?", CHAT, "Ben") == ("user",)


def test_among_several_people_an_unknown_asker_is_nobody() -> None:
    assert meant("Where do I live?", ("Ana", "Ben", "assistant"), None) == ()


def test_tools_are_nobody_to_talk_with() -> None:
    assert meant("What did you recommend?", ("tool", "user"), None) == ()


def test_an_assistant_that_asks_means_nobody() -> None:
    assert meant("What did you tell me?", CHAT, "assistant") == ()


def test_an_assistant_with_a_name_is_you() -> None:
    assert meant_with("What did you recommend?", ("Alfred", "Ana"), "Ana", ALFRED) == ("Alfred",)


@pytest.mark.parametrize("asker", ["Ana", None])
def test_who_speaks_with_an_assistant_that_has_a_name_is_i(asker: str | None) -> None:
    assert meant_with("Where do I live?", ("Alfred", "Ana"), asker, ALFRED) == ("Ana",)


def test_an_assistant_with_a_name_that_asks_means_nobody() -> None:
    assert meant_with("What did you tell me?", ("Alfred", "Ana"), " ALFRED", ALFRED) == ()


def test_a_role_that_is_a_person_is_nobody_to_call_you() -> None:
    assert meant_with("What did you say?", ("agent", "user"), None, Roles(people=["Agent"])) == ()
