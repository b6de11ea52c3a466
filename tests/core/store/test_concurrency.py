from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from comis_core.clock import ManualClock, SystemClock
from comis_core.errors import StoreError
from comis_core.model import Filters, NewMemory, Scope
from comis_core.store import Store

Add = Callable[..., str]


def process(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process whose standard streams are ours."""
    head = (
        "import sys; from pathlib import Path\n"
        "from comis_core.clock import SystemClock; from comis_core.model import Filters, NewMemory, Scope\n"
        "from comis_core.store import Store\n"
    )
    command = [sys.executable, "-c", head + program, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_store_is_used_from_many_threads(store: Store, scope: Scope) -> None:
    ready = Barrier(6)

    def work(number: int) -> int:
        own = Scope("acme", f"agent {number}")
        ready.wait()
        seen = 0
        for step in range(30):
            kept = store.add(scope, [NewMemory(content=f"shared {number} {step}")]).stored[0].id
            gone = store.add(own, [NewMemory(content=f"own {step}")]).stored[0].id
            store.update(scope, kept, content=f"shared {number} {step} again")
            store.delete(own, [gone])
            with store.snapshot(scope, now=0, filters=Filters()) as reader:
                found = reader.visible_ids()
                assert len(reader.columns(found)["trust"]) == len(found) >= step
                seen += reader.scope_view().memories == len(found)
        return seen

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(work, range(6))) == [30] * 6
    assert store.count(scope) == 180


def test_readers_never_see_half_a_batch(store: Store, scope: Scope) -> None:
    ready = Barrier(2)

    def write() -> None:
        ready.wait()
        for batch in range(20):
            store.add(scope, [NewMemory(content=f"{batch} {number}") for number in range(50)])

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        ready.wait()
        sizes = []
        while not writing.done():
            with store.snapshot(scope, now=0, filters=Filters()) as reader:
                sizes.append(len(reader.visible_ids()))
        writing.result()
    assert {size % 50 for size in sizes} == {0}


def test_a_write_inside_a_write_is_refused_rather_than_waited_for(store: Store, scope: Scope) -> None:
    with pytest.raises(StoreError, match="inside another write"):
        store.write(lambda tx: store.add(scope, [NewMemory(content="x")]))
    with pytest.raises(StoreError, match="inside another write"):
        store.write(lambda tx: store.close())
    assert not store.add(scope, [NewMemory(content="x")]).rejected


def test_a_snapshot_inside_a_write_sees_what_was_committed_before(store: Store, scope: Scope, add: Add) -> None:
    add("one")

    def work(tx: object) -> int:
        tx.execute("DELETE FROM memories")  # type: ignore[attr-defined]
        return store.count(scope)

    assert store.write(work) == 1
    assert store.count(scope) == 0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_ends_a_write_rolls_it_back_and_frees_the_lock(
    store: Store, scope: Scope, error: type[BaseException]
) -> None:
    def work(tx: object) -> None:
        tx.execute("INSERT INTO scopes(tenant, agent) VALUES ('a', 'b')")  # type: ignore[attr-defined]
        raise error

    with pytest.raises(error):
        store.write(work)
    with pytest.raises(error), store.transaction() as transaction:
        work(transaction)
    assert store.scopes() == []
    assert store.add(scope, [NewMemory(content="x")]).stored


def test_a_transaction_that_ended_runs_nothing(store: Store) -> None:
    with pytest.raises(StoreError, match="has ended"):
        store.write(lambda tx: tx).execute("SELECT 1")


def test_rows_left_unread_in_a_write_do_not_hold_the_next_one_back(store: Store, scope: Scope) -> None:
    store.add(scope, [NewMemory(content=str(number)) for number in range(2000)])
    rows = store.write(lambda tx: tx.execute("SELECT pk FROM memories"))
    store.add(scope, [NewMemory(content="after")])
    assert store.count(scope) == 2001
    with pytest.raises(StoreError):
        list(rows)


def test_closing_twice_is_harmless_and_ends_everything(path: Path, clock: ManualClock, scope: Scope) -> None:
    store = Store.open(path, clock=clock)
    store.add(scope, [NewMemory(content="x")])
    store.close()
    store.close()
    for use in (lambda: store.count(scope), lambda: store.add(scope, [NewMemory(content="y")]), store.vacuum):
        with pytest.raises(StoreError, match="is closed"):
            use()


def test_a_snapshot_outlives_the_closing_of_its_store(path: Path, clock: ManualClock, scope: Scope) -> None:
    store = Store.open(path, clock=clock)
    store.add(scope, [NewMemory(content="unmistakable")])
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        store.close()
        assert b"unmistakable" in path.read_bytes(), "folded in by the one connection that can"
        assert reader.visible_ids().tolist() == [1]
    assert Store.open(path, clock=clock).count(scope) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_is_told_to_open_the_file_itself(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    child = os.fork()
    if not child:
        refused = 0
        for use in (lambda: store.count(scope), lambda: store.add(scope, [NewMemory(content="x")])):
            try:
                use()
            except StoreError as error:
                refused += "parent process" in str(error)
        store.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    assert add("two")
    assert store.count(scope) == 2


MIXED = """
path, number = Path(sys.argv[1]), sys.argv[2]
scope, shared = Scope("acme", number), Scope("acme", "shared")
sys.stdin.readline()
with Store.open(path, clock=SystemClock()) as store:
    for step in range(40):
        kept = store.add(shared, [NewMemory(content=f"{number} {step} {row}") for row in range(5)]).stored[0].id
        gone = store.add(scope, [NewMemory(content=f"own {step}")]).stored[0].id
        store.update(shared, kept, title="Title")
        store.evict(scope, [gone]); store.restore(scope, [gone]); store.delete(scope, [gone])
        with store.snapshot(shared, now=0, filters=Filters()) as reader:
            assert len(reader.texts(reader.visible_ids())) % 5 == 0
"""


def test_processes_share_a_file_without_an_error(path: Path) -> None:
    processes = [process(MIXED, path, number) for number in range(3)]
    errors = [each.communicate("go\n")[1] for each in processes]
    assert errors == [""] * 3
    with Store.open(path, clock=SystemClock()) as store:
        assert store.count(Scope("acme", "shared")) == 3 * 40 * 5
        assert [store.count(Scope("acme", str(number))) for number in range(3)] == [0] * 3
        check = store.write(lambda tx: list(tx.execute("PRAGMA integrity_check")))
    assert check == [("ok",)]


ENDLESS = """
with Store.open(Path(sys.argv[1]), clock=SystemClock()) as store:
    batch = store.count(Scope("acme", "helper")) // 200
    while True:
        store.add(Scope("acme", "helper"), [NewMemory(content=f"{batch} {row} " + "w" * 300) for row in range(200)])
        print(batch, flush=True)
        batch += 1
"""


def test_a_process_that_is_killed_leaves_whole_batches_and_every_acknowledged_one(path: Path) -> None:
    scope = Scope("acme", "helper")
    acknowledged = -1
    for round in range(3):
        writer = process(ENDLESS, path)
        assert writer.stdout is not None
        for _ in range(3 + 2 * round):
            acknowledged = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        for line in writer.communicate()[0].splitlines():
            acknowledged = int(line)
        with Store.open(path, clock=SystemClock()) as store:
            count = store.count(scope)
            check = store.write(lambda tx: list(tx.execute("PRAGMA integrity_check")))
        assert count % 200 == 0
        assert count // 200 in (acknowledged + 1, acknowledged + 2)
        assert check == [("ok",)]
