"""Whether what was recorded as admitted is within the limits, whatever went wrong meanwhile.

All bounds are sound: where it is not known when between its sending and its answer a request was
decided, the time that is kinder to the server is taken.
"""

import bisect
import collections
import dataclasses

SYNC_SECONDS = 0.1  # store.sync_interval, unless said
CLEARLY = 1.5  # times a bound, what would pass without limits must be


@dataclasses.dataclass(frozen=True)
class Away:
    """How often a store was not there, which is what may pass above a limit.

    `outages`: nodes had to decide by their shares. `unaware`: what passed by them was not charged
    when the store was back. `forgot`: it was back, or went on, with nothing. None of them is taken
    from what a test observes without a cap, else nothing would be too much. `spoilt`: replies in
    which a bit was turned; each may be a wrong decision.
    """

    outages: int = 0
    unaware: int = 0
    forgot: int = 0
    spoilt: int = 0


@dataclasses.dataclass(frozen=True)
class Bucket:
    """A token_bucket: in any interval at most its burst and what comes back meanwhile."""

    count: int
    seconds: int
    burst: int

    @property
    def yaml(self):
        return f"{{ rate: {self.count}/{self.seconds}s, burst: {self.burst} }}"

    @property
    def options(self):
        """What the rule says beside the limit."""
        return ""

    def bound(self, nodes, away):
        """The most above the limit: the shares, with a unit of rounding for each node, and what
        came back in the store meanwhile, at most a burst each time."""
        shares = away.outages * (self.burst + nodes)
        return shares + max(away.unaware, away.forgot) * self.burst + away.spoilt

    def excess(self, asks, _wall):
        """The most that passed in any interval above the bound; 0 or less: none."""
        # The time from one decision to another is at most the span of their answers and this.
        slack = max((ask.done - ask.sent for ask in asks), default=0.0)
        rate = self.count / self.seconds
        level, last, most = 0.0, 0.0, 0.0
        for ask in sorted(asks, key=lambda ask: ask.done):
            level = max(0.0, level - (ask.done - last) * rate) + ask.cost
            last, most = ask.done, max(most, level)
        return most - self.burst - slack * rate


@dataclasses.dataclass(frozen=True)
class Window:
    """A window of the time of day, fixed or sliding: what it says of its count holds throughout."""

    count: int
    seconds: int
    slides: bool
    consistency: str = "exact"

    @property
    def burst(self):
        return self.count

    @property
    def options(self):
        return f", consistency: {self.consistency}"

    def bound(self, nodes, away):
        """The shares, once however often the store comes and goes: they keep what was charged to
        them until their window is over, and so does a store that forgets nothing. If it forgets,
        all passes again. Leased units are charged before they are spent, and so are no more."""
        shares = self.count + nodes if away.outages else 0
        return shares + away.forgot * self.count + away.spoilt

    @property
    def yaml(self):
        algorithm = "sliding_window" if self.slides else "fixed_window"
        return f"{{ rate: {self.count}/{self.seconds}s, algorithm: {algorithm} }}"

    def excess(self, asks, wall):
        """The most that passed above the count of a window, of the weighed count if it slides."""
        passed = collections.Counter()
        most = 0.0
        for ask in sorted(asks, key=lambda ask: ask.done):
            number, elapsed = divmod(ask.done + wall, self.seconds)
            if (ask.sent + wall) // self.seconds != number:
                continue  # of one of two windows
            passed[number] += ask.cost
            before = passed[number - 1] * (1 - elapsed / self.seconds) if self.slides else 0.0
            most = max(most, before + passed[number])
        return most - self.count


class EventualWindow(Window):
    """A fixed window of which each node knows what the others let pass until a sync_interval ago,
    and the round trip of a sync, for which as much is allowed."""

    def __init__(self, count, seconds):
        super().__init__(count, seconds, slides=False, consistency="eventual")

    def bound(self, nodes, away):
        """Without a store each node has the whole limit, by its own counts. A key of which nothing
        was asked for a moment is one that the node does not know: then it has its share, to which
        what passed by own counts was not charged. None, for no bound, where states are spoilt: they
        are believed until the next."""
        if away.spoilt:
            return None
        alone = (nodes - 1) * self.count + self.count + nodes
        return (alone if away.outages else 0) + away.forgot * self.count

    def excess(self, asks, wall):
        """As a window, less what the node that let the last one pass could not know of."""
        unknown = 2 * SYNC_SECONDS + max((ask.done - ask.sent for ask in asks), default=0.0)
        passed = collections.Counter()
        others = collections.defaultdict(list)  # of a node: when those of other nodes were done
        nodes = {ask.node for ask in asks}
        most = 0
        for ask in sorted(asks, key=lambda ask: ask.done):
            number = (ask.done + wall) // self.seconds
            if (ask.sent + wall) // self.seconds != number:
                continue  # of one of two windows
            passed[number] += ask.cost
            for node in nodes - {ask.node}:
                others[node] += [ask.done] * ask.cost
            since = max(ask.done - unknown, number * self.seconds - wall)
            of_others = len(others[ask.node]) - bisect.bisect_left(others[ask.node], since)
            most = max(most, passed[number] - of_others)
        return most - self.count


def excesses(asks, limits, wall):
    """By rule, the most that any key had above its limit if all of these passed, and which key that
    was. `wall` is what to add for the time of day."""
    by_key = collections.defaultdict(list)
    for ask in asks:
        if ask.rule in limits:
            by_key[ask.rule, ask.key].append(ask)
    worst = dict.fromkeys(limits, (0.0, "-"))
    for (rule, key), told in by_key.items():
        worst[rule] = max(worst[rule], (float(limits[rule].excess(told, wall)), key))
    return worst


def expect_bounds(asks, limits, nodes, away, wall):
    """No key had more than its limit and what it may have while the store is away so often. Each
    bound is one that this load would break: had all passed, it would be clearly too much.

    Answers for each rule the most above its limit, and the bound or None.
    """
    passed = excesses([ask for ask in asks if ask.allowed], limits, wall)
    all_of_them = excesses(asks, limits, wall)
    bounds = {rule: limit.bound(nodes, away) for rule, limit in limits.items()}
    for rule, most in bounds.items():
        if most is None:
            continue
        (found, key), (could, _) = passed[rule], all_of_them[rule]
        assert could > CLEARLY * most, f"{rule}: {could} asked for above the limit, bound {most}"
        assert found <= most + 1e-6, f"{rule}, key {key}: {found} above the limit, bound {most}"
    return {rule: (passed[rule][0], most) for rule, most in bounds.items()}
