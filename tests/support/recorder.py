"""Open-loop clients of nodes, and a record of every decision that they received.

Requests are sent when they are due, however slow the answers are, and latency counts from then.
"""

import collections
import dataclasses
import itertools
import json
import random
import re
import selectors
import socket
import threading
import time

CONNECT_SECONDS = 5
DRAIN_SECONDS = 10
SLICE_SECONDS = 0.25
STALL_SECONDS = 0.05  # as long as a breaker waits before it opens
LENGTH = re.compile(rb"\r\nContent-Length: (\d+)", re.IGNORECASE)


@dataclasses.dataclass
class Ask:
    """A request, its outcome, and its times in seconds of the monotonic clock."""

    due: float
    node: int
    rule: str
    key: str
    cost: int
    sent: float = 0.0
    done: float = 0.0
    status: int = 0  # HTTP status; 0: the connection broke, or there was no reply
    allowed: bool = False
    source: str = ""

    @property
    def latency(self):
        return self.done - self.due


class Traffic:
    """Chooses the next rule (in turn) and key (zipf). Deterministic by its seed."""

    def __init__(self, rules, keys, seed, exponent=1.1, cost=1):
        self.chance = random.Random(seed)
        self.rules = itertools.cycle(rules)
        self.keys = [f"k{number}" for number in range(keys)]
        self.weights = list(itertools.accumulate((1 + n) ** -exponent for n in range(keys)))
        self.cost = cost

    def __next__(self):
        key, = self.chance.choices(self.keys, cum_weights=self.weights)
        return next(self.rules), key, self.cost


class _Connection:
    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), CONNECT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ask = None  # the next one to be answered
        self.said = b""


class Recorder:
    """Sends `rate` requests per second to nodes in turn, with the rule as the attribute `mode`.

    Its own thread sends from begin() to end(). `asks` are in the order of their completion, and
    complete after end(). `phase(name)` names the requests from then on, and `title` all of them.
    """

    def __init__(self, addresses, traffic, rate, title="", connections=32, domain="api"):
        self.title = title
        self.back_after = None  # seconds until the store decided again, once known
        self.addresses, self.traffic, self.rate, self.domain = addresses, traffic, rate, domain
        self.asks, self.phases, self.faults = [], [], []
        self.selector = selectors.SelectSelector()  # other selectors wake a millisecond late
        self.idle = [[] for _ in addresses]
        self.waiting = [collections.deque() for _ in addresses]
        self.turns = itertools.cycle(range(len(addresses)))
        self.under_way = 0
        for node in range(len(addresses)):
            for _ in range(connections):
                self.connect(node)
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.begin = time.monotonic()
        self.wall = time.time() - self.begin  # offset to the time of day
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end()

    def phase(self, name):
        self.phases.append((time.monotonic(), name))

    def end(self):
        """Idempotent."""
        if self.ending.is_set():
            return
        self.ending.set()
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def run(self):
        due = self.begin
        while not self.ending.is_set():
            now = time.monotonic()
            while due <= now:
                self.ask(due)
                due += 1 / self.rate
            self.hear(max(0.0, due - time.monotonic()))
        end = time.monotonic() + DRAIN_SECONDS
        while self.under_way and time.monotonic() < end:
            self.hear(end - time.monotonic())
        for key in self.selector.get_map().values():
            if key.data[1].ask is not None:
                self.note_broken(key.data[1].ask)

    def ask(self, due):
        rule, key, cost = next(self.traffic)
        node = next(self.turns)
        self.under_way += 1
        self.waiting[node].append(Ask(due, node, rule, key, cost))
        self.send(node)

    def send(self, node):
        while self.waiting[node] and self.idle[node]:
            connection = self.idle[node].pop()
            ask = connection.ask = self.waiting[node].popleft()
            ask.sent = time.monotonic()
            try:
                connection.socket.sendall(self.text_of(ask))
            except OSError:
                self.drop(node, connection)

    def text_of(self, ask):
        body = json.dumps({"domain": self.domain, "cost": ask.cost,
                           "attributes": {"mode": ask.rule, "user": ask.key}})
        return (f"POST /v1/check HTTP/1.1\r\nHost: sluice\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def hear(self, patience):
        for key, _ in self.selector.select(patience):
            node, connection = key.data
            try:
                part = connection.socket.recv(65536)
            except OSError:
                part = b""
            if not part:
                self.drop(node, connection)
                continue
            connection.said += part
            if self.read(connection):
                self.idle[node].append(connection)
                self.send(node)

    def read(self, connection):
        """Returns whether the reply was complete, and records it then."""
        head, end, body = connection.said.partition(b"\r\n\r\n")
        if not end or len(body) < int(LENGTH.search(head).group(1)):
            return False
        ask, connection.ask, connection.said = connection.ask, None, b""
        ask.done = time.monotonic()
        ask.status = int(head.split(b" ", 2)[1])
        if ask.status in (200, 429):
            verdict = json.loads(body)
            ask.allowed = verdict["allowed"]
            ask.source = verdict["decisions"][0]["source"]
        else:
            self.faults.append(f"{ask}: {body[:300]}")
        self.note(ask)
        return True

    def note(self, ask):
        self.under_way -= 1
        self.asks.append(ask)

    def note_broken(self, ask):
        ask.done = time.monotonic()
        self.faults.append(f"{ask}: no answer")
        self.note(ask)

    def connect(self, node):
        connection = _Connection(self.addresses[node])
        self.selector.register(connection.socket, selectors.EVENT_READ, (node, connection))
        self.idle[node].append(connection)

    def drop(self, node, connection):
        """Records the requests of the connection as unanswered, and opens another one."""
        self.selector.unregister(connection.socket)
        connection.socket.close()
        if connection in self.idle[node]:
            self.idle[node].remove(connection)
        if connection.ask is not None:
            self.note_broken(connection.ask)
        self.connect(node)

    def last_without_store(self, begin):
        """Returns the end of the slices of SLICE_SECONDS, from `begin` on without a gap, in which
        fallbacks decided more than a fifth of the requests. One resting breaker of four causes more
        than that; later fallbacks are due to the machine."""
        slices = collections.defaultdict(list)
        for ask in self.asks:
            if ask.due >= begin and ask.source in ("redis", "fallback"):
                slices[int((ask.due - begin) / SLICE_SECONDS)].append(ask.source)
        number = 0
        while slices[number].count("fallback") * 5 > len(slices[number]):
            number += 1
        return begin + number * SLICE_SECONDS

    def stalls(self, phase, late):
        """Returns how often the machine stalled in a phase: for STALL_SECONDS, most of the requests
        that never use the store took longer than `late` seconds."""
        here = sorted((ask.due, ask.latency > late) for ask in self.asks_of(phase)
                      if ask.rule == "here")
        count, end = 0, 0.0
        for at, _ in here:
            near = [is_late for due, is_late in here if at <= due < at + STALL_SECONDS]
            if at >= end and 2 * sum(near) > len(near):
                count, end = count + 1, at + STALL_SECONDS
        return count

    def asks_of(self, phase):
        """Returns the requests that were due during a phase."""
        begins = [*self.phases, (float("inf"), "")]
        spans = [(begin, begins[i + 1][0]) for i, (begin, name) in enumerate(self.phases)
                 if name == phase]
        return [ask for ask in self.asks if any(begin <= ask.due < end for begin, end in spans)]


def quantile(values, part):
    """Returns the smallest value that at least this portion of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def latency_row(asks):
    """Returns p50, p99, p99.9 and the maximum, in ms."""
    latencies = [ask.latency * 1e3 for ask in asks]
    return [quantile(latencies, part) for part in (0.5, 0.99, 0.999)] + [max(latencies, default=0)]
