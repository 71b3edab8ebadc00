// What codecbench measured: its run, its cells, and how they stand beside an earlier run.
#pragma once

#include <array>
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

constexpr std::array<const char*, 4> names_of(Of<Answer>) {
  return {"slower", "faster", "level", "undecided"};
}

/// Time now over time then. The two runs have no pairs, so this is measure::unpaired_ratio().
struct Change {
  std::string key;
  measure::MedianInterval ratio;
  Answer answer = Answer::undecided;

  void fields(auto& f) {
    f.table("change", "Time now over time then.");
    f("key", key);
    f("ratio", ratio);
    f("answer", answer);
  }
};

/// A run beside an earlier one, row by row.
struct Baseline {
  std::string file;
  double tolerance_pct = 0;
  std::vector<Change> changes;
  std::vector<std::string> missing;

  std::size_t count(Answer answer) const;

  void fields(auto& f) {
    f.table("baseline", "The rows beside those of an earlier run.");
    f("file", file);
    f("tolerance_pct", tolerance_pct, Unit::ratio);
    f("changes", changes);
    f("missing", missing, "Rows that the earlier run has not.");
  }
};

/// The table that was asked for: all cells, the promises, or an experiment's.
enum class View : std::uint8_t { cells, targets, e2, e4, e6 };

constexpr std::array<const char*, 5> names_of(Of<View>) {
  return {"cells", "targets", "e2", "e4", "e6"};
}

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
  std::optional<std::vector<Published>> published = std::nullopt;

  void fields(auto& f) {
    f.table("codecs", "What codecbench --json prints.");
    f.constant("schema", "wiremark.codecs/1");
    f("run", run, "", {.column = "run_"});
    f("view", view, "The table that was asked for.");
    f("verbose", verbose, "The batches were asked for too.");
    f("in_use", in_use, "Which builds of our code this processor runs.");
    f("method", method, "In words.");
    f("contents", contents, "In words.");
    f("uncounted", uncounted, "Why instructions and cycles are null; empty otherwise.");
    f("baseline", baseline);
    f("cells", cells, "", {.rows = true});
    f("parallel", parallel, "The same rows on all processors at once: experiment E6 only.");
    f("published", published, "Of an experiment: its published figures beside ours.");
  }
};

}  // namespace wiremark::report
