"""deploy/sluice.service: systemd accepts it and rates it as confined."""

import os
import re
import tempfile

from scene import PROJECT, run, tool
from server import SLUICE, run_tests

UNIT = os.path.join(PROJECT, "deploy", "sluice.service")
# In tenths; systemd rates less than 2 as "OK", and a service without any confinement has 96.
EXPOSURE_MOST = 19


def test_the_unit_is_confined():
    # Exits with an error if the exposure is above the threshold.
    said = run(tool("systemd-analyze"), "security", "--offline=true", "--no-pager",
               f"--threshold={EXPOSURE_MOST}", UNIT)
    assert re.search(r"Overall exposure level for sluice.service: [01]\.\d", said), said


def test_systemd_understands_every_line():
    with open(UNIT, encoding="utf-8") as file:
        text = file.read()
    assert "ExecStart=/usr/bin/sluice serve " in text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sluice.service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/bin/sluice", os.path.abspath(SLUICE)))
        said = run(tool("systemd-analyze"), "verify", "--man=no", "--recursive-errors=no", path)
    assert said == "", said


def test_the_unit_has_descriptors_for_all_connections():
    """The system call filter keeps the server from raising the limit itself."""
    with open(UNIT, encoding="utf-8") as file:
        text = file.read()
    assert int(re.search(r"(?m)^LimitNOFILE=(\d+)$", text).group(1)) > 10_000
    assert re.search(r"(?m)^SystemCallFilter=~.*@resources", text)
    assert re.search(r"(?m)^LimitCORE=0$", text)


run_tests(globals())
