// One cell of codecbench's table: what was measured, and the figures. codec_fields.h explains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wiremark::measure {

/// Whether code and data are expected (hot: few items in turn, learnt by the branch predictor and
/// held by the first-level cache) or not (cold: a fresh random order over as much as half of L2).
enum class Access : std::uint8_t { hot, cold };

constexpr std::string_view to_string(Access access) noexcept {
  return access == Access::hot ? "hot" : "cold";
}

/// What a figure can only be compared within.
struct Labels {
  std::string result = "view";
  bool validated = true;
  std::string object = "none";
};

/// What a cell measures. `shape` and `size` tell cells of a workload apart: which contents a packet
/// has, and no size; the experiment's number of pairs; the envelope and the bytes of its payload.
struct CellName {
  std::string workload;  ///< "packet", "take", "envelope".
  std::string shape;
  std::size_t size = 0;
  std::string format;
  std::string implementation;  ///< "own", "own-called", or the library and how it is used.
  std::string op;              ///< "encode", "decode", "take", "roundtrip".
  Access access = Access::hot;
  Labels labels;

  /// "json:own".
  std::string row() const { return format + ":" + implementation; }

  /// "take/pairs=63/json:own/take/hot": the same in every run, so that runs can be compared.
  std::string key() const;
};

/// The figures of a cell. Times are ns of one operation; a batch's time is divided by its
/// operations, so that single operations shorter than the clock can be told apart.
struct CellFigures {
  std::uint64_t operations = 0;
  std::uint64_t batches = 0;
  std::uint64_t batch_operations = 0;
  double ns_min = 0;
  double ns_p50 = 0;
  double ns_p99 = 0;
  double spread_pct = 0;
  std::vector<double> repeats_ns;
  double qps = 0;
  double mb_per_s = 0;
  double wire_bytes = 0;
  std::optional<double> allocations;
  double cpu_user_ns = 0;
  double cpu_sys_ns = 0;
  std::optional<double> instructions;
  std::optional<double> cycles;
};

struct Cell {
  CellName name;
  CellFigures figures;
  std::optional<std::string> refused =
      std::nullopt;  ///< Why its check failed: nothing is measured.
};

/// The cell with this key, or null when it is not there or was not measured.
const Cell* find_cell(const std::vector<Cell>& cells, std::string_view key);

}  // namespace wiremark::measure
