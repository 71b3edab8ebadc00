// Codecs of one's own beside those of wiremark: their rows, and the table they end in.
#include "bench/codecs.h"

#include <fmt/format.h>

#include "bench/table.h"
#include "bench/verdict.h"
#include "measure/codec_conclusion.h"
#include "measure/machine.h"
#include "net/stop.h"

namespace wiremark::bench {

Result<std::string> time_rows(const std::vector<Row>& rows, const Method& method) {
  const net::Stop stop;
  const auto measurement = run_bench(rows, method, stop, nullptr);
  if (!measurement) return std::unexpected(measurement.error());
  std::string text = format_table(measurement->cells, false, false);
  text += fmt::format("\nmachine   {}\n", measure::describe(measure::this_machine()));
  for (const std::string& warning : judge(method, *measurement))
    text += "warning   " + warning + "\n";
  const std::string conclusion = conclusion_of(measurement->cells);
  return conclusion.empty() ? text : text + "conclusion " + conclusion + "\n";
}

}  // namespace wiremark::bench
