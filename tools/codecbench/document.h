// A run as a JSON document and as rows of a CSV file.
#pragma once

#include <string>
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

}  // namespace wiremark::tools
