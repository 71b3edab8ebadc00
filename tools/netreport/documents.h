// The documents that netreport is given: read, and whether they are VALID.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/json.h"

namespace wiremark::tools {

/// In the order of their files, each run in them judged again. `added` says that they are to become
/// one sum. Errors: a file that cannot be read or is no document, one that is named twice, or a
/// study where a sum is wanted.
Result<std::vector<report::Document>> read_documents(const std::vector<std::string>& files,
                                                     bool added);

bool is_valid(const report::RunResult& result);

/// Whether all runs of a study are, or those that its figures rest on; what has no runs is.
bool is_valid(const report::Document& document);

}  // namespace wiremark::tools
