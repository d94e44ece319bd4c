"""A copy of the tree in which mutants are built and run, one at a time."""

import fcntl
import filecmp
import os
import pathlib
import shutil
import signal
import subprocess
import time

# The factor over its normal time after which a test counts as hanging.
PATIENCE_FACTOR = 10
PATIENCE_SECONDS = 30
BUILD_SECONDS = 1800


class ScratchError(Exception):
    """The tree without a mutant does not build or fails its tests."""


def _tree_files(root):
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return {path for path in listed.split("\0") if path and (root / path).is_file()}


def _run(command, folder, seconds):
    """Runs a command and its children; returns (exit status, output), status None if it hangs."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, "no end within the time limit"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Scratch:
    """Not thread-safe: each worker has its own."""

    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.tree = folder / "tree"
        self.build = self.tree / "build" / "dev"
        self._seconds = {}  # time of each test without a mutant
        self._lock = None  # held until the process ends

    def prepare(self):
        """Makes the copy equal to the tree; unchanged files keep their times."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ScratchError(f"{self.folder} is in use by another run") from None
        wanted = _tree_files(self.root)
        for path in wanted:
            source, copy = self.root / path, self.tree / path
            if copy.is_file() and filecmp.cmp(source, copy, shallow=False):
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
            os.utime(copy)
        for copy in self.tree.rglob("*"):
            path = copy.relative_to(self.tree)
            if path.parts[0] != "build" and copy.is_file() and str(path) not in wanted:
                copy.unlink()
        if not (self.build / "build.ninja").exists():
            command = ["cmake", "--preset", "dev"]
            if shutil.which("ld.lld"):
                command.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
            status, output = _run(command, self.tree, BUILD_SECONDS)
            if status != 0:
                raise ScratchError(f"cmake failed:\n{output}")

    def compile(self, test, jobs=1):
        """Builds what a test needs; returns (success, output)."""
        target = "sluice" if test.endswith(".py") else test.partition("=")[0]
        status, output = _run(["ninja", "-C", str(self.build), f"-j{jobs}", target], self.tree,
                              BUILD_SECONDS)
        return status == 0, output

    def _command(self, test):
        if test.endswith(".py"):
            return ["python3", test, str(self.build / "sluice")]
        target, _, test_filter = test.partition("=")
        binary = self.build / "tests" / target
        return [str(binary), "--gtest_fail_fast", "--gtest_brief=1",
                f"--gtest_filter={test_filter or '*'}"]

    def measure(self, test, jobs):
        """Runs a test once without a mutant, to check that it passes and measure its time."""
        if test in self._seconds:
            return
        built, output = self.compile(test, jobs)
        if not built:
            raise ScratchError(f"{test} does not build without a mutant:\n{output[-3000:]}")
        began = time.monotonic()
        status, output = _run(self._command(test), self.tree, BUILD_SECONDS)
        if status != 0:
            raise ScratchError(f"{test} fails without a mutant:\n{output[-3000:]}")
        if "Running 0 tests" in output or "PASSED  ] 0 tests" in output:
            raise ScratchError(f"{test}: the filter matches no test")
        self._seconds[test] = time.monotonic() - began

    def passes(self, test):
        """Returns whether a test passes with the current tree. A hanging test does not."""
        limit = PATIENCE_SECONDS + PATIENCE_FACTOR * self._seconds[test]
        status, _ = _run(self._command(test), self.tree, limit)
        return status == 0

    def write(self, file, text):
        pathlib.Path(self.tree / file).write_text(text, encoding="utf-8")
