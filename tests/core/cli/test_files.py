"""What commands write for people: whole or not at all, and in place of nothing but a file."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from comis_core.cli.files import written
from comis_core.errors import ComisError


def write(file: Path, text: str = "new") -> None:
    with written(file) as out:
        out.write(text)


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    write(file)
    assert file.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write(file, "new, and half a character: \ud800")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_a_file_of_the_users_beside_it_is_not_touched(tmp_path: Path) -> None:
    beside = tmp_path / "out.jsonl.part"
    beside.write_text("mine")
    write(tmp_path / "out.jsonl")
    assert beside.read_text() == "mine"


def test_what_a_link_points_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    target.write_text("old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_link_to_nothing_makes_what_it_points_to(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "target.jsonl")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / "target.jsonl").read_text() == "new"


def test_a_link_to_itself_is_an_error(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(link)
    with pytest.raises(ComisError, match=r"link\.jsonl"):
        write(link)
    assert link.is_symlink()


def test_a_pipe_gets_the_text_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write(pipe)
    reader.join()
    assert heard == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device() -> None:
    before = os.stat(os.devnull).st_ino
    write(Path(os.devnull))
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.stat(os.devnull).st_ino == before


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComisError, match="is a folder"):
        write(tmp_path)
