"""python's grpcio: Envoy's service, health, reflection, deadlines and a drain."""

import os
import signal
import tempfile

import scene
from scene import PROJECT, Server, run
from server import DEADLINE_SECONDS, expect, run_tests

scene.use_venv()

import grpc  # noqa: E402
from google.protobuf import (  # noqa: E402
    descriptor_pb2, descriptor_pool, json_format, message_factory)
from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: E402
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # noqa: E402
    ProtoReflectionDescriptorDatabase)

RULES = """
domain: api
rules:
  - { name: posts, match: { path: /v1/posts }, per: [user], limit: 2/h }
  - { name: quiet, match: { path: /v1/quiet }, per: [user], limit: 1/h, mode: shadow }
---
domain: messaging
descriptors:
  - key: to
    rate_limit: { unit: year, requests_per_unit: 5 }
"""
SERVICE = "envoy.service.ratelimit.v3.RateLimitService"


def pool_of(*names):
    """Returns a descriptor pool with these files of proto/."""
    proto = os.path.join(PROJECT, "proto")
    with tempfile.NamedTemporaryFile() as file:
        run("protoc", f"--proto_path={proto}", "--include_imports",
            f"--descriptor_set_out={file.name}", *names)
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for one in files.file:
        pool.Add(one)
    return pool


class Caller:
    """Calls methods of services with dictionaries."""

    def __init__(self, server, pool=None, **options):
        self.channel = grpc.insecure_channel(server.address, **options)
        self.pool = pool or descriptor_pool.DescriptorPool(
            ProtoReflectionDescriptorDatabase(self.channel))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def call(self, service, method, given, **options):
        found = self.pool.FindServiceByName(service).FindMethodByName(method)
        request = message_factory.GetMessageClass(found.input_type)
        reply = message_factory.GetMessageClass(found.output_type)
        stub = self.channel.unary_unary(f"/{service}/{method}", request.SerializeToString,
                                        reply.FromString)
        options = {"timeout": DEADLINE_SECONDS, **options}
        return json_format.MessageToDict(stub(json_format.ParseDict(given, request()), **options))


def descriptor(value, **more):
    return {"entries": [{"key": "to", "value": value}], **more}


def status_of(call):
    try:
        return call()
    except grpc.RpcError as error:
        return error.code()


def test_envoys_service_by_its_protos():
    pool = pool_of("envoy/service/ratelimit/v3/rls.proto")
    with Server(RULES) as server, Caller(server, pool) as caller:
        def ask(*descriptors, **more):
            given = {"domain": "messaging", "descriptors": descriptors, **more}
            reply = caller.call(SERVICE, "ShouldRateLimit", given)
            return reply["overallCode"], [status.get("limitRemaining", 0)
                                          for status in reply["statuses"]]

        expect(ask(descriptor("1")), ("OK", [4]))
        expect(ask(descriptor("1"), hitsAddend=2), ("OK", [2]))
        expect(ask(descriptor("1", hitsAddend=3)), ("OVER_LIMIT", [2]))
        expect(ask(descriptor("1", hitsAddend=0)), ("OK", [2]), "a look")
        expect(ask(descriptor("1"), descriptor("2")), ("OK", [1, 4]))
        expect(ask(descriptor("1", hitsAddend=1, isNegativeHits=True)), ("OK", [2]))
        override = {"requestsPerUnit": 1, "unit": "DAY"}
        expect(ask(descriptor("3", limit=override)), ("OK", [0]))
        expect(ask(descriptor("3", limit=override)), ("OVER_LIMIT", [0]))
        expect(ask({"entries": [{"key": "other"}]}), ("OK", [0]), "no limit applies")


def test_a_refusal_has_headers_and_a_body():
    pool = pool_of("envoy/service/ratelimit/v3/rls.proto")
    given = {"domain": "api", "descriptors": [{"entries": [
        {"key": "path", "value": "/v1/posts"}, {"key": "user", "value": "1"}]}]}
    with Server(RULES) as server, Caller(server, pool) as caller:
        replies = [caller.call(SERVICE, "ShouldRateLimit", given) for _ in range(3)]
        expect([reply["overallCode"] for reply in replies], ["OK", "OK", "OVER_LIMIT"])
        headers = {header["key"]: header["value"] for header in replies[2]["responseHeadersToAdd"]}
        expect(headers["Content-Type"], "application/problem+json")
        assert 0 < int(headers["Retry-After"]) <= 1800, headers
        assert replies[2]["rawBody"], replies[2]


def test_the_limiter_service_by_reflection():
    with Server(RULES) as server, Caller(server) as caller:
        given = {"domain": "api", "attributes": {"user": "1", "path": "/v1/quiet"}}
        verdicts = [caller.call("sluice.v1.Limiter", "Check", given) for _ in range(2)]
        expect([verdict["allowed"] for verdict in verdicts], [True, True])
        decision, = verdicts[1]["decisions"]
        expect((decision.get("allowed", False), decision["mode"]), (False, "MODE_SHADOW"))


def test_errors_have_their_status():
    with Server(RULES) as server, Caller(server) as caller:
        def ask(given, **options):
            return status_of(lambda: caller.call(SERVICE, "ShouldRateLimit", given, **options))

        expect(ask({"descriptors": [descriptor("1")]}), grpc.StatusCode.INVALID_ARGUMENT)
        missing = caller.channel.unary_unary("/no.such.Service/Method")
        expect(status_of(lambda: missing(b"", timeout=DEADLINE_SECONDS)),
               grpc.StatusCode.UNIMPLEMENTED)
        # Envoy lets a request pass if its call fails, so one that is too large is over the limit.
        large = {"domain": "messaging", "descriptors": [descriptor("x" * 2_000_000)]}
        expect(ask(large)["overallCode"], "OVER_LIMIT")
        too_large = {"domain": "api", "attributes": {"user": "x" * 2_000_000}}
        expect(status_of(lambda: caller.call("sluice.v1.Limiter", "Check", too_large)),
               grpc.StatusCode.RESOURCE_EXHAUSTED)
        good = {"domain": "messaging", "descriptors": [descriptor("1")]}
        expect(ask(good)["overallCode"], "OK", "the channel goes on")


def test_many_calls_at_once():
    pool = pool_of("envoy/service/ratelimit/v3/rls.proto")
    found = pool.FindServiceByName(SERVICE).FindMethodByName("ShouldRateLimit")
    request = message_factory.GetMessageClass(found.input_type)
    reply = message_factory.GetMessageClass(found.output_type)
    with Server(RULES) as server, Caller(server, pool) as caller:
        stub = caller.channel.unary_unary(f"/{SERVICE}/ShouldRateLimit", request.SerializeToString,
                                          reply.FromString)
        given = json_format.ParseDict({"domain": "messaging", "descriptors": [descriptor("1")]},
                                      request())
        calls = [stub.future(given, timeout=DEADLINE_SECONDS) for _ in range(1000)]
        codes = [call.result().overall_code for call in calls]
        expect((codes.count(1), codes.count(2)), (5, 995))


def health_of(stub, service=""):
    return status_of(lambda: stub.Check(health_pb2.HealthCheckRequest(service=service),
                                        timeout=DEADLINE_SECONDS))


def watch_health(stub, service=""):
    return stub.Watch(health_pb2.HealthCheckRequest(service=service), timeout=DEADLINE_SECONDS)


def test_health():
    reply = health_pb2.HealthCheckResponse
    with Server(RULES, ["--drain-delay", "20s"]) as server:
        with grpc.insecure_channel(server.address) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            for service in ("", SERVICE, "sluice.v1.Limiter"):
                expect(health_of(stub, service).status, reply.SERVING, service)
            expect(health_of(stub, "no.such.Service"), grpc.StatusCode.NOT_FOUND)
            server.process.send_signal(signal.SIGTERM)
            server.line("draining")
            expect(health_of(stub).status, reply.NOT_SERVING, "it serves on for a while")
        server.kill()


def test_watch_of_health():
    reply = health_pb2.HealthCheckResponse
    with Server(RULES) as server, grpc.insecure_channel(server.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watch = watch_health(stub)
        expect(next(watch).status, reply.SERVING)
        unknown = watch_health(stub, "no.such.Service")
        expect(next(unknown).status, reply.SERVICE_UNKNOWN)
        unknown.cancel()
        server.process.send_signal(signal.SIGTERM)
        expect([said.status for said in watch], [reply.NOT_SERVING], "the last words")
        expect(watch.code(), grpc.StatusCode.OK)
        expect(server.process.wait(DEADLINE_SECONDS), 0)


def test_compressed_requests_are_refused_with_a_reason():
    with Server(RULES) as server, Caller(server) as caller:
        given = {"domain": "messaging", "descriptors": [descriptor("x" * 1000)]}
        compressed = status_of(lambda: caller.call(SERVICE, "ShouldRateLimit", given,
                                                   compression=grpc.Compression.Gzip))
        expect(compressed, grpc.StatusCode.UNIMPLEMENTED)


run_tests(globals())
