// What codecbench measured: its run, its cells, and how they stand beside an earlier run.
#pragma once

#include <string>
#include <vector>

#include "measure/cell.h"
#include "measure/ratio.h"
#include "report/published.h"
#include "report/result.h"

namespace wiremark::report {

using measure::Access;
using measure::Cell;
using measure::CellFigures;
using measure::CellName;
using measure::find_cell;
using measure::Labels;

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

/// A run beside an earlier one, row by row.
struct Baseline {
  std::string file;
  double tolerance_pct = 0;
  std::vector<Change> changes;
  std::vector<std::string> missing;  ///< Rows of this run that the earlier one has not.

  std::size_t count(Answer answer) const;
};

/// The table that was asked for: all cells, the promises, or an experiment's.
enum class View : std::uint8_t { cells, targets, e2, e4, e6 };

struct CodecTable {
  RunResult run;
  View view = View::cells;
  bool verbose = false;
  std::string in_use;
  std::string method;
  std::string contents;
  std::string uncounted;
  std::vector<Cell> cells;
  std::vector<Cell> parallel;
  std::optional<Baseline> baseline = std::nullopt;
  std::optional<std::vector<Published>> published = std::nullopt;  ///< Of an experiment's view.
};

}  // namespace wiremark::report
