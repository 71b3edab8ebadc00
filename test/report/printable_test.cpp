// No text of a document reaches a terminal, a table or a page as more than letters in its place.
#include "report/printable.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <variant>

#include "base/printable.h"
#include "report/codec_fields.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/json.h"
#include "report/machine_fields.h"
#include "report/text.h"
#include "report/verdict.h"

#include "documents.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

// Clears a screen, turns a line around, and begins one of its own. The last byte is no UTF-8.
constexpr const char* kFoul = "\x1B[2J\xC2\x9B\xE2\x80\xAE\nVALID: all\n\t\x7F\xFF";

void make_foul(const Type& type, void* value) {
  if (type.part) {
    for (std::size_t i = 0; i < type.size(value); ++i) {
      if (type.name) type.name(value, i) += kFoul;
      make_foul(*type.part, type.item(value, i));
    }
  } else if (!type.leaf) {
    for (const Field& field : type.fields) {
      if (field.source == Source::kept) make_foul(*field.type, field.of(value).get());
    }
  } else if (type.kind == Kind::text) {
    as<std::string>(value) += kFoul;
  }
}

void check_lines(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CHECK(printable(line) == line);
    CHECK_FALSE(line.starts_with("VALID: all"));
  }
}

std::string text_of(const Document& document) {
  return std::visit(
      [](const auto& of) -> std::string {
        if constexpr (requires { text_report(of); }) return text_report(of);
        return {};
      },
      document);
}

}  // namespace

TEST_CASE("whatever stands in a document, every form of it has printable lines") {
  for (const auto& file : std::filesystem::directory_iterator(DOCUMENTS)) {
    CAPTURE(file.path().string());
    Document document = parsed(file.path().stem());
    std::visit([]<class T>(T& value) { make_foul(type_of<T>(), &value); }, document);
    CHECK(json_line(document).contains("VALID: all"));
    make_printable(document);
    check_lines(json_line(document));
    check_lines(json_document(document));
    check_lines(csv_rows(document));
    check_lines(html_page(document));
    check_lines(text_of(document));
  }
}

TEST_CASE("what is read is printable, and the rest as it was written") {
  RunResult result = sample_result();
  pass_verdict(result);
  const std::string before = json_document(result);
  CHECK(json_document(*parse_document(before)) == before);
  result.host.cpu = "evil\x1B[31m";
  result.server = "\nVALID: all\n (1)";
  const auto read = std::get<RunResult>(*parse_document(json_document(result)));
  CHECK(read.host.cpu == "evil\\x1b[31m");
  CHECK(read.server == "\\nVALID: all\\n (1)");
}

TEST_CASE("names that look alike when they are printable are told apart, and none is lost") {
  RunResult result = sample_result();
  result.totals.errors = {{"RESP -E\x1B", 1}, {"RESP -E\\x1b", 2}, {"RESP -E\\x1b'", 3}};
  const auto read = std::get<RunResult>(*parse_document(json_document(result)));
  CHECK(read.totals.errors ==
        KindCounts{{"RESP -E\\x1b''", 1}, {"RESP -E\\x1b", 2}, {"RESP -E\\x1b'", 3}});
}
