"""Counts the instructions that the server executes per request, under callgrind.

    python3 bench/instructions.py [--against BINARY] [--requests N] [--profile FOLDER] SLUICE

Each workload runs twice on a fresh server, with N and with 3 N requests. The difference of the two
counts divided by 2 N is the cost of one request: start-up and shutdown cancel out. The count does
not depend on the speed of the machine or on what else runs on it. Needs valgrind.

--profile keeps callgrind's output, one file per workload. If the program is stripped, the names of
functions come from the .debug file beside it. Read the output with callgrind_annotate.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

DEADLINE_SECONDS = 120
RULES = """
domain: api
rules:
  - { name: all, per: [user], limit: { rate: 1000000/s, burst: 1000000 } }
"""
WORKLOADS = {
    "RLS, 1 x 10 streams": ["--protocol", "rls", "--domain", "api", "--streams", "10"],
    "/v1/check, keep-alive": ["--domain", "api", "--pipeline", "1"],
    "CL.THROTTLE, pipeline 16": ["--protocol", "resp", "--pipeline", "16",
                                 "--command", "CL.THROTTLE {key} 1000000 1000000 1"],
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_listening(process, port):
    end = time.monotonic() + DEADLINE_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server does not start under callgrind")


def copy_program(sluice, folder):
    """Copies the program with the names of its functions but without its debug information.

    Some versions of valgrind cannot read the debug information of clang, and give up.
    """
    copy, symbols = f"{folder}/sluice", f"{folder}/sluice.debug"
    subprocess.run(["strip", "--strip-debug", "-o", copy, sluice], check=True)
    if not os.path.exists(f"{sluice}.debug"):
        return
    subprocess.run(["strip", "--strip-debug", "-o", symbols, f"{sluice}.debug"], check=True)
    # The debug link contains a checksum of the file it names, so it must be made again.
    subprocess.run(["objcopy", "--remove-section=.gnu_debuglink", copy], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={symbols}", copy], check=True)


def count(sluice, folder, flags, requests, profile="/dev/null"):
    """Returns the instructions of a server from start to exit, for this many requests."""
    port = free_port()
    core = str(min(os.sched_getaffinity(0)))  # The server starts one worker per core it may use.
    command = ["taskset", "-c", core, "valgrind", "--tool=callgrind",
               f"--callgrind-out-file={profile}", f"{folder}/sluice", "serve", "--rules",
               f"{folder}/rules.yaml", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0"]
    with open(f"{folder}/stderr", "w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            wait_until_listening(process, port)
            done = subprocess.run(
                [sluice, "bench", "--server", f"127.0.0.1:{port}", "--connections", "1", "--keys",
                 "1000", "--requests", str(requests), "--timeout", "60s", "-o", "json", *flags],
                capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=True)
        finally:
            process.terminate()
            process.wait(DEADLINE_SECONDS)
        errors.seek(0)
        collected = re.search(r"Collected : (\d+)", errors.read())
    report = json.loads(done.stdout)
    if report["allowed"] != requests or collected is None:
        raise RuntimeError(f"expected {requests} allowed requests, found {done.stdout}")
    return int(collected.group(1))


def measure(sluice, requests, profiles=None):
    """Returns the instructions per request of each workload."""
    def profile(name):
        return f"{profiles}/{re.sub('[^A-Za-z0-9]+', '-', name)}.callgrind" if profiles else None

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/rules.yaml", "w", encoding="utf-8") as file:
            file.write(RULES)
        copy_program(sluice, folder)
        return {name: (count(sluice, folder, flags, 3 * requests, profile(name) or "/dev/null") -
                       count(sluice, folder, flags, requests)) / (2 * requests)
                for name, flags in WORKLOADS.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sluice")
    parser.add_argument("--against", metavar="BINARY", help="an older binary to compare with")
    parser.add_argument("--profile", metavar="FOLDER", help="keep what callgrind has recorded")
    parser.add_argument("--requests", type=int, default=20_000, help="default: 20000")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: valgrind is not installed (make setup-all)", file=sys.stderr)
        return 2
    for binary in filter(None, (options.sluice, options.against)):
        if not os.access(binary, os.X_OK):
            print(f"instructions: {binary}: not an executable file", file=sys.stderr)
            return 2
    if options.profile:
        os.makedirs(options.profile, exist_ok=True)
    now = measure(options.sluice, options.requests, options.profile)
    before = measure(options.against, options.requests) if options.against else {}
    compared = f"{'before':>10}  ratio" if before else ""
    print(f"{'instructions per request':28}{'now':>10}{compared}")
    for name, cost in now.items():
        compared = f"{before[name]:10,.0f}  {cost / before[name]:.4f}" if before else ""
        print(f"{name:28}{cost:10,.0f}{compared}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
