"""The presets: plain data, and the two that the documents name."""

from __future__ import annotations

import json

from comis_core.specs import Preset
from comis_plugins.presets import comis_presets
from comis_plugins.presets.tuned import TUNED

PRESETS = {preset.name: preset for preset in comis_presets()}


def test_there_are_the_two_that_the_documents_name() -> None:
    assert sorted(PRESETS) == ["comis", "tuned"]
    assert all(isinstance(preset, Preset) and preset.help for preset in PRESETS.values())


def test_comis_adds_nothing_to_the_documented_defaults() -> None:
    assert dict(PRESETS["comis"].agent) == {}
    assert dict(PRESETS["comis"].engine) == {}


def test_tuned_adds_claims_instead_of_ranks() -> None:
    assert TUNED["rag"]["fusion"] == {"method": "score"}


def test_tuned_leaves_frozen_keys_alone() -> None:
    words = json.dumps(dict(TUNED))
    assert "trustAlpha" not in words
    assert "includeTrustLevels" not in words


def test_a_preset_is_data_that_a_file_could_hold() -> None:
    assert json.loads(json.dumps(dict(TUNED))) == dict(TUNED)
