"""What of the agents' pipelines can be told from the configuration alone, by the rules that compile them."""

from __future__ import annotations

from collections.abc import Iterator

from comis_core.config import Config
from comis_core.engine.diagnosis import Problem
from comis_core.errors import ComisError
from comis_core.host import Registry, check_agent

AREA = "config"


def pipeline_problems(registry: Registry, settings: Config) -> list[Problem]:
    """What keeps an agent's recalls from being answered, and minor problems for what they would note each time.

    No part is built, since some open files and others download them.
    """
    return list(dict.fromkeys(_problems(registry, settings)))


def _problems(registry: Registry, settings: Config) -> Iterator[Problem]:
    for agent in (*settings.agents, "default"):
        try:
            for note in check_agent(registry, settings, agent):
                yield Problem(area=AREA, what=note, minor=True)
        except ComisError as error:
            yield Problem(area=AREA, what=error.message, remedy=error.hint)
