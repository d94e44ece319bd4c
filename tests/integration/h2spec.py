"""h2spec: every case, on paths for GET and on paths for POST."""

import os
import subprocess
import tempfile
import xml.etree.ElementTree

from scene import TOOLS, Server, tool
from server import ask, expect, run_tests

# The timeout of one run: some cases wait for seconds to see that no frame arrives.
RUN_SECONDS = 280

RULES = "domain: api\nrules: [{ name: all, per: [ip], limit: 1/d }]\n"
# h2spec expects replies that have a body. Forward auth refuses GET and POST alike; the others
# answer POST, and GET with an error.
PATHS = ("/auth/api/page", "/v1/check",
         "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")

# Cases that do not apply to us, with the reason.
WAIVED = {
    ("http2/3.5", "Sends invalid connection preface"):
        "the port speaks HTTP/1, too, so the reply to what is no preface is a 400 and the end",
}


def run(address, path, folder):
    """Returns the number of cases, and section, description and result of those that failed."""
    host, port = address.rsplit(":", 1)
    report = os.path.join(folder, "report.xml")
    h2spec = tool("h2spec", os.path.join(TOOLS, "bin", "h2spec"))
    subprocess.run([h2spec, "--host", host, "--port", port, "--path", path, "--strict",
                    "--junit-report", report], stdout=subprocess.DEVNULL, check=False,
                   timeout=RUN_SECONDS)
    cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    failed = []
    for case in cases:
        for fault in [*case.iter("failure"), *case.iter("error")]:
            seen = " ".join("".join(fault.itertext()).split())
            failed.append(((case.get("package"), case.get("classname")), seen))
    return len(cases), failed


def test_every_case_passes():
    with Server(RULES) as server, tempfile.TemporaryDirectory() as folder:
        # Uses up the only unit, so that replies are refusals.
        expect(ask(server.address, "/auth/api/page")[0], 200)
        failures = []
        for path in PATHS:
            count, failed = run(server.address, path, folder)
            assert count > 100, f"only {count} cases"
            failures += [(path, case, seen) for case, seen in failed if case not in WAIVED]
        expect(failures, [])


run_tests(globals())
