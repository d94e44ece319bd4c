// The help of `sluice simulate`, in its own file so that both files stay short.
#include "cli/simulate.h"

namespace sluice::cli {

std::string_view SimulateHelp() {
  return R"(sluice simulate: what a limit would have done with a series of requests

usage:
  sluice simulate --limit LIMIT [--trace FILE] [--plot FILE.svg [--key KEY]]
  sluice simulate --compare LIMIT LIMIT... [--trace FILE] [--plot FILE.svg] [-o table|json]

Reads steps, one JSON object a line, and answers each with a line. Time is the steps' own, so a
day of traffic takes a moment and the same trace always gets the same answers.

  $ printf '%s\n' '{"t":0}' '{"t":0}' '{"t":"500ms","cost":2}' '{"t":"1.5s"}' |
      sluice simulate --limit 2/s
  {"t":0,"op":"check","allowed":true,"limit":2,"remaining":1,"retry_after":null,...
  {"t":0,"op":"check","allowed":true,"limit":2,"remaining":0,"retry_after":null,...
  {"t":500000000,"op":"check","allowed":false,"limit":2,"remaining":1,"retry_after":500000000,...
  {"t":1500000000,"op":"check","allowed":true,"limit":2,"remaining":1,"retry_after":null,...

flags:
  --limit LIMIT       COUNT/PERIOD, as 100/m, or a mapping, as {"rate":"1/s","burst":5} or
                      {"rate":"100/m","algorithm":"sliding_window"}
  --trace FILE        read the steps from FILE instead of standard input
  --plot FILE.svg     also draw the requests over time, and the units left between them; with
                      --compare one picture for each limit, below one another
  --key KEY           whose units --plot draws, that of the key that is refused most unless said
  --compare LIMIT...  run the steps through each limit (and that of --limit, if given) and print
                      a table instead of replies
  -o table|json       form of the table: for people (table, the default) or for programs
  --help              this text

members of a step:
  t     when: whole nanoseconds from 0 on, or a duration as "1.5s"; a step earlier than one before
        it is taken at the time of that one
  cost  units it takes, 1 unless said; 0 always passes and takes nothing
  op    check (unless said), peek, refund, reset; debt, which takes its cost in any case, below zero
        if need be; for a concurrency limit acquire, renew, release
  key   whose units, "k" unless said; each key has its own
  id    names the permit of an acquire, renew or release

A reply has the time used, the answer, and all lengths of time in nanoseconds. retry_after is null
when allowed and "never" where waiting does not help.

Exit code: 0 when all steps were answered, refused or not; 2 for a flag, limit or step that cannot
be understood, with its line number; 1 when a file cannot be written.
)";
}

}  // namespace sluice::cli
