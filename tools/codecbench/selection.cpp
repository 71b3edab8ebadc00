// The choice among all rows codecbench can measure.
#include <algorithm>
#include <iterator>

#include "codecbench/rivals/optional.h"
#include "codecbench/rows.h"

namespace wiremark::tools {
namespace {

/// "own" and its variants, such as "own-walk", are ours; "memcpy" is the floor under "bytes".
bool is_own(std::string_view implementation) {
  return implementation.starts_with("own") || implementation == "memcpy";
}

/// Every row of the chosen workloads, whatever its format.
std::vector<Row> all_rows(const Selection& selection) {
  std::vector<Row> rows;
  const auto append = [&rows](std::vector<Row> more) {
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  };
  const bool all = contains(selection.workloads, "all");
  if (all || contains(selection.workloads, "packet")) {
    for (const PacketContents& packets : selection.packets) append(packet_rows(packets));
  }
  if (all || contains(selection.workloads, "take")) {
    for (const std::size_t pairs : selection.pairs) append(take_rows(pairs));
  }
  if (all || contains(selection.workloads, "envelope")) {
    for (const std::size_t bytes : selection.sizes) append(envelope_rows(bytes));
  }
  return rows;
}

/// "json:jansson" names a row; "json" and "all" name the implementations asked for.
bool is_chosen(const Selection& selection, const CellName& name) {
  if (contains(selection.formats, name.row())) return true;
  if (!contains(selection.formats, "all") && !contains(selection.formats, name.format)) {
    return false;
  }
  if (selection.implementations.empty()) return is_own(name.implementation);
  return contains(selection.implementations, "all") ||
         contains(selection.implementations, name.implementation) ||
         (contains(selection.implementations, "own") && is_own(name.implementation));
}

/// Every row there is, to ask for names.
std::vector<Row> catalogue() {
  return all_rows({.workloads = {"all"},
                   .formats = {},
                   .implementations = {},
                   .ops = {},
                   .access = {},
                   .pairs = {3},
                   .sizes = {20},
                   .contents = {},
                   .packets = shipped_contents()});
}

}  // namespace

std::vector<PacketContents> shipped_contents() {
  const auto share = [](Contents contents) {
    return std::make_shared<const Contents>(std::move(contents));
  };
  return {{"ascii", share(wire::e2_contents())},
          {"text", share(wire::script_contents())},
          {"escapes", share(wire::escape_contents())},
          {"chinese", share(wire::chinese_contents())},
          {"russian", share(wire::russian_contents())}};
}

std::vector<Row> select_rows(const Selection& selection) {
  std::vector<Row> rows = all_rows(selection);
  std::erase_if(rows, [&selection](const Row& row) {
    return !is_chosen(selection, row.name) || !contains(selection.ops, row.name.op) ||
           std::find(selection.access.begin(), selection.access.end(), row.name.access) ==
               selection.access.end();
  });
  return rows;
}

std::vector<std::string> known_formats() {
  std::vector<std::string> names = {"all"};
  for (const Row& row : catalogue()) {
    for (const std::string& name : {std::string(row.name.format), row.name.row()}) {
      if (!contains(names, name)) names.push_back(name);
    }
  }
  for (const OptionalLibrary& library : kOptionalLibraries) {
    const std::string name =
        std::string(library.format) + ":" + std::string(library.implementation);
    if (!contains(names, name)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> known_implementations() {
  std::vector<std::string> names = {"all", "own"};
  for (const Row& row : catalogue()) {
    const std::string name(row.name.implementation);
    if (!contains(names, name)) names.push_back(name);
  }
  for (const OptionalLibrary& library : kOptionalLibraries) {
    if (!contains(names, library.implementation)) names.emplace_back(library.implementation);
  }
  return names;
}

}  // namespace wiremark::tools
