"""A TCP proxy that disturbs its connections; the disturbance can be changed while it runs."""

import asyncio
import dataclasses
import multiprocessing
import random
import socket
import struct
import sys
from typing import Optional

# The maximum number of pieces in flight per direction; beyond it nothing more is read.
PIECES_MOST = 256
READ_BYTES = 65536
SPLIT_PAUSE_SECONDS = 0.0005
ANSWER_SECONDS = 60


@dataclasses.dataclass(frozen=True)
class Harm:
    """The faults to inject. Bytes are counted from the time the harm was set, per connection and
    direction."""

    delay: float = 0.0  # delay of replies in seconds
    jitter: float = 0.0  # maximum additional random delay per reply in seconds; keeps their order
    stall: bool = False  # nothing is forwarded in either direction until this ends
    refuse: bool = False  # new connections are reset
    split: int = 0  # maximum bytes per write in both directions, with pauses; 0: unlimited
    flip: float = 0.0  # probability that a piece of a reply gets a flipped bit
    blackhole_after: Optional[int] = None  # after this many more bytes, everything is dropped
    reset_after: Optional[int] = None  # bytes of a reply, then RST both ways
    half_close_after: Optional[int] = None  # bytes of a reply, then FIN to the client alone


class FaultProxy:
    """Runs before a server, in its own process, so that its delays do not depend on the test.

    `server` has a `port`. `edit` changes each piece of a reply. The same seed does the same harm to
    the same pieces.
    """

    def __init__(self, server, harm=Harm(), seed=None, edit=None):
        self.seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.pipe, theirs = multiprocessing.Pipe()
        relay = _Relay(listener, server.port, random.Random(self.seed), edit)
        sys.stdout.flush()  # otherwise the process would print a copy of the buffered output
        # The process is forked, so that it has `edit`.
        self.process = multiprocessing.get_context("fork").Process(
            target=relay.serve, args=(theirs, self.pipe), daemon=True)
        self.process.start()
        theirs.close()
        listener.close()
        self.set(harm)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def set(self, harm=Harm()):
        """Replaces the current harm."""
        self.tell("set", harm)

    def reset(self):
        """Resets all open connections."""
        self.tell("reset", None)

    def half_close(self):
        """Sends FIN to all clients and continues to read from them."""
        self.tell("half_close", None)

    def counts(self):
        """Returns the numbers of accepted connections, open connections, and flipped bits."""
        return self.tell("counts", None)

    def tell(self, *words):
        self.pipe.send(words)
        assert self.pipe.poll(ANSWER_SECONDS), f"the proxy does not answer {words}"
        return self.pipe.recv()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipe.close()
        self.process.join(ANSWER_SECONDS)


class _Relay:
    """The part that runs in the process."""

    def __init__(self, listener, server_port, chance, edit):
        self.listener, self.server_port, self.chance = listener, server_port, chance
        self.edit = edit or (lambda piece: piece)
        self.harm = Harm()
        self.connections = set()
        self.calm = None  # set while nothing is stalled
        self.totals = {"connects": 0, "flips": 0}

    def serve(self, pipe, parents):
        parents.close()  # otherwise its end would never be detected
        asyncio.run(self.run(pipe))

    async def run(self, pipe):
        self.calm = asyncio.Event()
        self.calm.set()
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def hear():
            try:
                pipe.send(self.obey(*pipe.recv()))
            except (EOFError, OSError):
                loop.remove_reader(pipe.fileno())
                ended.set()

        loop.add_reader(pipe.fileno(), hear)
        self.listener.setblocking(False)
        accepting = asyncio.create_task(self.accept(loop))
        await ended.wait()
        accepting.cancel()

    def obey(self, word, harm):
        if word == "set":
            self.harm = harm
            (self.calm.clear if harm.stall else self.calm.set)()
            for connection in self.connections:
                connection.begin_anew()
        elif word == "reset":
            for connection in list(self.connections):
                connection.reset()
        elif word == "half_close":
            for connection in list(self.connections):
                connection.half_close()
        return {**self.totals, "open": len(self.connections)}

    async def accept(self, loop):
        while True:
            client, _ = await loop.sock_accept(self.listener)
            self.totals["connects"] += 1
            server = None if self.harm.refuse else await self.reach_server(loop)
            if server is None:
                _linger_not(client)
                client.close()
                continue
            self.connections.add(_Connection(self, client, server))

    async def reach_server(self, loop):
        server = socket.socket()
        server.setblocking(False)
        try:
            await loop.sock_connect(server, ("127.0.0.1", self.server_port))
            return server
        except OSError:
            server.close()
            return None


class _Connection:
    """A client, its connection to the server, and the pieces in flight between them.

    Each direction has two tasks: one reads pieces and sets when they are due, one forwards them.
    """

    def __init__(self, relay, client, server):
        self.relay, self.client, self.server = relay, client, server
        for each in (client, server):
            each.setblocking(False)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.is_ended = False
        self.is_silent = {False: False, True: False}  # requests, and replies
        self.begin_anew()
        ways = ((client, server, False), (server, client, True))
        self.tasks = []
        for speaker, listener, is_reply in ways:
            queue = asyncio.Queue(PIECES_MOST)
            self.tasks.append(asyncio.create_task(self.read(speaker, queue, is_reply)))
            self.tasks.append(asyncio.create_task(self.write(queue, listener, is_reply)))

    def begin_anew(self):
        self.passed = {False: 0, True: 0}  # bytes of requests and of replies

    async def read(self, speaker, queue, is_reply):
        loop, due = asyncio.get_running_loop(), 0.0
        try:
            while piece := await loop.sock_recv(speaker, READ_BYTES):
                due = max(due, loop.time() + self.lateness(is_reply))
                await queue.put((due, piece))
        except OSError:
            pass
        await queue.put((due, b""))

    def lateness(self, is_reply):
        harm = self.relay.harm
        return harm.delay + self.relay.chance.uniform(0, harm.jitter) if is_reply else 0.0

    async def write(self, queue, listener, is_reply):
        loop = asyncio.get_running_loop()
        try:
            while True:
                due, piece = await queue.get()
                if (rest := due - loop.time()) > 0:
                    await asyncio.sleep(rest)
                await self.relay.calm.wait()
                if not piece:
                    break
                if is_reply:
                    piece = self.spoil(piece)
                for part in self.parts(piece):
                    await self.hand_on(loop, listener, part, is_reply)
        except OSError:
            pass
        self.end()

    def spoil(self, piece):
        piece = bytearray(self.relay.edit(bytes(piece)))
        chance = self.relay.chance
        if self.relay.harm.flip and chance.random() < self.relay.harm.flip:
            self.relay.totals["flips"] += 1
            piece[chance.randrange(len(piece))] ^= 1 << chance.randrange(8)
        return bytes(piece)

    def parts(self, piece):
        most = self.relay.harm.split or len(piece)
        return (piece[at:at + most] for at in range(0, len(piece), most))

    async def hand_on(self, loop, listener, part, is_reply):
        """Hands on as much of a part as the harm lets pass, and does the rest of the harm."""
        harm, before = self.relay.harm, self.passed[is_reply]
        self.passed[is_reply] = before + len(part)
        after = {self.fall_silent: harm.blackhole_after}
        if is_reply:
            after.update({self.reset: harm.reset_after, self.half_close: harm.half_close_after})
        end = before + len(part)
        acts = [act for act, most in after.items() if most is not None and most < end]
        most = min((after[act] for act in acts), default=end)
        if not self.is_silent[is_reply]:
            await loop.sock_sendall(listener, part[:max(0, most - before)])
        for act in acts:
            act(is_reply)
        if harm.split:
            await asyncio.sleep(SPLIT_PAUSE_SECONDS)

    def fall_silent(self, is_reply):
        self.is_silent[is_reply] = True

    def half_close(self, _is_reply=True):
        if not self.is_silent[True] and not self.is_ended:
            self.client.shutdown(socket.SHUT_WR)
        self.is_silent[True] = True

    def reset(self, _is_reply=True):
        for each in (self.client, self.server):
            _linger_not(each)
        self.end()

    def end(self):
        """Closes both ends; pieces in flight are lost."""
        if not self.is_ended:
            self.is_ended = True
            self.relay.connections.discard(self)
            self.closing = asyncio.create_task(self.close())

    async def close(self):
        """Closes once nobody waits for them: who connects next may get the same descriptors."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.client.close()
        self.server.close()


def _linger_not(end):
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
