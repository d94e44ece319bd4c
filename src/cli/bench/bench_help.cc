#include "cli/bench/bench_arguments.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    R"(sluice bench: how many requests a server answers, and how fast

usage: sluice bench --server ADDRESS [FLAGS]

Sends requests to any server of the protocol, counts what is allowed, refused and fails, and prints
the rate of answers and their latencies. States and limits of the server are used as by any caller.

what is sent ({key} in a text stands for the key, a number):
  --server ADDRESS     where the server is: host:port or unix:PATH
  --protocol NAME      http (default), rls (Envoy's rate limit service), resp or forward-auth
  --domain DOMAIN      of http with a body, rls and forward-auth
  --attribute N=V...   what is known of a request: user={key} unless said; forward-auth carries
                       method, host, path, ip and header.NAME, header.x-user-id={key} unless said
  --method NAME        http: POST (default: a check as JSON), or GET without a body
  --path PATH          http: /v1/check unless said
  --command TEXT       resp: 'CL.THROTTLE {key} 15 30 60 1' unless said, or any other
  --header TEXT        http, rls and forward-auth: 'NAME: VALUE', sent as it is with each request;
                       may be given again
  --token-file FILE    holds a token, shown as a bearer token; resp: by AUTH on each connection
  --keys COUNT         how many different keys, 1000 unless said
  --distribution NAME  uniform (default), zipf, hot (nine of ten for one key) or sequential
  --seed NUMBER        of the choice of keys, 1 unless said

how much:
  --connections COUNT  10 unless said
  --streams COUNT      rls: calls at a time on each connection, 10 unless said
  --pipeline COUNT     all others: requests at a time on each connection, 1 unless said
  --threads COUNT      1 unless said
  --rate COUNT         open loop: so many requests a second, whatever the answers; latency counts
                       from when a request was to be sent. Without it the loop is closed: an answer
                       brings the next request
  --duration LENGTH    10s unless said
  --requests COUNT     end after so many instead
  --warm-up LENGTH     do not measure the first so long, 0s unless said
  --timeout LENGTH     how long a server may leave requests unanswered, 5s unless said

what is told:
  --expect TEXT...     what must hold: p99<1ms, errors=0, rate>300000 (pN, min, mean, max, rate,
                       requests, allowed, refused, errors; < <= = >= >)
  --progress           a line a second also where stderr is no terminal
  -o text|json         for people (text, the default) or for programs: one line of JSON
  --help               this text

HTTP: 2xx is allowed, 429 is refused, and any other status is an error. It speaks plain text, not
TLS: a server with a certificate is measured over its Unix socket.

exit code: 0 if all went as expected, 1 if an expectation is not met, 2 if the command is wrong,
3 if the server cannot be measured or no request got a verdict

example:
  $ sluice bench --server 127.0.0.1:8080 --domain api --duration 5s --expect errors=0 'p99<5ms'
)";

}  // namespace

std::string_view BenchHelp() { return kHelp; }

}  // namespace sluice::cli
