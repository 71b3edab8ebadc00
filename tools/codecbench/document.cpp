// A run as a JSON document and as rows of a CSV file, and the comparison with an earlier document.
#include "codecbench/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "report/json.h"
#include "report/json_upgrade.h"

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

Result<Baseline> read_baseline(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failed("open", path);
  constexpr int kDepthMax = 16;  // The library copies deeper documents by recursion.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDepthMax; };
  const auto document = Json::parse(stream, shallow, false);
  const Json schema = document.is_object() ? document.value("schema", Json()) : Json();
  // Their cells are the same.
  const bool known = schema == report::kResultSchema || schema == report::kResultSchemaBefore;
  if (!known || !document.contains("cells") || !document["cells"].is_array()) {
    return failed("read", path + " (no JSON document of codecbench)", 0);
  }
  Baseline cells;
  for (const auto& cell : document["cells"]) {
    if (!cell.is_object() || !cell.contains("key") || !cell["key"].is_string()) {
      return failed("read", path + " (a cell without a key)", 0);
    }
    const auto figure = [&cell](const char* name) {
      return cell.contains(name) && cell[name].is_number() ? cell[name].get<double>() : 0.0;
    };
    cells[cell["key"].get<std::string>()] = {figure("ns_min"), figure("ns_p50")};
  }
  if (cells.empty()) return failed("read", path + " (it has no cell)", 0);
  return cells;
}

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

Comparison compare_with(const Baseline& baseline, const std::vector<Cell>& cells,
                        double tolerance_pct) {
  Comparison comparison;
  for (const Cell& cell : cells) {
    if (cell.figures.batches == 0) continue;
    Change change{.key = cell.name.key()};
    const auto found = baseline.find(change.key);
    if (found == baseline.end() || found->second.ns_min <= 0 || found->second.ns_p50 <= 0) {
      comparison.missing.push_back(change.key);
      continue;
    }
    change.min_pct = 100 * (cell.figures.ns_min / found->second.ns_min - 1);
    change.p50_pct = 100 * (cell.figures.ns_p50 / found->second.ns_p50 - 1);
    change.slower = change.min_pct > tolerance_pct && change.p50_pct > tolerance_pct;
    comparison.changes.push_back(change);
  }
  return comparison;
}

}  // namespace wiremark::tools
