// Runs @grpc/grpc-js against a server and prints as JSON what grpc_js.py expects.
//
//   node grpc_js_client.js ADDRESS PROTO_FOLDER
"use strict";

const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, folder] = process.argv.slice(2);
const definition = loader.loadSync(
  ["envoy/service/ratelimit/v3/rls.proto", "sluice/v1/limiter.proto",
    "grpc/health/v1/health.proto"],
  { includeDirs: [folder], enums: String, longs: Number, defaults: true });
const loaded = grpc.loadPackageDefinition(definition);

const open = (Client) => new Client(address, grpc.credentials.createInsecure());

// Returns the reply, or the status of an error.
function call(client, method, given) {
  return new Promise((resolve) => {
    client[method](given, { deadline: Date.now() + 60_000 },
      (error, reply) => resolve(error ? { error: grpc.status[error.code] } : reply));
  });
}

function firstOf(stream) {
  return new Promise((resolve, reject) => {
    stream.on("data", (reply) => { resolve(reply); stream.cancel(); });
    stream.on("error", reject);
  });
}

async function main() {
  const rls = open(loaded.envoy.service.ratelimit.v3.RateLimitService);
  const limiter = open(loaded.sluice.v1.Limiter);
  const health = open(loaded.grpc.health.v1.Health);
  const said = {};

  const given = {
    domain: "messaging",
    descriptors: [{ entries: [{ key: "to", value: "1" }] }],
  };
  const calls = [];
  for (let i = 0; i < 1000; ++i) calls.push(call(rls, "ShouldRateLimit", given));
  said.codes = (await Promise.all(calls)).map((reply) => reply.overallCode ?? reply.error);
  said.bad = await call(rls, "ShouldRateLimit", { ...given, domain: "" });

  const check = { domain: "api", attributes: { user: "1", path: "/v1/posts" } };
  said.checks = [];
  for (let i = 0; i < 3; ++i) said.checks.push(await call(limiter, "Check", check));
  said.reset = await call(limiter, "Reset", check);
  said.again = await call(limiter, "Check", check);

  said.health = await call(health, "Check", {});
  said.watch = await firstOf(health.watch({}));
  for (const client of [rls, limiter, health]) client.close();
  console.log(JSON.stringify(said));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
