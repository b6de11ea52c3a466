"""Rules of what works after the answer: outcome resolvers, jobs, observers."""

from __future__ import annotations

from comis_core.model import Observation, Outcome, Trajectory, Turn
from comis_core.protocols import Event, Observer, Transaction, Verdict
from comis_core.specs import JobSpec, ObserverSpec, OutcomeResolverSpec
from comis_core.testing import corpus
from comis_core.testing.bench import Bench
from comis_core.testing.rules.rule import Rule

LABELS = ("success", "failure", "corrected", "unknown")


def _turn(request: str = "Where does Ana live?", recalled: tuple[str, ...] = ()) -> Turn:
    return Turn(
        scope=corpus.HOME,
        session="s1",
        turn="t1",
        request=request,
        answer="In Lisbon.",
        ended_at=corpus.NOW,
        sender="ana",
        recalled=recalled,
        cited=recalled[:1],
    )


# -- outcome resolvers


def resolves_any_trajectory(bench: Bench, spec: OutcomeResolverSpec) -> None:
    """Observations with a known label and a confidence in 0..1, or none, whatever was said next; twice the same."""
    verdict = Verdict(label="success", confidence=0.5) if spec.needs_verdict else None
    with bench.part(spec) as resolver:
        for message in (None, "No, she lives in Braga.", "Thank you!", *corpus.HOSTILE):
            events = ({"kind": "tool", "name": "search", "ok": False}, {"unknown": object}) if message else ()
            trajectory = Trajectory(scope=corpus.HOME, turn=_turn(), events=events, next_message=message)
            observations = list(resolver.resolve(trajectory, verdict))
            assert observations == list(resolver.resolve(trajectory, verdict))
            for observation in observations:
                assert isinstance(observation, Observation)
                assert observation.label in LABELS
                assert 0.0 <= observation.confidence <= 1.0


OUTCOME_RESOLVER = (Rule(resolves_any_trajectory),)


# -- jobs


def has_a_schedule(bench: Bench, spec: JobSpec) -> None:
    """Its default schedule is a cron expression, and so is that of its options."""
    from croniter import croniter

    options = bench.options(spec)
    for schedule in (spec.schedule, getattr(options[0], "schedule", spec.schedule) if options else spec.schedule):
        assert croniter.is_valid(schedule), f"{schedule!r} is no cron expression"


JOB = (Rule(has_a_schedule),)


# -- observers


def observes_any_turn(bench: Bench, spec: ObserverSpec) -> None:
    """Turns with known, foreign and unknown ids, outcomes and events are taken in without an error."""
    with bench.snapshot() as reader:
        known = tuple(memory.id for memory in reader.memories(reader.visible_ids()[:3]))
    with bench.part(spec) as observer:
        for recalled in ((), known, ("00000000-0000-7000-8000-000000000000", "no id at all")):
            for request in ("Where does Ana live?", *corpus.HOSTILE[:20]):
                _observe(bench, observer, _turn(request, recalled))
        observer.event(Event(name="recall", counts={"items": 3}))


def _observe(bench: Bench, observer: Observer, turn: Turn) -> None:
    prepared = observer.prepare(turn)
    outcome = Outcome(
        scope=turn.scope, trajectory=turn.turn, session=turn.session, label="success", confidence=0.9,
        observations=(), recalled=turn.recalled, used=turn.cited,
    )  # fmt: skip

    def work(tx: Transaction) -> None:
        observer.turn_ended(tx, turn, prepared)
        observer.turn_ended(tx, turn, prepared)
        observer.outcome_resolved(tx, outcome)

    bench.store.write(work)


OBSERVER = (Rule(observes_any_turn, writes=True),)
