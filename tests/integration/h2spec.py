"""h2spec against `sluice serve`: every case, on paths that are read and paths that are posted to.

usage: h2spec.py path/to/sluice

h2spec is installed to build/tools where it is missing, which takes Go and the network once.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import xml.etree.ElementTree

SLUICE = sys.argv[1]
DEADLINE_SECONDS = 600
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "build", "tools")
# The newest that `go install` takes: later ones name their module in a way that it does not.
MODULE = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible"

RULES = "domain: api\nrules: [{ name: all, per: [ip], limit: 1/d }]\n"
# h2spec wants replies that have a body. Forward auth refuses GET and POST alike; the others answer
# POST, and GET with an error.
PATHS = ("/auth/api/page", "/v1/check",
         "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")

# Cases that are not ours to pass, and why.
WAIVED = {
    ("http2/3.5", "Sends invalid connection preface"):
        "the port speaks HTTP/1, too, so the reply to what is no preface is a 400 and the end",
}


def install():
    """The path of h2spec."""
    path = os.path.join(TOOLS, "h2spec")
    if not os.path.exists(path):
        # Where Go's own archive is unpacked is not always on the path.
        go = shutil.which("go", path=os.environ["PATH"] + ":/usr/local/go/bin")
        assert go, "h2spec is missing, and so is Go to install it"
        os.makedirs(TOOLS, exist_ok=True)
        subprocess.run([go, "install", MODULE], env={**os.environ, "GOBIN": TOOLS}, check=True,
                       timeout=DEADLINE_SECONDS)
    return path


def serve(folder):
    """A server on free ports, and the address that it serves."""
    rules = os.path.join(folder, "rules.yaml")
    with open(rules, "w", encoding="utf-8") as file:
        file.write(RULES)
    process = subprocess.Popen(
        [SLUICE, "serve", "--rules", rules, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
         "--log-format", "json"], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        assert line.startswith("{"), line
        said = json.loads(line)
        if said["event"] == "serving":
            return process, re.search(r"at (\S+), admin", said["text"]).group(1)
    raise AssertionError(f"it does not serve, exit {process.wait()}")


def use_up(address):
    """Takes the one unit that there is, so that replies are refusals."""
    urllib.request.urlopen(f"http://{address}/auth/api/page", timeout=DEADLINE_SECONDS).close()


def run(h2spec, address, path, folder):
    """How many cases there were; of those that failed section, description and what was seen."""
    host, port = address.rsplit(":", 1)
    report = os.path.join(folder, "report.xml")
    subprocess.run([h2spec, "--host", host, "--port", port, "--path", path, "--strict",
                    "--junit-report", report], stdout=subprocess.DEVNULL, check=False,
                   timeout=DEADLINE_SECONDS)
    cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    failed = []
    for case in cases:
        for fault in [*case.iter("failure"), *case.iter("error")]:
            seen = " ".join("".join(fault.itertext()).split())
            failed.append(((case.get("package"), case.get("classname")), seen))
    return len(cases), failed


def main():
    h2spec = install()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        process, address = serve(folder)
        try:
            use_up(address)
            for path in PATHS:
                count, failed = run(h2spec, address, path, folder)
                assert count > 100, f"only {count} cases"
                print(f"{path}: {count - len(failed)} of {count} passed")
                for case, seen in failed:
                    reason = WAIVED.get(case)
                    failures += reason is None
                    print(f"{'waived' if reason else 'FAILED'} {' '.join(case)}: {reason or seen}")
            assert process.poll() is None, f"the server has ended, exit {process.wait()}"
        finally:
            process.kill()
            process.wait()
    sys.exit(1 if failures else 0)


main()
