// All rows codecbench can measure, and the choice among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/message_set.h"
#include "bench/subject.h"
#include "codecbench/cell.h"
#include "wire/contents.h"

namespace wiremark::tools {

using wire::Contents;

/// What the packets of some rows carry, and what these rows call it: "ascii", "text", "escapes".
struct PacketContents {
  std::string shape;
  SharedContents contents;
};

/// Every row of E2 with these contents: all formats and implementations, all ops, hot and cold.
std::vector<Row> packet_rows(const PacketContents& packets);

/// The contents that there are without a file of the user's.
std::vector<PacketContents> shipped_contents();

/// Every row of E6 with packets of `pairs` pairs, from which the middle key is taken.
std::vector<Row> take_rows(std::size_t pairs);

/// Every row of E4 with payloads of `bytes`.
std::vector<Row> envelope_rows(std::size_t bytes);

/// What the user wants to see; a row must match every list.
struct Selection {
  std::vector<std::string> workloads;
  std::vector<std::string> formats;          ///< "json", "json:jansson", "all".
  std::vector<std::string> implementations;  ///< "jansson", "all"; empty: our own.
  std::vector<std::string> ops;
  std::vector<Access> access;
  std::vector<std::size_t> pairs;
  std::vector<std::size_t> sizes;
  std::vector<std::string> contents;  ///< Shapes of `packets`.
  std::vector<PacketContents> packets;
};

/// Whether one of these lists has `word`.
inline bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The rows of `selection`, in the order of the tables.
std::vector<Row> select_rows(const Selection& selection);

/// What -f takes: "all", each format, and each "format:implementation"; also of libraries that this
/// build does not have.
std::vector<std::string> known_formats();

/// What --impl takes: "all", "own", and each library's name, here or not.
std::vector<std::string> known_implementations();

}  // namespace wiremark::tools
