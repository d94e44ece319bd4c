"""Checks that the recorded admissions are within the limits, whatever went wrong meanwhile.

All bounds are sound: the time of a decision is only known to be between sending and answer, and the
time that favors the server is taken.
"""

import bisect
import collections
import dataclasses

SYNC_SECONDS = 0.1  # store.sync_interval, by default
CLEARLY = 1.5  # factor by which the load must exceed a bound if everything passes


@dataclasses.dataclass(frozen=True)
class Away:
    """How often a store was away; this determines how much may pass above a limit.

    `outages`: nodes had to decide by their shares. `unaware`: the store came back without the
    charges that passed by shares. `forgot`: it came back, or went on, without its data. A test may
    derive none of them from what it observes without a cap, or no result would be too much.
    `spoilt`: replies with a flipped bit; each may cause a wrong decision.
    """

    outages: int = 0
    unaware: int = 0
    forgot: int = 0
    spoilt: int = 0


@dataclasses.dataclass(frozen=True)
class Bucket:
    """A token_bucket: any interval admits at most its burst and what returns meanwhile."""

    count: int
    seconds: int
    burst: int

    @property
    def yaml(self):
        return f"{{ rate: {self.count}/{self.seconds}s, burst: {self.burst} }}"

    @property
    def options(self):
        """Returns the options of the rule besides the limit."""
        return ""

    def bound(self, nodes, away):
        """Returns the maximum above the limit: the shares, with a unit of rounding per node, and
        what returned in the store meanwhile, at most a burst each time."""
        shares = away.outages * (self.burst + nodes)
        return shares + max(away.unaware, away.forgot) * self.burst + away.spoilt

    def excess(self, asks, _wall):
        """Returns the maximum that passed above the bound in any interval; 0 or less: none."""
        # The time between two decisions is at most the span of their answers plus this.
        slack = max((ask.done - ask.sent for ask in asks), default=0.0)
        rate = self.count / self.seconds
        level, last, most = 0.0, 0.0, 0.0
        for ask in sorted(asks, key=lambda ask: ask.done):
            level = max(0.0, level - (ask.done - last) * rate) + ask.cost
            last, most = ask.done, max(most, level)
        return most - self.burst - slack * rate


@dataclasses.dataclass(frozen=True)
class Window:
    """A window of the time of day, fixed or sliding. It never admits more than its count."""

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
        """Returns the shares, once however often the store comes and goes: they keep their charges
        until their window ends, and so does a store that keeps its data. If it loses its data,
        all passes again. Leased units are charged before they are spent, so they add none."""
        shares = self.count + nodes if away.outages else 0
        return shares + away.forgot * self.count + away.spoilt

    @property
    def yaml(self):
        algorithm = "sliding_window" if self.slides else "fixed_window"
        return f"{{ rate: {self.count}/{self.seconds}s, algorithm: {algorithm} }}"

    def excess(self, asks, wall):
        """Returns the maximum above the count of a window; a sliding one weighs the last count."""
        passed = collections.Counter()
        most = 0.0
        for ask in sorted(asks, key=lambda ask: ask.done):
            number, elapsed = divmod(ask.done + wall, self.seconds)
            if (ask.sent + wall) // self.seconds != number:
                continue  # could belong to two windows
            passed[number] += ask.cost
            before = passed[number - 1] * (1 - elapsed / self.seconds) if self.slides else 0.0
            most = max(most, before + passed[number])
        return most - self.count


class EventualWindow(Window):
    """A fixed window. Each node knows what others admitted until one sync_interval and one sync
    round trip ago; the round trip is allowed another interval."""

    def __init__(self, count, seconds):
        super().__init__(count, seconds, slides=False, consistency="eventual")

    def bound(self, nodes, away):
        """Without a store each node has the whole limit, by its own counts. A node does not know a
        key without recent requests, and then has its share, to which admissions by its own counts
        were not charged. Returns None, for no bound, if states are spoilt: nodes believe them until
        the next sync."""
        if away.spoilt:
            return None
        alone = (nodes - 1) * self.count + self.count + nodes
        return (alone if away.outages else 0) + away.forgot * self.count

    def excess(self, asks, wall):
        """As for a window, less what the node that admitted the last request could not know."""
        unknown = 2 * SYNC_SECONDS + max((ask.done - ask.sent for ask in asks), default=0.0)
        passed = collections.Counter()
        others = collections.defaultdict(list)  # by node: completion times of other nodes' requests
        nodes = {ask.node for ask in asks}
        most = 0
        for ask in sorted(asks, key=lambda ask: ask.done):
            number = (ask.done + wall) // self.seconds
            if (ask.sent + wall) // self.seconds != number:
                continue  # could belong to two windows
            passed[number] += ask.cost
            for node in nodes - {ask.node}:
                others[node] += [ask.done] * ask.cost
            since = max(ask.done - unknown, number * self.seconds - wall)
            of_others = len(others[ask.node]) - bisect.bisect_left(others[ask.node], since)
            most = max(most, passed[number] - of_others)
        return most - self.count


def excesses(asks, limits, wall):
    """Returns, by rule, the maximum of any key above its limit if all of these passed, and the key.
    `wall` is the offset from the recorded times to the time of day."""
    by_key = collections.defaultdict(list)
    for ask in asks:
        if ask.rule in limits:
            by_key[ask.rule, ask.key].append(ask)
    worst = dict.fromkeys(limits, (0.0, "-"))
    for (rule, key), told in by_key.items():
        worst[rule] = max(worst[rule], (float(limits[rule].excess(told, wall)), key))
    return worst


def expect_bounds(asks, limits, nodes, away, wall):
    """No key got more than its limit and what the store's absences allow. The load must be able to
    break each bound: had everything passed, it would be clearly too much.

    Returns for each rule the maximum above its limit, and the bound or None.
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
