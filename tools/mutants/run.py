"""Runs mutants in several scratch copies in parallel and collects the results."""

import collections
import queue
import threading

from scratch import Scratch, ScratchError

KILLED_PERCENT_LEAST = 95


class Board:
    """The results of mutants; prints progress. Thread-safe."""

    def __init__(self, count):
        self._lock = threading.Lock()
        self._count = count
        self.killed, self.survived, self.failed = [], [], []

    def _print(self, word, rule, more=""):
        done = len(self.killed) + len(self.survived) + len(self.failed)
        print(f"[{done}/{self._count}] {word} {rule.full_name}{more}", flush=True)

    def kill(self, rule, test):
        with self._lock:
            self.killed.append(rule)
            self._print("noticed ", rule, f" by {test}")

    def survive(self, rule):
        with self._lock:
            self.survived.append(rule)
            self._print("SURVIVED", rule)

    def fail(self, rule, problem):
        with self._lock:
            self.failed.append((rule, problem))
            self._print("ERROR   ", rule, f": {problem}")


def try_one(scratch, rule, board):
    """Builds one mutant, runs its tests until one fails, and reverts it."""
    tests = rule.tests.split()
    original = (scratch.tree / rule.file).read_text(encoding="utf-8")
    scratch.write(rule.file, rule.apply(original))
    try:
        for test in tests:
            built, output = scratch.compile(test)
            if not built:
                return board.fail(rule, f"it does not build\n{output[-2000:]}")
            if not scratch.passes(test):
                return board.kill(rule, test)
        return board.survive(rule)
    finally:
        scratch.write(rule.file, original)


def _work(scratch, waiting, jobs, board, errors):
    try:
        scratch.prepare()
        while True:
            rule = waiting.get_nowait()
            for test in rule.tests.split():
                scratch.measure(test, jobs)
            try_one(scratch, rule, board)
    except queue.Empty:
        return
    except ScratchError as problem:
        errors.append(problem)


def report(board, is_whole):
    """Prints the survivors and the score by layer; returns the exit status."""
    layers = collections.Counter(rule.layer for rule in board.killed + board.survived)
    killed = collections.Counter(rule.layer for rule in board.killed)
    for rule in board.survived:
        word = "survived, explained" if rule.explained else "SURVIVED"
        print(f"{word}: {rule.full_name} ({rule.file}): {rule.explained or rule.why}")
    for rule in board.killed:
        if rule.explained:
            print(f"noticed although explained: {rule.full_name}; drop its 'explained:'")
    for layer in sorted(layers):
        print(f"  {layer:<10} {killed[layer]} of {layers[layer]}")
    total = sum(layers.values())
    score = 100 * len(board.killed) / total if total else 0
    print(f"mutants: {len(board.killed)} of {total} noticed ({score:.1f} %), "
          f"{sum(1 for rule in board.survived if rule.explained)} explained, "
          f"{len(board.failed)} did not build")
    unexplained = [rule for rule in board.survived if not rule.explained]
    is_low = is_whole and score < KILLED_PERCENT_LEAST
    return 1 if board.failed or unexplained or is_low else 0


def run(mutants, root, jobs, is_whole):
    """Tries all mutants; returns the exit status. Only the whole list must reach a score."""
    waiting = queue.Queue()
    # Adjacent mutants share test targets, so that little is linked again.
    for rule in sorted(mutants, key=lambda rule: (rule.tests, rule.file)):
        waiting.put(rule)
    board, errors = Board(len(mutants)), []
    scratches = [Scratch(root, root / "build" / "mutants" / str(number))
                 for number in range(1, min(jobs, len(mutants)) + 1)]
    workers = [threading.Thread(target=_work, args=(scratch, waiting, jobs, board, errors))
               for scratch in scratches]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for problem in errors:
        print(problem)
    return report(board, is_whole) if not errors else 1
