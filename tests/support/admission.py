"""Whether what was recorded as admitted is within the limits, whatever went wrong meanwhile.

All bounds are sound: where it is not known when between its sending and its answer a request was
decided, the time that is kinder to the server is taken.
"""

import collections
import dataclasses


@dataclasses.dataclass(frozen=True)
class Bucket:
    """A token_bucket: in any interval at most its burst and what comes back meanwhile."""

    count: int
    seconds: int
    burst: int

    @property
    def yaml(self):
        return f"{{ rate: {self.count}/{self.seconds}s, burst: {self.burst} }}"

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

    @property
    def burst(self):
        return self.count

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


def excesses(recorder, limits, end=float("inf")):
    """By rule, the most that any key had above its limit until then, and which key that was."""
    by_key = collections.defaultdict(list)
    for ask in recorder.asks:
        if ask.allowed and ask.rule in limits and ask.done < end:
            by_key[ask.rule, ask.key].append(ask)
    worst = {}
    for (rule, key), asks in by_key.items():
        found = (limits[rule].excess(asks, recorder.wall), key)
        worst[rule] = max(worst.get(rule, found), found)
    return worst
