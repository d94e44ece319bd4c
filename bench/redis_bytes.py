"""Reports the memory of one key in Redis, by algorithm, as measured by MEMORY USAGE.

    python3 bench/redis_bytes.py path/to/sluice

The columns give the number of one-unit requests the key was charged with. Needs redis-server and
redis-cli.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

from service import Server, find, free_port

LIMITS = {
    "token_bucket": "{ rate: 2000/h }",
    "token_bucket, interval": "{ rate: 2000/h, refill: interval }",
    "leaky_bucket": "{ rate: 2000/h, algorithm: leaky_bucket }",
    "fixed_window": "{ rate: 2000/d, algorithm: fixed_window }",
    "sliding_window": "{ rate: 2000/d, algorithm: sliding_window }",
    "sliding_buckets, 60": "{ rate: 2000/h, algorithm: sliding_buckets }",
    "sliding_buckets, 6": "{ rate: 2000/d, algorithm: sliding_buckets, buckets: 6 }",
    "sliding_log": "{ rate: 2000/h, algorithm: sliding_log }",
    "pacer": "{ rate: 2000/h, algorithm: pacer, burst: 2000 }",
}
CHARGES = (1, 100, 1000)
DEADLINE_SECONDS = 30


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_SECONDS)

    def check(self, rule):
        body = json.dumps({"domain": "api", "attributes": {"rule": rule, "user": "12345678"}})
        self.connection.request("POST", "/v1/check", body, {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = json.loads(reply.read())
        assert reply.status == 200, text
        return text["decisions"][0]["source"]


def measure(program, folder):
    rules = os.path.join(folder, "rules.yaml")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("domain: api\nrules:\n")
        for number, limit in enumerate(LIMITS.values()):
            file.write(f"  - {{ name: r{number}, match: {{ rule: r{number} }}, per: [user], "
                       f"limit: {limit} }}\n")
    store, port = free_port(), free_port()

    def cli(*words):
        return subprocess.run(["redis-cli", "-p", str(store), *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.split()

    def state():
        key, = [key for key in cli("KEYS", "sluice:*") if "{" in key]
        return key

    redis = [find("redis-server"), "--port", str(store), "--save", "", "--dir", folder]
    with Server(redis, store):
        with Server([program, "serve", "--rules", rules, "--listen", f"127.0.0.1:{port}",
                     "--admin", "127.0.0.1:0", "--store", f"redis://127.0.0.1:{store}",
                     "--store-deadline", "5s"], port):
            client = Client(port)
            end = time.monotonic() + DEADLINE_SECONDS
            while client.check("r0") != "redis":
                assert time.monotonic() < end, "redis never decided"
            print(f"{'bytes of one key':24}" + "".join(f"{count:>9}" for count in CHARGES))
            for number, name in enumerate(LIMITS):
                for key in cli("KEYS", "sluice:*"):
                    if "{" in key:
                        cli("DEL", key)
                charged, row = 0, []
                for count in CHARGES:
                    while charged < count:
                        client.check(f"r{number}")
                        charged += 1
                    row.append(int(cli("MEMORY", "USAGE", state(), "SAMPLES", "0")[0]))
                print(f"{name:24}" + "".join(f"{bytes_:9,}" for bytes_ in row))


def main():
    with tempfile.TemporaryDirectory() as folder:
        measure(sys.argv[1], folder)


if __name__ == "__main__":
    main()
