#!/usr/bin/env python3
"""Runs the worked examples of tests/vectors/rate.json through `sluice simulate`.

usage: vectors.py SLUICE [CASES]

Each case is a limit and steps with their expected replies. Prints every case that differs and ends
with the number of cases that passed and failed; exits with 1 if any failed.
"""
import json
import pathlib
import subprocess
import sys

DEFAULT_CASES = pathlib.Path(__file__).resolve().parent.parent / "vectors" / "rate.json"
TIMEOUT_S = 60
# The reply to a refund describes the state afterwards; these members do not apply to it.
NOT_OF_A_REFUND = {"allowed", "retry_after", "wait"}


def ask(sluice, case):
    """Returns the replies to a case's steps, and an error if there is not one reply per step."""
    steps = [{name: value for name, value in step.items() if name != "expect"}
             for step in case["steps"]]
    done = subprocess.run(
        [sluice, "simulate", "--limit", json.dumps(case["limit"])],
        input="".join(json.dumps(step) + "\n" for step in steps),
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    replies = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0 or len(replies) != len(steps):
        return replies, [f"{len(replies)} replies to {len(steps)} steps, "
                         f"exit {done.returncode}: {done.stderr.strip()[:300]}"]
    return replies, []


def agrees(got, want, tolerance):
    """Returns whether a field has the expected value; numbers may be off by the tolerance."""
    if type(got) is int and type(want) is int:
        return abs(got - want) <= tolerance
    return type(got) is type(want) and got == want


def differences(case, replies):
    """Yields a sentence for every field that is not as expected."""
    for place, (step, reply) in enumerate(zip(case["steps"], replies)):
        skipped = NOT_OF_A_REFUND if step.get("op") == "refund" else set()
        for field, want in step["expect"].items():
            got = reply.get(field)
            if field not in skipped and not agrees(got, want, case.get("tolerance", 0)):
                yield f"step {place} at {step['t']}: {field} is {got}, expected {want}"


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    cases_file = pathlib.Path(arguments[2]) if len(arguments) == 3 else DEFAULT_CASES
    cases = json.loads(cases_file.read_text(encoding="utf-8"))
    failed = 0
    for case in cases:
        replies, wrong = ask(arguments[1], case)
        wrong += differences(case, replies)
        if wrong:
            failed += 1
            print(f"{case['id']} ({case['about']}): " + "; ".join(wrong[:4]))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
