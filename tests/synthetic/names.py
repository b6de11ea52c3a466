"""People and places of the made-up worlds; none of them is a word of the sentences."""

from __future__ import annotations

import random

PEOPLE = (
    "Adaeze", "Benoit", "Carmela", "Dmitri", "Elowen", "Farid", "Greta", "Hamza", "Ines", "Joakim", "Katya", "Lorenzo",
    "Mirela", "Nnamdi", "Oksana", "Priya", "Quentin", "Rosalind", "Sindre", "Tomasz", "Ursula", "Viktor", "Wanjiru",
    "Xenia", "Yusuf", "Zofia", "Anselm", "Brigid", "Cosmin", "Delphine", "Emeka", "Fiona", "Gustavo", "Halina", "Ivo",
    "Jasmin", "Kofi", "Ludmila", "Matteo", "Noor", "Otis", "Paloma", "Rashid", "Svetlana", "Thandi", "Umberto", "Vera",
    "Wilhelm",
)  # fmt: skip

PLACES = (
    "Aveiro", "Bergen", "Cork", "Dresden", "Evora", "Faro", "Ghent", "Haarlem", "Imatra", "Jerez", "Kaunas", "Leiden",
    "Mostar", "Nantes", "Oulu", "Plovdiv", "Rijeka", "Siena", "Tartu", "Uppsala", "Varna", "Wexford", "Ystad", "Zadar",
)  # fmt: skip


class Cast:
    """Hands out people and places, each once before any comes again."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._people: list[str] = []
        self._places: list[str] = []

    def person(self) -> str:
        """The next person."""
        if not self._people:
            self._people = self._chance.sample(PEOPLE, len(PEOPLE))
        return self._people.pop()

    def place(self) -> str:
        """The next place."""
        if not self._places:
            self._places = self._chance.sample(PLACES, len(PLACES))
        return self._places.pop()
