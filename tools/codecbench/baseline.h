// A run beside an earlier one, row by row: what became slower, what faster, what cannot be told.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "codecbench/cell.h"
#include "measure/ratio.h"

namespace wiremark::tools {

/// The repeats of an earlier run's rows in ns, by the key of the row.
using Baseline = std::unordered_map<std::string, std::vector<double>>;

/// From a document of json_document(). Errors: the file cannot be read, is no document of
/// codecbench, or has too few repeats to tell anything.
Result<Baseline> read_baseline(const std::string& path);

/// What a row is beside what it was.
enum class Answer : std::uint8_t {
  slower,     ///< All of the interval is over the tolerance.
  faster,     ///< The same the other way round: then it was slower before.
  level,      ///< All of the interval is within the tolerance.
  undecided,  ///< It straddles one of these lines, or holds too few repeats.
};

/// Time now over time then. The two runs have no pairs, so this is measure::unpaired_ratio().
struct Change {
  std::string key;
  measure::MedianInterval ratio;
  Answer answer = Answer::undecided;
};

struct Comparison {
  std::vector<Change> changes;
  std::vector<std::string> missing;  ///< Rows of this run that the baseline has not.

  std::size_t count(Answer answer) const;
};

Comparison compare_with(const Baseline& baseline, const std::vector<Cell>& cells,
                        double tolerance_pct);

/// "1.31 (1.22 to 1.40, 99.2 % sure)".
std::string format_interval(const measure::MedianInterval& ratio);

/// Each row that is slower, faster or new, with `all` every row, and how many there are of each.
std::string format_comparison(const Comparison& comparison, const std::string& file,
                              double tolerance_pct, bool all);

}  // namespace wiremark::tools
