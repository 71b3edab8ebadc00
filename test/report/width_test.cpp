// Every document as text keeps to the width of a terminal, and no row of figures is broken for it.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <variant>

#include "report/against.h"
#include "report/folding.h"
#include "report/json.h"
#include "report/study.h"
#include "report/text.h"
#include "report/verdict.h"

#include "documents.h"
#include "sample_result.h"
#include "unfolded.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

// Of the tables of codecbench the text is made by codecbench.
std::string text_of(const Document& document, Letters letters) {
  if (const auto* run = std::get_if<RunResult>(&document)) return text_report(*run, false, letters);
  if (const auto* study = std::get_if<Comparison>(&document)) return text_report(*study, letters);
  if (const auto* study = std::get_if<MaxRate>(&document)) return text_report(*study);
  if (const auto* study = std::get_if<Bypass>(&document)) return text_report(*study);
  if (const auto* study = std::get_if<Experiment>(&document)) return text_report(*study);
  return {};
}

// A letter of several bytes is one column.
std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return columns;
}

void check_width(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(columns_of(line) <= 80, line);
}

Comparison comparison() { return std::get<Comparison>(parsed("comparison")); }

}  // namespace

TEST_CASE("the text of every document has 80 columns at most, drawn or not") {
  std::size_t documents = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DOCUMENTS)) {
    CAPTURE(entry.path().string());
    const Document document = parsed(entry.path().stem());
    for (const Letters letters : {Letters::none, Letters::ascii, Letters::blocks})
      check_width(text_of(document, letters));
    ++documents;
  }
  CHECK(documents >= 9);
}

TEST_CASE("long sentences and large figures of a result stay within 80 columns") {
  RunResult run = sample_result();
  run.totals.messages = 123'456'789'012;
  run.totals.errors = {{"timeout", 123'456'789},
                       {"reset by the other end", 987'654'321},
                       {"connection refused", 123'456'789}};
  run.path.active = "uring with a long name, such as none has today, and then some more of it";
  pass_verdict(run);
  run.warnings.push_back(
      "so much was said about it that no terminal had a line which was long "
      "enough, and it went on and on until the next one");
  run.verdict->reasons.insert(run.verdict->reasons.begin(), run.warnings.back());
  check_width(text_report(run, false, Letters::blocks));
  RunResult datagrams = sample_of_datagrams();
  pass_verdict(datagrams);
  check_width(text_report(datagrams));
}

TEST_CASE("servers with long names are compared within 80 columns, each with all its figures") {
  Comparison study = comparison();
  study.setting.about =
      "100 connections, each with one message of 64 bytes in flight, for 1 s, six "
      "times in turn, and 16 threads";
  study.backends[0].backend = "http://127.0.0.1:40001";
  study.backends[1].backend = "redis://127.0.0.1:40002";
  for (Compared& one : study.backends) {
    for (RunResult& round : one.rounds) {
      round.server_cpu->user_s *= 50;
      round.cpu.user_s *= 50;
    }
  }
  study = remade(study);
  const std::string text = text_report(study, Letters::blocks);
  check_width(text);
  std::istringstream lines(text);
  bool rate = false, cost = false;
  for (std::string line; std::getline(lines, line);) {
    const bool its = line.starts_with("  redis://127.0.0.1:40002 ");
    rate = rate || (its && line.find("3.38 k?") != std::string::npos &&
                    line.find("8.99 ms?") != std::string::npos);
    const std::size_t spread = line.find(" to ");
    cost = cost || (its && spread != std::string::npos &&
                    line.find(" to ", spread + 1) != std::string::npos);
  }
  CHECK_MESSAGE(rate, text);
  CHECK_MESSAGE(cost, text);
  CHECK(unfolded(text).find("of the rounds; a quieter machine or another load might") !=
        std::string::npos);
}

TEST_CASE("figures of a saved comparison beside an earlier one have a line each, of 80 columns") {
  const Comparison study = comparison();
  const auto moved = against(study, study, 5);
  REQUIRE_MESSAGE(moved.has_value(), moved.error().message());
  const std::string text = text_report(*moved);
  check_width(text);
  CHECK_MESSAGE(text.find("epoll: server CPU per message  1.00 (") != std::string::npos, text);
}
