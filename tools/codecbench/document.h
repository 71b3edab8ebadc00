// A run as a JSON document and as rows of a CSV file, and the comparison with an earlier document.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "codecbench/cell.h"
#include "report/result.h"

namespace wiremark::tools {

/// The document of report/json.h with the member "cells", an array of objects: key,
/// workload, shape, size, format, implementation, op, access, labels{result, validated, object},
/// and the figures as CellFigures names them. What was not counted is null.
std::string json_document(const report::RunResult& result, const std::vector<Cell>& cells);

/// Appends one row per cell to `path`, after a header when the file is new or empty.
Result<> append_csv(const std::string& path, const report::RunResult& result,
                    const std::vector<Cell>& cells);

/// A cell of this run and the same cell of an earlier one.
struct Change {
  std::string key;
  double min_pct = 0;  ///< How much slower the fastest batch is, in %; negative when faster.
  double p50_pct = 0;  ///< The same of the median batch.
  bool slower = false;
};

struct Comparison {
  std::vector<Change> changes;
  std::vector<std::string> missing;  ///< Cells of this run that the baseline has not.
};

/// The cells of an earlier document, by their key, in ns.
struct Earlier {
  double ns_min;
  double ns_p50;
};
using Baseline = std::unordered_map<std::string, Earlier>;

/// Errors: the file cannot be read, is no document of codecbench, or has no cell.
Result<Baseline> read_baseline(const std::string& path);

/// A cell is slower when both its fastest and its median batch take over `tolerance_pct` longer:
/// one of them alone is mostly a neighbour's noise.
Comparison compare_with(const Baseline& baseline, const std::vector<Cell>& cells,
                        double tolerance_pct);

}  // namespace wiremark::tools
