#include "cli/bench/bench_report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "config/syntax/json.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

BenchArguments Arguments() {
  BenchArguments arguments;
  arguments.server = TcpEndpoint{"127.0.0.1", 8080};
  arguments.protocol_name = "http";
  arguments.distribution_name = "uniform";
  arguments.connections = 10;
  arguments.depth = 2;
  arguments.threads = 1;
  arguments.keys = 1000;
  arguments.amount.duration = 10s;
  arguments.expectations = {Expectation::Parse("errors=0").value(),
                            Expectation::Parse("max<1s").value()};
  return arguments;
}

LoadReport Report() {
  LoadReport report;
  for (int i = 0; i < 6; ++i) report.measured.AddAllowed(50ns);
  report.measured.AddRefused(5ms);
  report.measured.AddErrors(1, "status \"500\"");
  report.elapsed = 2s;
  report.processors = 0.256;
  return report;
}

TEST(BenchReportTest, TextShowsLoadAndAnswers) {
  EXPECT_EQ(BenchText(Arguments(), Report(), ColorMode::kPlain),
            "127.0.0.1:8080, http, closed loop, 10 connections x 2, 1000 keys (uniform), 10s\n"
            "\n"
            "requests        count   share\n"
            "allowed             6  75.00%\n"
            "refused             1  12.50%\n"
            "errors              1  12.50%\n"
            "  status \"500\"      1  12.50%\n"
            "\n"
            "rate 4/s in 2.000s; the generator took 0.26 processors\n"
            "\n"
            "latency   min       mean   p50  p90  p99  p99.9  p99.99  max\n"
            "         50ns  714.329us  50ns  5ms  5ms    5ms     5ms  5ms\n"
            "\n"
            "expected  found  outcome\n"
            "errors=0  1      not met\n"
            "max<1s    5ms    met\n");
}

TEST(BenchReportTest, TextReportsOpenLoopAndBusyGenerator) {
  BenchArguments arguments = Arguments();
  arguments.amount.rate = 500;
  arguments.amount.requests = 70;
  arguments.expectations.clear();
  LoadReport report;
  report.processors = 0.91;
  EXPECT_EQ(BenchText(arguments, report, ColorMode::kPlain),
            "127.0.0.1:8080, http, open loop at 500/s, 10 connections x 2, 1000 keys (uniform), "
            "70 requests\n"
            "\n"
            "requests  count  share\n"
            "allowed       0  0.00%\n"
            "refused       0  0.00%\n"
            "errors        0  0.00%\n"
            "\n"
            "rate 0/s in 0.000s; the generator took 0.91 processors\n"
            "the generator had no time left: the server may be able to do more (--threads)\n");
}

TEST(BenchReportTest, JsonHasSameContents) {
  const std::string json = BenchJson(Arguments(), Report());
  EXPECT_EQ(json,
            R"({"server":"127.0.0.1:8080","protocol":"http","loop":"closed","connections":10,)"
            R"("depth":2,"threads":1,"keys":1000,"distribution":"uniform","requests":8,)"
            R"("allowed":6,"refused":1,"errors":1,"causes":{"status \"500\"":1},"seconds":2.000,)"
            R"("rate":3.5,"processors":0.256,"latency_ns":{"min":50,"mean":714329,"p50":50,)"
            R"("p90":5000000,"p99":5000000,"p99.9":5000000,"p99.99":5000000,"max":5000000},)"
            R"("expectations":[{"expected":"errors=0","found":"1","met":false},)"
            R"({"expected":"max<1s","found":"5ms","met":true}]})"
            "\n");
  EXPECT_TRUE(std::holds_alternative<Value>(ReadJson(json)));
  const std::string empty = BenchJson(Arguments(), LoadReport());
  EXPECT_NE(empty.find(R"("latency_ns":null)"), std::string::npos);
  EXPECT_NE(empty.find(R"({"expected":"max<1s","found":"no answers","met":false})"),
            std::string::npos);
}

TEST(BenchReportTest, ReportsOnlyUnmetExpectations) {
  EXPECT_EQ(UnmetLines(Arguments(), Report()), "sluice bench: expected errors=0, found 1\n");
  LoadReport good;
  good.measured.AddAllowed(1ms);
  EXPECT_EQ(UnmetLines(Arguments(), good), "");
}

TEST(BenchReportTest, ProgressIsOneLinePerSecond) {
  LoadReport second = Report();
  second.elapsed = 1s;
  EXPECT_EQ(ProgressLine(3, second), "3s  7/s  p50 50ns  p99 5ms  max 5ms  refused 1  errors 1\n");
}

}  // namespace
}  // namespace sluice::cli
