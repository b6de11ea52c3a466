"""Downloads over real HTTP on loopback: resumed, checked, over https only, and never half done under the right name."""

from __future__ import annotations

import hashlib
import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.http_files import STORAGE, FileServer, file_server

from comis_core.errors import ComisError
from comis_core.gguf.download import fetch

PATH = "/owner/model-GGUF/resolve/main/model.gguf"
CONTENT = b"GGUF" + bytes(range(256)) * 4000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with file_server() as served:
        yield served


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "owner" / "model.gguf"


def part_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def test_a_file_arrives_whole_with_its_progress(server: FileServer, target: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    assert fetch(server.hub(PATH, CONTENT), target, progress=lambda *state: seen.append(state)) == target
    assert target.read_bytes() == CONTENT
    assert not part_of(target).exists()
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_file_that_is_there_is_left_alone(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    target.write_bytes(b"mine")
    fetch(server.hub(PATH, CONTENT), target)
    assert target.read_bytes() == b"mine"
    assert server.requests == []


def test_a_broken_line_is_taken_up_where_it_broke(server: FileServer, target: Path) -> None:
    server.break_after = [1000, 500_000]
    fetch(server.hub(PATH, CONTENT), target)
    assert target.read_bytes() == CONTENT
    assert [asked for path, asked in server.requests if path.startswith(STORAGE)] == [
        None,
        "bytes=1000-",
        "bytes=501000-",
    ]


def test_an_unfinished_part_of_an_earlier_run_is_finished(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    part_of(target).write_bytes(CONTENT[:700_000])
    fetch(server.hub(PATH, CONTENT), target)
    assert target.read_bytes() == CONTENT
    assert server.requests[-1] == (STORAGE + PATH, "bytes=700000-")


def test_a_part_that_is_complete_already_only_gets_its_name(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    part_of(target).write_bytes(CONTENT)
    fetch(server.hub(PATH, CONTENT), target)
    assert target.read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_begun_anew(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    part_of(target).write_bytes(CONTENT + b"more")
    fetch(server.plain(PATH, CONTENT), target)
    assert target.read_bytes() == CONTENT


def test_a_server_that_knows_no_ranges_sends_everything_again(server: FileServer, target: Path) -> None:
    server.ranges = False
    target.parent.mkdir(parents=True)
    part_of(target).write_bytes(b"GGUF of another release")
    fetch(server.plain(PATH, CONTENT), target)
    assert target.read_bytes() == CONTENT


def test_a_file_of_unknown_length_ends_where_the_answer_ends(server: FileServer, target: Path) -> None:
    server.sized = False
    seen: list[int | None] = []
    fetch(server.plain(PATH, CONTENT), target, progress=lambda done, total: seen.append(total))
    assert target.read_bytes() == CONTENT
    assert set(seen) == {None}


def test_a_part_of_another_file_is_found_out_by_the_stated_digest_and_removed(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    part_of(target).write_bytes(b"GGUF" + b"\0" * 1000)
    address = server.hub(PATH, CONTENT)
    with pytest.raises(ComisError, match="SHA-256"):
        fetch(address, target)
    assert not target.exists()
    assert not part_of(target).exists()
    assert fetch(address, target).read_bytes() == CONTENT


@pytest.mark.parametrize("digest", [hashlib.sha256(CONTENT).hexdigest(), hashlib.sha256(CONTENT).hexdigest().upper()])
def test_a_known_digest_is_checked(server: FileServer, target: Path, digest: str) -> None:
    assert fetch(server.plain(PATH, CONTENT), target, sha256=digest).is_file()


def test_a_known_digest_wins_over_what_the_server_states(server: FileServer, target: Path) -> None:
    with pytest.raises(ComisError, match="instead of 00000"):
        fetch(server.hub(PATH, CONTENT), target, sha256="0" * 64)
    assert not target.exists()


def test_a_page_instead_of_a_model_is_refused(server: FileServer, target: Path) -> None:
    with pytest.raises(ComisError, match="no GGUF file"):
        fetch(server.plain(PATH, b"<html>Please log in</html>"), target)
    assert not part_of(target).exists()


@pytest.mark.parametrize(
    ("status", "words"), [(401, "asks for a login"), (403, "refuses"), (404, "no such file"), (500, "answers 500")]
)
def test_what_the_server_answers_is_told(server: FileServer, target: Path, status: int, words: str) -> None:
    server.refuse[PATH] = status
    with pytest.raises(ComisError, match=words):
        fetch(f"{server.address}{PATH}", target)
    assert not target.exists()


def test_a_line_that_brings_nothing_any_more_keeps_the_part(server: FileServer, target: Path) -> None:
    server.break_after = [1000, 0]
    with pytest.raises(ComisError, match="cannot be reached") as caught:
        fetch(server.hub(PATH, CONTENT), target)
    assert "goes on where it stopped" in caught.value.hint
    assert part_of(target).read_bytes() == CONTENT[:1000]


def test_a_server_that_is_not_there_is_named(target: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nothing answers here
        port = taken.getsockname()[1]
        with pytest.raises(ComisError, match=f"127.0.0.1:{port} cannot be reached"):
            fetch(f"http://127.0.0.1:{port}{PATH}", target)
    assert not target.exists()


@pytest.mark.parametrize(
    "address", ["http://example.org/model.gguf", "ftp://example.org/model.gguf", "file:///etc/passwd", "model.gguf"]
)
def test_models_come_over_https_only(address: str, target: Path) -> None:
    with pytest.raises(ComisError, match="https only"):
        fetch(address, target)


@pytest.mark.parametrize("location", ["http://example.org/model.gguf", "file:///etc/passwd"])
def test_a_redirect_away_from_https_is_not_followed(server: FileServer, target: Path, location: str) -> None:
    server.redirects[PATH] = location
    with pytest.raises(ComisError, match=r"https only|not allowed"):
        fetch(f"{server.address}{PATH}", target)


def test_a_second_process_at_the_same_file_is_told_to_wait(server: FileServer, target: Path) -> None:
    fcntl = pytest.importorskip("fcntl", reason="this system has no advisory locks")
    target.parent.mkdir(parents=True)
    with part_of(target).open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ComisError, match=r"another process is fetching .*model\.gguf"):
            fetch(server.hub(PATH, CONTENT), target)


def test_a_folder_that_cannot_be_made_is_named(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(ComisError, match="cannot be written"):
        fetch(server.hub(PATH, CONTENT), tmp_path / "models" / "model.gguf")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_told_apart_from_a_lost_line(server: FileServer, target: Path) -> None:
    target.parent.mkdir(parents=True)
    part_of(target).symlink_to("/dev/full")
    with pytest.raises(ComisError, match="cannot be written: No space left"):
        fetch(server.hub(PATH, CONTENT), target)
    assert not target.exists()


def test_an_answer_that_is_no_http_is_a_lost_line(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        listening.settimeout(10)

        def answer() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(1000)
                line.sendall(b"nonsense\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ComisError, match="cannot be reached") as caught:
            fetch(f"http://127.0.0.1:{port}{PATH}", target)
        thread.join()
    assert isinstance(caught.value.__cause__, http.client.HTTPException | OSError)
