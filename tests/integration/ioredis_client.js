// Runs ioredis against a server and prints as JSON what ioredis.py expects.
//
//   node ioredis_client.js PORT SEQUENCES ERRORS
//
// SEQUENCES: the arguments of CL.THROTTLE calls by key; ERRORS: the arguments of invalid calls.
"use strict";

const Redis = require("ioredis");

const [port, sequences, errors] = process.argv.slice(2).map((text) => JSON.parse(text));

async function main() {
  const client = new Redis({ port, connectionName: "a-name", maxRetriesPerRequest: 1 });
  const client2 = new Redis({ port, protocol: 2, maxRetriesPerRequest: 1 });
  const check = (by, user) => by.call("SLUICE.CHECK", "api", "path", "/v1/posts", "user", user);
  const said = { sequences: {}, errors: [] };

  for (const [key, calls] of Object.entries(sequences)) {
    said.sequences[key] = [];
    for (const call of calls) {
      said.sequences[key].push(await client.call("CL.THROTTLE", key, ...call.split(" ")));
    }
  }
  for (const call of errors) {
    said.errors.push(await client.call("CL.THROTTLE", "k", ...call.split(" ")).then(
      (reply) => JSON.stringify(reply), (error) => error.message));
  }

  const pipeline = client.pipeline();
  for (let i = 0; i < 1000; ++i) pipeline.call("CL.THROTTLE", "pipeline", 99, 1, 3600);
  said.pipeline = (await pipeline.exec()).map(([error, reply]) => error ?? reply);

  said.check = [];
  for (let i = 0; i < 3; ++i) said.check.push(await check(client, "1"));
  said.check_2 = await check(client2, "2");
  said.name = await client.client("GETNAME");
  said.status = client.status;
  await Promise.all([client.quit(), client2.quit()]);
  console.log(JSON.stringify(said));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
