// A run as a JSON document and as rows of a CSV file.
#include "codecbench/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "report/json.h"

namespace wiremark::tools {
namespace {

using Json = nlohmann::ordered_json;

Json optional_to_json(const std::optional<double>& figure) {
  return figure ? Json(*figure) : Json();
}

Json to_json(const Cell& cell) {
  const CellName& name = cell.name;
  const CellFigures& figures = cell.figures;
  Json json = {{"key", name.key()},
               {"workload", name.workload},
               {"shape", name.shape},
               {"size", name.size},
               {"format", name.format},
               {"implementation", name.implementation},
               {"op", name.op},
               {"access", to_string(name.access)},
               {"labels",
                {{"result", name.labels.result},
                 {"validated", name.labels.validated},
                 {"object", name.labels.object}}}};
  if (!figures.refused.empty()) {
    json["refused"] = figures.refused;
    return json;
  }
  json.update({{"operations", figures.operations},
               {"batches", figures.batches},
               {"batch_operations", figures.batch_operations},
               {"ns_min", figures.ns_min},
               {"ns_p50", figures.ns_p50},
               {"ns_p99", figures.ns_p99},
               {"spread_pct", figures.spread_pct},
               {"repeats_ns", figures.repeats_ns},
               {"qps", figures.qps},
               {"mb_per_s", figures.mb_per_s},
               {"wire_bytes", figures.wire_bytes},
               {"allocations", optional_to_json(figures.allocations)},
               {"cpu_user_ns", figures.cpu_user_ns},
               {"cpu_sys_ns", figures.cpu_sys_ns},
               {"instructions", optional_to_json(figures.instructions)},
               {"cycles", optional_to_json(figures.cycles)}});
  return json;
}

std::string csv_rows(const report::RunResult& result, const std::vector<Cell>& cells) {
  std::string rows;
  const auto optional = [](const std::optional<double>& figure) {
    return figure ? fmt::format("{:.6g}", *figure) : std::string();
  };
  for (const auto& [name, figures] : cells) {
    rows += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.3g},{:.6g},{:.6g},"
        "{:.6g},{},{:.6g},{:.6g},{},{}\n",
        result.started, result.version, result.host.kernel, name.workload, name.shape, name.size,
        name.format, name.implementation, name.op, to_string(name.access), name.labels.result,
        name.labels.validated, name.labels.object, figures.operations, figures.ns_min,
        figures.ns_p50, figures.ns_p99, figures.spread_pct, figures.qps, figures.mb_per_s,
        figures.wire_bytes, optional(figures.allocations), figures.cpu_user_ns, figures.cpu_sys_ns,
        optional(figures.instructions), optional(figures.cycles));
  }
  return rows;
}

constexpr std::string_view kCsvHeader =
    "started,version,kernel,workload,shape,size,format,implementation,op,access,result,validated,"
    "object,operations,ns_min,ns_p50,ns_p99,spread_pct,qps,mb_per_s,wire_bytes,allocations,"
    "cpu_user_ns,cpu_sys_ns,instructions,cycles\n";

}  // namespace

std::string json_document(const report::RunResult& result, const std::vector<Cell>& cells) {
  Json document = Json::parse(report::json_document(result));
  Json& list = document["cells"] = Json::array();
  for (const Cell& cell : cells) list.push_back(to_json(cell));
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> append_csv(const std::string& path, const report::RunResult& result,
                    const std::vector<Cell>& cells) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!file) return failed("open", path);
  if (::flock(file.get(), LOCK_EX) < 0) return failed("flock", path);
  struct stat status{};
  if (::fstat(file.get(), &status) < 0) return failed("fstat", path);
  std::string text(status.st_size == 0 ? kCsvHeader : std::string_view());
  text += csv_rows(result, cells);
  for (std::string_view left = text; !left.empty();) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written < 0) return failed("write", path);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace wiremark::tools
