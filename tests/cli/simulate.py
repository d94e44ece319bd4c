#!/usr/bin/env python3
"""Runs `sluice simulate` as users and programs do.  usage: simulate.py SLUICE"""
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as xml

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECOND = 1_000_000_000
# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120


def run(*args, steps="", **options):
    return subprocess.run([SLUICE, *args], input=steps, capture_output=True, text=True,
                          timeout=PATIENCE, **options)


def simulate(*args, steps=""):
    return run("simulate", *args, steps=steps)


def lines(*steps):
    return "".join(json.dumps(step) + "\n" for step in steps)


def replies(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def expect(found, wanted):
    assert found == wanted, f"expected {wanted!r}, found {found!r}"


def expect_refused(done, *words, answered=0):
    """Expects exit code 2, every word in the message, and this many replies before the error."""
    expect(done.returncode, 2)
    expect(done.stdout.count("\n"), answered)
    for word in words:
        assert word in done.stderr, f"no {word!r} in {done.stderr!r}"


# Replies

def test_reply_format():
    done = simulate("--limit", '{"rate":"1/s","burst":5}', steps=lines({"t": 0, "cost": 2}))
    expect(done.stdout, '{"t":0,"op":"check","allowed":true,"limit":5,"remaining":3,'
                        '"retry_after":null,"reset_after":2000000000,"wait":0}\n')
    expect(done.stderr, "")


def test_limit_as_text_quoted_text_and_mapping():
    for limit in ("2/s", '"2/s"', '{"rate": "2/s"}', ' {"rate": "2/s", "algorithm": "gcra"}'):
        expect(replies(simulate("--limit", limit, steps=lines({"t": 0})))[0]["remaining"], 1)
    expect(replies(simulate("--limit=2/s", steps=lines({"t": 0})))[0]["remaining"], 1)


def test_every_op_and_the_values_never_and_null():
    steps = lines({"t": 0, "cost": 6}, {"t": 0, "cost": 5}, {"t": 0}, {"t": 0, "op": "peek"},
                  {"t": 0, "op": "refund", "cost": 2}, {"t": "1s", "op": "reset"})
    answers = replies(simulate("--limit", '{"rate":"1/s","burst":5}', steps=steps))
    expect([a["allowed"] for a in answers], [False, True, False, False, True, True])
    expect([a["retry_after"] for a in answers], ["never", None, SECOND, SECOND, None, None])
    expect([a["remaining"] for a in answers], [5, 0, 0, 0, 2, 5])
    expect([a["op"] for a in answers], ["check", "check", "check", "peek", "refund", "reset"])
    expect(answers[-1]["t"], SECOND)
    steps = lines({"t": 0, "op": "debt", "cost": 8}, {"t": 0})
    debt, check = replies(simulate("--limit", '{"rate":"1/s","burst":5}', steps=steps))
    expect((debt["op"], debt["allowed"], debt["remaining"]), ("debt", True, 0))
    expect((debt["retry_after"], debt["reset_after"], debt["wait"]), (None, 8 * SECOND, 0))
    expect((check["allowed"], check["retry_after"]), (False, 4 * SECOND))
    limit = '{"rate":"5/s","algorithm":"pacer"}'
    pacer = replies(simulate("--limit", limit, steps=lines({"t": 0})))
    expect((pacer[0]["limit"], pacer[0]["remaining"]), (None, None))


def test_time_never_goes_back_on_any_key_or_op():
    steps = lines({"t": "5s", "op": "peek", "key": "a"}, {"t": "2s", "key": "b"}, {"t": "6s"})
    answers = replies(simulate("--limit", "1/s", steps=steps))
    expect([a["t"] for a in answers], [5 * SECOND, 5 * SECOND, 6 * SECOND])


def test_keys_have_separate_units():
    steps = lines({"t": 0, "key": "a"}, {"t": 0, "key": "b"}, {"t": 0, "key": "a"}, {"t": 0})
    answers = replies(simulate("--limit", "1/s", steps=steps))
    expect([a["allowed"] for a in answers], [True, True, False, True])


def test_permits_of_a_concurrency_limit():
    limit = '{"algorithm":"concurrency","max_in_flight":1,"ttl":"10s"}'
    steps = lines({"t": 0, "op": "acquire", "id": "a"}, {"t": 1, "op": "acquire", "id": "b"},
                  {"t": 2, "op": "renew", "id": "a"}, {"t": 3, "op": "release", "id": "a"},
                  {"t": 4, "op": "acquire", "id": "b"}, {"t": 5, "op": "renew", "id": "a"},
                  {"t": 6, "op": "peek"})
    answers = replies(simulate("--limit", limit, steps=steps))
    expect([a["allowed"] for a in answers], [True, False, True, True, True, False, False])
    expect(answers[5]["retry_after"], "never")


def test_blank_lines_and_a_missing_final_newline_are_accepted():
    expect(len(replies(simulate("--limit", "9/s", steps='\n{"t":0}\r\n  \n\n{"t":1}'))), 2)
    expect(replies(simulate("--limit", "9/s", steps="")), [])


def test_same_trace_gets_the_same_replies():
    steps = "".join(lines({"t": i * 10_000_000, "key": f"k{i % 7}"}) for i in range(500))
    limit = '{"rate":"3/s","algorithm":"fixed_window","window":"staggered"}'
    expect(simulate("--limit", limit, steps=steps).stdout,
           simulate("--limit", limit, steps=steps).stdout)


def test_every_algorithm_answers_the_largest_cost_and_time():
    limits = ["1/s", '{"rate":"3/s","max_wait":"1h"}', '{"rate":"10/m","refill":"interval"}',
              '{"rate":"10/m","refill":"interval","max_wait":"1d"}']
    limits += [json.dumps({"rate": "3/m", "algorithm": name}) for name in
               ("leaky_bucket", "fixed_window", "sliding_log", "sliding_window",
                "sliding_buckets", "pacer")]
    limits += ['{"rate":"3/s","algorithm":"fixed_window","count_refused":true}',
               '{"rate":"3/s","algorithm":"sliding_log","count_refused":true}']
    cost, latest = 2**63 - 1, 6 * 10**18
    for limit in limits:
        steps = lines({"t": 0}, {"t": 0, "cost": cost}, {"t": 0, "cost": cost, "op": "peek"},
                      {"t": 0, "cost": cost, "op": "refund"}, {"t": latest},
                      {"t": latest, "cost": cost})
        answers = replies(simulate("--limit", limit, steps=steps))
        expect(len(answers), 6)
        expect(answers[1]["retry_after"], "never")
        expect(answers[4]["t"], latest)


# Errors

BAD_STEPS = [
    ('{"t":0,"cost":-1}', 'column 15: expected "cost" to be a whole number from 0'),
    ('{"t":0,"cost":1.5}', 'expected "cost" to be a whole number'),
    ('{"t":0,"cost":"1"}', 'expected "cost" to be a whole number'),
    ('{"t":-1}', 'column 6: expected "t" to be whole nanoseconds'),
    ('{"t":6000000000000000001}', "at most 6000000000000000000"),
    ('{"t":"1.5"}', "needs a unit"),
    ('{"t":0,"csot":1}', "column 8: unknown member 'csot'; did you mean 'cost'?"),
    ('{"t":0,"op":"chek"}', "unknown op 'chek'; did you mean 'check'?"),
    ('{"t":0,"key":5}', 'expected "key" to be a string'),
    ('{"cost":1}', 'expected a member "t"'),
    ('{"t":0', "column 7: expected ',' or '}'"),
    ('{"t":0}{"t":1}', "column 8: "),
    ('[]', 'expected a step such as {"t": 0, "cost": 1}, not a list'),
    ('hello', "column 1: "),
    ('{"t":0,"t":0}', "column 8: "),
    ('{"t":0,"op":"acquire","id":"a"}', "acquire is for concurrency limits; use check"),
    ('{"t":0,"op":"acquire"}', 'expected a member "id"'),
    ('{"t":0,"id":"a"}', '"id" belongs to acquire, renew and release'),
]


def test_a_bad_step_is_reported_with_its_line_after_earlier_replies():
    for step, words in BAD_STEPS:
        done = simulate("--limit", "5/s", steps='{"t":0}\n\n' + step + '\n{"t":1}\n')
        expect_refused(done, "sluice simulate: line 3: ", words, answered=1)


def test_check_on_a_concurrency_limit_suggests_acquire():
    limit = '{"algorithm":"concurrency","max_in_flight":1}'
    expect_refused(simulate("--limit", limit, steps='{"t":0}\n'), "line 1: ", "use acquire")
    expect_refused(simulate("--limit", limit, steps='{"t":0,"op":"refund"}\n'), "use release")
    expect_refused(simulate("--limit", limit, steps='{"t":0,"op":"debt"}\n'), "has no debt")


def test_invalid_utf8_is_an_error():
    done = subprocess.run([SLUICE, "simulate", "--limit", "5/s"], input=b'{"t":0,"key":"\xff"}\n',
                          capture_output=True, timeout=PATIENCE)
    expect(done.returncode, 2)
    assert b"line 1: column 15: " in done.stderr, done.stderr


def test_an_endless_line_is_refused():
    expect_refused(simulate("--limit", "5/s", steps="{" + " " * 3_000_000), "line 1: ", "1048576")


def test_a_bad_limit_is_reported_with_its_position():
    for limit, words in [("5", "expected COUNT/PERIOD"), ("", "expected COUNT/PERIOD"),
                         ("5/fortnight", "unknown unit"), ("0/s", "--limit: "),
                         ('{"rate":"1/s","brust":5}', "1:15: unknown key 'brust'; did you mean"),
                         ('{"rate":"1/s","burst":0}', "1:23: "), ('{"rate":', "1:9: "),
                         ('{\n "rate": 5}', "2:10: "), ('["1/s"]', "1:1: "),
                         ('{"rate":"1/d","algorithm":"fixed_window","window":"calendar",'
                          '"zone":"Mars/Base"}', "unknown time zone 'Mars/Base'")]:
        expect_refused(simulate("--limit", limit, steps='{"t":0}\n'), "sluice simulate: --limit: ",
                       words)
    expect_refused(simulate("--compare", "5/s", "5"), "--compare: ")


def test_bad_flags_are_reported_with_what_was_expected():
    for args, words in [([], "expected --limit LIMIT"),
                        (["--limt", "5/s"], "did you mean '--limit'?"),
                        (["--limit"], "--limit needs a value"),
                        (["--limit", "--plot", "x.svg"], "--limit needs a value"),
                        (["--limit", "5/s", "--limit", "6/s"], "given twice"),
                        (["--limit", "5/s", "6/s"], "unexpected argument '6/s'"),
                        (["--limit", "5/s", "-o", "json"], "--compare"),
                        (["--compare", "5/s", "-o", "yaml"], "expected table or json"),
                        (["--limit", "5/s", "--plot", "x.png"], "ends in .svg, found 'x.png'"),
                        (["--limit", "5/s", "--plot", ".svg"], "ends in .svg, found '.svg'"),
                        (["--limit", "5/s", "--key", "a"], "give --plot FILE.svg too"),
                        (["--limit", "5/s", "--svg", "x.svg"], "did you mean '--plot'?"),
                        (["--limit", "5/s", "--trace", "/no/such/file"], "No such file"),
                        (["--limit", "5/s", "--trace", "/"], "Is a directory")]:
        expect_refused(simulate(*args), words)


def test_commands_help_and_version():
    with open(os.path.join(PROJECT, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(sluice VERSION (\S+)", file.read()).group(1)
    expect(run("--version").stdout, f"sluice {version}\n")
    for args in (["help"], ["--help"]):
        done = run(*args)
        expect(done.returncode, 0)
        assert "simulate" in done.stdout
    expect(run("help", "simulate").stdout, simulate("--help").stdout)
    expect_refused(run("simulat"), "unknown command 'simulat'; did you mean 'simulate'?")
    expect_refused(run(), "usage: sluice COMMAND")


def expect_true_example(command, shown):
    """Compares the output of a shell command; `...` at the end of a line matches more text."""
    path = os.path.dirname(os.path.abspath(SLUICE)) + os.pathsep + os.environ.get("PATH", "")
    done = subprocess.run(["sh", "-c", command + " 2>&1"], cwd=PROJECT, capture_output=True,
                          text=True, timeout=PATIENCE, env={**os.environ, "PATH": path})
    printed = done.stdout.splitlines()
    expect(len(printed), len(shown))
    for line, want in zip(printed, shown):
        cut = want.removesuffix("...")
        expect(line if cut == want else line[:len(cut)], cut)


def test_example_in_the_help_is_real():
    text = simulate("--help").stdout
    command, shown = re.search(r"^  \$ (.*?--limit 2/s)\n(.*?)\n\n", text, re.M | re.S).groups()
    expect_true_example(command, [line.strip() for line in shown.splitlines()])


def test_examples_in_the_document_are_real():
    with open(os.path.join(PROJECT, "docs", "simulate.md"), encoding="utf-8") as file:
        examples = re.findall(r"^```console\n\$ (.*?)\n(.*?)\n```$", file.read(), re.M | re.S)
    expect(len(examples), 4)
    for command, shown in examples:
        expect_true_example(command, shown.splitlines())


def test_output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([SLUICE, "simulate", "--limit", "5/s"], input=b'{"t":0}\n',
                              stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
    expect(done.returncode, 1)
    assert b"No space left" in done.stderr, done.stderr


# Streaming

def read_line(process):
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, "no reply while the input stays open"
    return process.stdout.readline()


def test_an_interactive_run_gets_each_reply_at_once():
    with subprocess.Popen([SLUICE, "simulate", "--limit", "2/s"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, bufsize=0) as process:
        for remaining in (1, 0):
            process.stdin.write(b'{"t":0}\n')
            expect(json.loads(read_line(process))["remaining"], remaining)
        # A partial step must not delay the reply to the one before it.
        process.stdin.write(b'{"t":"1s"}\n{"t":')
        expect(json.loads(read_line(process))["t"], SECOND)
        process.stdin.write(b'"2s"}\n')
        expect(json.loads(read_line(process))["t"], 2 * SECOND)
        process.stdin.close()
        expect(process.wait(PATIENCE), 0)


def time_trace(count):
    """Returns the time that this many steps take: a thousand keys in turn, two units each."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as trace:
        trace.writelines(f'{{"t":{i * 1000},"cost":2,"key":"user-{i % 1000}"}}\n'
                         for i in range(count))
        trace.flush()
        begun = time.monotonic()
        done = simulate("--limit", "100/m", "--trace", trace.name)
        took = time.monotonic() - begun
    expect(done.returncode, 0)
    expect(done.stdout.count("\n"), count)
    # Each key has 100 units, and fewer than two of them return within the second of the trace.
    expect(done.stdout.count('"allowed":true'), min(count, 50_000))
    return took


def test_a_million_steps_stream_through():
    # A sanitised build without optimisation is about fifty times slower and gets fewer steps.
    count = 1_000_000 if time_trace(20_000) < 0.5 else 100_000
    took = time_trace(count)
    print(f"  {count} steps took {took:.1f} s")


# Plots

SVG = "{http://www.w3.org/2000/svg}"


def draw(limit, steps):
    """Returns the plot as XML, and its size in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plot.svg")
        done = simulate("--limit", limit, "--plot", path, steps=steps)
        replies(done)
        expect(os.listdir(folder), ["plot.svg"])
        return xml.parse(path).getroot(), os.path.getsize(path)


def words(root):
    return [element.text for element in root.iter(SVG + "text")]


def test_plot_is_a_standalone_picture():
    steps = "".join(lines({"t": i * 100_000_000}) for i in range(49))
    root, _ = draw('{"rate":"5/s","burst":12}', steps)
    expect(root.tag, SVG + "svg")
    expect((root.get("width"), root.get("height")), ("1200", "600"))
    shown = words(root)
    # 12 units at first and 24 more in 4.8 s.
    for word in ("Limit 5/s, burst 12", "36 allowed, 13 refused", "allowed", "refused",
                 "units left", "1 s", "0", "10"):
        assert word in shown, f"no {word!r} in {shown}"
    text = xml.tostring(root, encoding="unicode")
    for banned in ("<script", "href", "@import", "url(http", "data:"):
        assert banned not in text, banned


def test_plot_shows_each_request_once():
    root, _ = draw("3/s", lines(*[{"t": 0}] * 5, {"t": "1s"}))
    path = {element.get("class"): element.get("d") for element in root.iter(SVG + "path")
            if element.get("style") is None}
    expect(path["dots"].count("M"), 4)
    expect(path["crosses"].count("M"), 2)


def draw_with(*flags, steps):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plot.svg")
        done = simulate("--plot", path, *flags, steps=steps)
        return done, xml.parse(path).getroot() if os.path.exists(path) else None


def test_plot_shows_the_most_refused_key_or_the_given_one():
    steps = lines({"t": 0, "key": "first"}, *[{"t": 0, "key": "busy"}] * 4, {"t": 1, "key": "last"})
    _, root = draw_with("--limit", "2/s", steps=steps)
    assert 'units left, key "busy" (one of several)' in words(root), words(root)
    _, root = draw_with("--limit", "2/s", "--key", "last", steps=steps)
    assert 'units left, key "last" (one of several)' in words(root), words(root)
    done, root = draw_with("--limit", "2/s", "--key", "nobody", steps=steps)
    expect((done.returncode, root), (1, None))
    assert "--plot: no step has the key 'nobody'" in done.stderr, done.stderr


def test_plot_shows_each_compared_limit():
    steps = lines(*[{"t": 0}] * 5, {"t": "1s"})
    done, root = draw_with("--compare", "2/s", "3/s", steps=steps)
    expect(done.returncode, 0)
    assert done.stdout.startswith("limit "), done.stdout
    expect((root.get("width"), root.get("height")), ("1200", "1200"))
    expect([picture.get("y") for picture in root.iter(SVG + "svg")], [None, "0", "600"])
    for word in ("Limit 2/s", "3 allowed, 3 refused", "Limit 3/s", "4 allowed, 2 refused"):
        assert word in words(root), f"no {word!r} in {words(root)}"


def test_plot_of_many_steps_is_small():
    steps = "".join(f'{{"t":{i * 1_000_000},"key":"k{i % 3}"}}\n' for i in range(100_000))
    root, size = draw('{"rate":"100/s","algorithm":"sliding_window"}', steps)
    assert size < 150_000, size
    assert any(word.startswith("requests in ") for word in words(root)), words(root)


def test_plots_of_every_algorithm_and_of_odd_traces_are_well_formed():
    odd = ['', '{"t":0}\n', '{"t":0,"cost":0}\n', '{"t":6000000000000000000}\n',
           '{"t":1700000000000000000}\n{"t":1700000060000000000}\n', '{"t":5}\n{"t":6}\n',
           '{"t":0}\n{"t":6000000000000000000}\n',
           '{"t":0,"key":"<&\\u0001>"}\n{"t":1,"key":"b"}\n']
    for steps in odd:
        draw("10/s", steps)
    for name in ("token_bucket", "leaky_bucket", "fixed_window", "sliding_log", "sliding_window",
                 "sliding_buckets", "pacer"):
        draw(json.dumps({"rate": "120/m", "algorithm": name}),
             "".join(lines({"t": i * 300_000_000}) for i in range(20)))
    draw('{"algorithm":"concurrency","max_in_flight":2}',
         lines({"t": 0, "op": "acquire", "id": "a"}, {"t": "5s", "op": "release", "id": "a"}))
    draw('{"rate":"0/s","algorithm":"fixed_window"}', '{"t":0}\n')


def test_picture_in_the_document_is_current():
    with open(os.path.join(PROJECT, "examples", "day.jsonl"), encoding="utf-8") as file:
        root, _ = draw('{"rate":"20/h","burst":15}', file.read())
    kept = xml.parse(os.path.join(PROJECT, "docs", "simulate.svg")).getroot()
    expect(words(kept), words(root))
    expect([e.get("class") for e in kept.iter()], [e.get("class") for e in root.iter()])


def test_a_plot_that_cannot_be_written_is_a_failure_after_the_replies():
    done = simulate("--limit", "5/s", "--plot", "/no/such/folder/x.svg", steps='{"t":0}\n')
    expect((done.returncode, done.stdout.count("\n")), (1, 1))
    assert "--plot: cannot write '/no/such/folder/x.svg'" in done.stderr, done.stderr


def test_a_bad_step_keeps_the_previous_plot():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plot.svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write("earlier")
        expect(simulate("--limit", "5/s", "--plot", path, steps='{"t":0}\nx\n').returncode, 2)
        with open(path, encoding="utf-8") as file:
            expect(file.read(), "earlier")


# Comparing

# Five requests at once, one at 500 ms, one at 1 s and one at 3 s.
TRACE = lines(*[{"t": 0}] * 5, {"t": "500ms"}, {"t": "1s"}, {"t": "3s"})


def compare(*args, steps=TRACE):
    done = simulate("--compare", *args, "-o", "json", steps=steps)
    expect(done.returncode, 0)
    return json.loads(done.stdout)["limits"]


def test_compare_matches_numbers_computed_by_hand():
    bucket, log, leaky = compare(
        "2/s", '{"rate":"2/s","algorithm":"sliding_log"}',
        '{"rate":"2/s","algorithm":"leaky_bucket","burst":2}')
    # Two pass at 0; one unit is back at 500 ms and one more at 1 s; at 3 s the bucket is full.
    expect(bucket, {"limit": "2/s", "allowed": 5, "refused": 3, "share_allowed": 0.625,
                    "first_refusal_at": 0, "longest_run_allowed": 3, "total_wait": 0,
                    "period": SECOND, "most_units_in_period": 3})
    # Two pass at 0 and fill the second; at 1 s they have just left the window.
    expect((log["allowed"], log["refused"], log["longest_run_allowed"]), (4, 4, 2))
    expect(log["most_units_in_period"], 2)
    # Three pass at 0 and wait for 0, 500 and 1000 ms. The next turns are at 1.5 and 2 s, so the
    # requests at 500 ms and at 1 s wait for 1 s each, and the one at 3 s does not wait.
    expect((leaky["allowed"], leaky["refused"]), (6, 2))
    expect(leaky["total_wait"], 3_500_000_000)
    expect(leaky["most_units_in_period"], 4)


def test_compare_counts_units_of_one_key():
    steps = lines({"t": 0, "cost": 3, "key": "a"}, {"t": 0, "cost": 4, "key": "b"},
                  {"t": 1, "cost": 2, "key": "b"}, {"t": 2, "op": "peek", "key": "b", "cost": 9},
                  {"t": 2, "op": "refund", "key": "b", "cost": 6})
    row, = compare("6/m", steps=steps)
    expect((row["allowed"], row["refused"], row["most_units_in_period"]), (3, 0, 6))
    expect(row["first_refusal_at"], None)


def test_compare_without_requests_and_without_a_period():
    rate, permits = compare("1/s", '{"algorithm":"concurrency","max_in_flight":1}', steps="")
    expect((rate["allowed"], rate["share_allowed"], rate["most_units_in_period"]), (0, 0, 0))
    expect((permits["period"], permits["most_units_in_period"]), (None, None))


def test_compare_table_is_aligned_and_begins_with_the_limit_flag():
    done = simulate("--limit", "1/s", "--compare", "2/s",
                    '{"rate":"2/s","algorithm":"sliding_log"}', steps=TRACE)
    expect(done.returncode, 0)
    table = done.stdout.splitlines()
    expect(len(table), 4)
    expect({len(line) for line in table}, {len(table[0])})
    expect(re.split("  +", table[0]),
           ["limit", "allowed", "refused", "share allowed", "first refusal at",
            "longest run allowed", "total wait", "most units in a period"])
    expect(re.split("  +", table[1]), ["1/s", "3", "5", "37.5%", "0s", "2", "0s", "1 in 1s"])
    expect(re.split("  +", table[2]), ["2/s", "5", "3", "62.5%", "0s", "3", "0s", "3 in 1s"])
    expect(re.split("  +", table[3])[0], "2/s, sliding_log")


def test_compare_names_the_limit_that_a_step_does_not_fit():
    expect_refused(simulate("--compare", "1/s", '{"algorithm":"concurrency","max_in_flight":1}',
                            steps=TRACE), "line 1: concurrency, max_in_flight 1: ", "use acquire")


def test_example_traces_run():
    for name, limit in (("burst.jsonl", "3/s"), ("day.jsonl", '{"rate":"20/h","burst":15}')):
        path = os.path.join(PROJECT, "examples", name)
        answers = replies(simulate("--limit", limit, "--trace", path))
        assert {a["allowed"] for a in answers} == {True, False}, name


def main():
    passed = failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            passed += 1
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
