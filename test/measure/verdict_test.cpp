// A trustworthy run is not doubted, and each reason for doubt is found alone.
#include "measure/verdict.h"

#include <doctest/doctest.h>

#include "sample_result.h"

using namespace wiremark::measure;

namespace {

// The one warning of a result; more or fewer fail.
std::string only_warning(const RunResult& result) {
  const auto warnings = judge(result);
  REQUIRE(warnings.size() == 1);
  return warnings.front();
}

bool mentions(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a good run has no warnings") { CHECK(judge(sample_result()).empty()); }

TEST_CASE("a busy generator is doubted, by its threads and the processors they may have") {
  RunResult result = sample_result();
  result.cpu = {4, 5, 1};
  CHECK(judge(result).empty());
  result.cpu = {4, 5.2, 1};
  CHECK(mentions(only_warning(result), "92.0 % busy"));
  result.cpu.threads = 2;
  CHECK(judge(result).empty());
  result.host.cores_allowed = 1;
  CHECK(mentions(only_warning(result), "generator"));
  result.role = Role::server;
  CHECK(judge(result).empty());
}

TEST_CASE("a schedule missed by over one percent is doubted") {
  RunResult result = sample_result();
  result.plan->late = 2'000;
  CHECK(judge(result).empty());
  result.plan->late = 2'001;
  CHECK(mentions(only_warning(result), "sent late"));
  result.plan->late = 0;
  result.plan->sent = 197'999;
  CHECK(mentions(only_warning(result), "never sent"));
  result.plan.reset();
  CHECK(judge(result).empty());
}

TEST_CASE("lost messages and errors are told") {
  RunResult result = sample_result();
  result.plan->lost = 1;
  CHECK(mentions(only_warning(result), "never answered"));
  result.plan->lost = 0;
  result.totals.errors = {{"timeout", 1}, {"reset", 0}};
  CHECK(only_warning(result) == "1 error (timeout 1)");
}

TEST_CASE("work of others on the machine is told, when both ends are known") {
  RunResult result = sample_result();
  result.machine.busy_pct = 95;
  CHECK(mentions(only_warning(result), "other processes took"));
  result.server_cpu.reset();
  CHECK(judge(result).empty());
}

TEST_CASE("stolen time is doubted") {
  RunResult result = sample_result();
  result.machine.steal_pct = 1;
  CHECK(judge(result).empty());
  result.machine.steal_pct = 1.5;
  CHECK(mentions(only_warning(result), "steal"));
}

TEST_CASE("the highest percentile needs ten values beyond it") {
  RunResult result = sample_result();
  result.latency.percentiles = {{50, 1}, {99.9, 1}, {100, 1}};
  result.latency.count = 10'000;
  CHECK(judge(result).empty());
  result.latency.count = 9'600;  // 9.6 values, and what is printed is 10.
  CHECK(judge(result).empty());
  result.latency.count = 9'400;
  CHECK(mentions(only_warning(result), "p99.9 rests on 9 of"));
  result.latency.percentiles = {{100, 1}};
  CHECK(judge(result).empty());
  result.latency.count = 0;
  CHECK(only_warning(result) == "no message was measured");
}

TEST_CASE("clamped values and missing connections are told") {
  RunResult result = sample_result();
  result.latency.clamped = 2;
  CHECK(mentions(only_warning(result), "over an hour"));
  result.latency.clamped = 0;
  result.totals.connections = 99;
  CHECK(only_warning(result) == "only 99 of 100 connections were made");
}
