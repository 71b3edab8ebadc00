// Prints the sample result in the format asked for, so that other programs can look at it, or with
// "schema NAME" the text of schemas/NAME.schema.json.
#include <iostream>
#include <string_view>

#include "report/csv.h"
#include "report/json.h"
#include "report/text.h"
#include "report/verdict.h"
#include "sample_result.h"

using namespace wiremark::measure;
using namespace wiremark::report;

int main(int argc, char** argv) {
  const std::string_view format = argc > 1 ? argv[1] : "text";
  RunResult result = sample_result();
  pass_verdict(result);
  if (format == "json") {  // With every part that a document can have.
    const RunResult datagrams = sample_of_datagrams();
    result.totals.datagrams = datagrams.totals.datagrams;
    result.outcome = datagrams.outcome;
    result.outcome->repeated = 12;
    result.delivery = datagrams.delivery;
    result.server_unknown = "a process of another user";
    result.server_parts_unknown = UnknownParts{{"closing_s", "it ran on"}};
    result.delivery->lost_wait_s = 0.1;
    result.loop->given_up_s = 0.5;
    result.generators = datagrams.generators;
    result.server_wait->throttled = result.wait->throttled;
    std::cout << json_document(result);
  } else if (format == "csv") {
    std::cout << csv_header(shape_of(result)) << csv_rows(result);
  } else if (format == "schema") {
    std::cout << json_schema(argc > 2 ? argv[2] : "result");
  } else if (format == "bare") {
    std::cout << json_document(RunResult());
  } else {
    std::cout << text_report(result) << text_line(result.intervals.front());
  }
}
