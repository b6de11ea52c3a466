"""The same for asyncio: each call runs in a thread of a small pool of the engine's own, and the event loop never waits.
Calls that write have a pool of theirs: while they wait for another process, reads go on.

    async with comis_core.aio.open("memory.db", preset="tuned") as engine:
        agent = engine.agent("helper", tenant="acme")
        await agent.store("Ana moved to Lisbon in March.", sender="ana")
        print((await agent.recall("Where does Ana live?")).text)

Cancelling a call that waits for a thread withdraws it. One that has begun cannot be stopped: it runs to its end, and a
write may be in the file although nobody learned so.
"""

from comis_core.aio.agent import AsyncAgent, AsyncTenant
from comis_core.aio.engine import AsyncEngine, Opening, open  # noqa: A004  the word people expect

__all__ = ["AsyncAgent", "AsyncEngine", "AsyncTenant", "Opening", "open"]
