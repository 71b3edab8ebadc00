// The documents that netreport is given: read, and whether they are VALID.
#include "netreport/documents.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>
#include <type_traits>

#include "report/study.h"
#include "report/verdict.h"

namespace wiremark::tools {

namespace {

bool all_valid(const report::Comparison& study) {
  return !study.failed && std::ranges::all_of(study.backends, [](const report::Compared& one) {
    return report::valid_of(one.rounds) == one.rounds.size();
  });
}

bool all_valid(const report::Bypass& study) {
  return !study.invalid && !study.failed &&
         std::ranges::all_of(study.ways, [](const report::Way& way) {
           return report::valid_of(way.rounds) == way.rounds.size();
         });
}

// What the maximum rests on.
bool all_valid(const report::MaxRate& study) {
  return !study.failed && std::ranges::all_of(study.probes, [&](const report::Probe& probe) {
    return probe.rate_hz != study.max_rate_hz || !probe.kept || is_valid(probe.result);
  });
}

}  // namespace

Result<std::vector<report::Document>> read_documents(const std::vector<std::string>& files,
                                                     bool added) {
  std::vector<report::Document> documents;
  std::map<std::string, std::string> known;  // The documents, and the file that each is in.
  for (const std::string& file : files) {
    errno = 0;  // An empty file is no failure to read it.
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || (!text && errno != 0)) return failed("read", file);
    const auto [same, is_new] = known.emplace(text.str(), file);
    if (!is_new) {
      return failed(file + ": the same result as " + same->second +
                        ", which would count twice (name each once)",
                    {}, 0);
    }
    auto document = report::parse_document(text.view());
    if (!document) return failed(file + ": " + document.error().message(), {}, 0);
    if (added && files.size() > 1 && !std::holds_alternative<report::RunResult>(*document)) {
      return failed(file + ": a study of several runs cannot be added up (name it alone)", {}, 0);
    }
    for (report::RunResult* const run : report::results_in(*document)) judge_again(*run);
    documents.push_back(std::move(*document));
  }
  return documents;
}

bool is_valid(const report::RunResult& result) {
  return !result.verdict || result.verdict->valid();
}

bool is_valid(const report::Document& document) {
  return std::visit(
      []<class T>(const T& of) {
        if constexpr (std::is_same_v<T, report::RunResult>) return is_valid(of);
        if constexpr (requires { all_valid(of); }) return all_valid(of);
        return true;
      },
      document);
}

}  // namespace wiremark::tools
