from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.config import read
from comis_core.config.nodes import MappingNode, ScalarNode
from comis_core.config.yaml_text import MAX_BYTES, parse
from comis_core.errors import ConfigError


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "config.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def refusal(source: Any, **named: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        read(source, environ={}, **named)
    return str(caught.value)


def test_every_value_knows_its_line_and_column(tmp_path: Path) -> None:
    file = write(tmp_path, "memory:\n  recall:\n    rerankerThreads: 4\nplugins: { enable: [one, two] }\n")
    raw = read(file)
    assert raw.where("memory", "recall", "rerankerThreads") == f"{file}:3:22"
    assert raw.where("plugins", "enable", 1) == f"{file}:4:26"
    assert raw.where("plugins", "disable") == str(file)


def test_a_file_is_found_where_the_caller_says(tmp_path: Path) -> None:
    file = write(tmp_path, "plugins: { strict: true }")
    elsewhere = {"COMIS_CONFIG": "/nowhere/config.yaml"}
    assert read(file, environ=elsewhere).plugins.strict
    assert read(str(file), environ=elsewhere).folder == tmp_path


def test_else_where_the_environment_says(tmp_path: Path) -> None:
    file = write(tmp_path, "plugins: { strict: true }")
    assert read(None, environ={"COMIS_CONFIG": str(file), "HOME": "/nowhere"}).plugins.strict


def test_else_in_the_home(tmp_path: Path) -> None:
    folder = tmp_path / ".comis"
    folder.mkdir()
    write(folder, "plugins: { strict: true }")
    raw = read(None, environ={"HOME": str(tmp_path), "COMIS_CONFIG": ""})
    assert raw.plugins.strict
    assert raw.file == folder / "config.yaml"


def test_no_file_in_the_home_is_an_empty_config(tmp_path: Path) -> None:
    raw = read(None, environ={"HOME": str(tmp_path)})
    assert dict(raw.root.entries) == {}
    assert raw.folder == tmp_path / ".comis"


def test_a_home_sign_in_a_given_path_is_followed(tmp_path: Path) -> None:
    file = write(tmp_path, "plugins: { strict: true }")
    assert read("~/config.yaml", environ={"HOME": str(tmp_path)}).file == file


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    assert f"no config file {tmp_path}/missing.yaml" in refusal(tmp_path / "missing.yaml")


def test_a_missing_file_of_the_environment_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.yaml \(from \$COMIS_CONFIG\)"):
        read(None, environ={"COMIS_CONFIG": str(tmp_path / "missing.yaml")})


def test_a_folder_is_no_config(tmp_path: Path) -> None:
    assert "cannot read the config" in refusal(tmp_path)


@pytest.mark.parametrize("data", [b"", b"\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path: Path, data: bytes) -> None:
    assert "the file is empty" in refusal(write(tmp_path, data))


@pytest.mark.parametrize("text", ["# nothing but a comment\n", "---\n...\n", "{}"])
def test_a_file_without_keys_is_an_empty_config(tmp_path: Path, text: str) -> None:
    assert dict(read(write(tmp_path, text)).root.entries) == {}


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    assert list(read(write(tmp_path, b"\xef\xbb\xbfmemory: {}")).root.entries) == ["memory"]


def test_other_encodings_are_refused_with_their_line(tmp_path: Path) -> None:
    file = write(tmp_path, "memory:\n  # Gr\u00fc\u00dfe\n".encode("latin-1"))
    assert refusal(file).startswith(f"{file}:2: not UTF-8 (byte 0xfc)")


def test_a_file_too_large_to_be_a_config_is_refused(tmp_path: Path) -> None:
    assert "too many for a config" in refusal(write(tmp_path, "#" * (MAX_BYTES + 1)))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("memory:\n\tdbPath: x\n", "2:1", "a tab where YAML wants spaces"),
        ("memory: {a: 1\n", "2:1", "not YAML"),
        ("memory: 'x\n", "2:1", "not YAML"),
        ("memory:\n  dbPath: a: b\n", "2:12", "check the indentation"),
        ("memory:\n  a: @x\n", "2:6", "not YAML"),
        ("memory:\n  a: \x07\n", "2:6", "U+0007 is not allowed"),
        ("- memory\n- agents\n", "1:1", "made of keys (memory:, agents:, plugins:), not a list"),
        ("memory\n", "1:1", 'not the text "memory"'),
        ("memory: {}\n---\nagents: {}\n", "3:1", "a second document begins here"),
        ("memory: !!python/object/apply:os.system [ls]\n", "1:9", "the tag !!python/object/apply:os.system"),
        ("memory: !!str x\n", "1:9", "the tag !!str is not allowed"),
        ("memory: &a { b: *a }\n", "1:17", "*a stands inside its own anchor"),
        ("memory: *nobody\n", "1:9", "no anchor &nobody stands above"),
        (f"memory: {'[' * 60}{']' * 60}\n", "1:41", "nested more than 32 levels deep"),
    ],
)
def test_what_is_no_config_is_refused_at_its_place(tmp_path: Path, text: str, place: str, words: str) -> None:
    message = refusal(write(tmp_path, text))
    assert f"config.yaml:{place}: " in message
    assert words in message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1: x", "YAML reads the key `1` as a number"),
        ("no: x", "YAML reads the key `no` as a truth value"),
        ("2024-01-01: x", "YAML reads the key `2024-01-01` as a date"),
        ("~: x", "YAML reads the key `~` as nothing"),
        ("[a, b]: x", "a key must be text, not a list"),
        ("<<: {a: 1}", "merge keys (<<) are no part of a config"),
    ],
)
def test_a_key_that_is_no_text_is_refused(tmp_path: Path, line: str, words: str) -> None:
    message = refusal(write(tmp_path, f"agents:\n  {line}\n"))
    assert "config.yaml:2:3: agents: " in message
    assert words in message


def test_every_duplicate_key_is_named_with_both_lines(tmp_path: Path) -> None:
    text = "memory:\n  dbPath: a\n  dbPath: b\nagents:\n  helper: {}\n  helper: {}\n"
    message = refusal(write(tmp_path, text))
    assert "config.yaml:3:3: memory.dbPath: given twice; it stands in line 2 already" in message
    assert "config.yaml:6:3: agents.helper: given twice; it stands in line 5 already" in message


def test_aliases_repeat_what_their_anchor_holds(tmp_path: Path) -> None:
    raw = read(write(tmp_path, "agents:\n  one: &same { preset: comis }\n  two: *same\n"))
    assert raw.preset_of("two") == "comis"


def test_aliases_of_aliases_cannot_grow_without_bound(tmp_path: Path) -> None:
    levels = [f"  l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 10)}]" for level in range(1, 12)]
    message = refusal(write(tmp_path, "\n".join(["memory:", "  l0: &l0 [1, 1]", *levels])))
    assert "more than 50,000 values" in message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-0", 0),
        ("+5", 5),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1.5e+3", 1500.0),
        ("yes", True),
        ("Off", False),
        ("true", True),
        ("null", None),
        ("~", None),
        ("", None),
        ("'yes'", "yes"),
        ('"5"', "5"),
        ("text", "text"),
        ("a:b", "a:b"),
        ("1e3", "1e3"),
    ],
)
def test_plain_values_are_read_as_yaml_means_them(text: str, value: object) -> None:
    root = parse(f"key: {text}", "config.yaml")
    assert root is not None
    node = root.entries["key"].node
    assert isinstance(node, ScalarNode)
    assert (node.value, type(node.value), node.odd) == (value, type(value), "")


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("010", "an octal number"),
        ("0x1F", "a hexadecimal or binary number"),
        ("0b101", "a hexadecimal or binary number"),
        ("1_000", "a number with separators"),
        ("1:30", "a number to base 60"),
        ("1:30.5", "a number to base 60"),
        (".inf", "no finite number"),
        ("-.INF", "no finite number"),
        (".NaN", "no finite number"),
        ("1.0e+999", "no finite number"),
        ("9" * 5000, "a number too long to hold"),
        ("2024-02-29", "a date"),
        ("2024-02-29 10:00:00", "a date"),
        ("=", "a sign of its own"),
    ],
)
def test_values_that_yaml_reads_otherwise_than_they_look_are_marked(text: str, odd: str) -> None:
    root = parse(f"key: {text}", "config.yaml")
    assert root is not None
    node = root.entries["key"].node
    assert isinstance(node, ScalarNode)
    assert (node.value, node.odd) == (text, odd)


@given(st.text(alphabet=st.sampled_from("ab:-[]{}#&*!|>'\"%@`,? \n\t\u00e9\u0000"), max_size=40))
def test_any_text_is_a_mapping_or_a_config_error(text: str) -> None:
    with contextlib.suppress(ConfigError):
        root = parse(text, "config.yaml")
        assert root is None or isinstance(root, MappingNode)


def test_a_mapping_from_python_is_a_config_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    raw = read({"plugins": {"enable": ("one",)}, "memory": {"dbPath": Path("memory.db")}})
    assert raw.plugins.enable == ("one",)
    assert (raw.file, raw.folder, raw.where("memory")) == (None, tmp_path, "<python>")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"memory": {"dbPath": object()}}, "<python>: memory.dbPath: a object is no plain data"),
        ({"memory": {"recall": {1: 2}}}, "<python>: memory.recall: the key 1 is not text"),
        ({"agents": {"a": {"rag": {"includeTrustLevels": {"system"}}}}}, "a set is no plain data"),
    ],
)
def test_what_is_no_plain_data_is_refused(data: dict[str, Any], words: str) -> None:
    assert words in refusal(data)


def test_a_mapping_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["memory"] = loop
    assert "nested more than 32 levels deep" in refusal(loop)


def test_presets_are_named_once_and_in_order() -> None:
    raw = read({"agents": {"a": {"preset": "two"}, "b": {"preset": "one"}, "c": {"preset": "two"}, "d": None}})
    assert raw.presets_named == ("two", "one")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"plugins": None},
        {"plugins": "all"},
        {"plugins": {"enable": "fts", "strict": "yes", "disable": [1]}},
        {"agents": ["a"]},
        {"agents": {"a": {"preset": 5}}},
    ],
)
def test_what_is_wrong_can_still_be_asked_for_plugins_and_presets(data: dict[str, Any]) -> None:
    raw = read(data)
    assert (raw.plugins.enable, raw.plugins.disable, raw.plugins.strict, raw.presets_named) == ((), (), False, ())
