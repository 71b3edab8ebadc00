// What the rows of a table let be concluded, as one sentence.
#include "measure/codec_conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "measure/conclusion.h"

namespace wiremark::measure {
namespace {

using Group = std::vector<const Cell*>;

std::string codec_of(const Cell& cell) { return cell.name.format + ":" + cell.name.implementation; }

/// The key without its codec: what the rows of a group have in common.
std::string work_of(const Cell& cell) {
  std::string key = cell.name.key();
  const std::string codec = codec_of(cell) + "/";
  key.erase(key.find(codec), codec.size());
  return key;
}

double median_of(const Cell* cell) {
  const auto interval = measure::median_interval(cell->figures.repeats_ns);
  return interval ? interval->median : 0;
}

/// Every repeat measures every row once, so the two are paired.
std::optional<measure::MedianInterval> first_over_second(const Group& group) {
  const std::vector<double>& first = group[0]->figures.repeats_ns;
  const std::vector<double>& second = group[1]->figures.repeats_ns;
  std::vector<std::pair<double, double>> repeats;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    repeats.emplace_back(first[i], second[i]);
  return measure::paired_ratio(repeats);
}

std::map<std::string, Group> groups_of(const std::vector<Cell>& cells) {
  std::map<std::string, Group> groups;
  for (const Cell& cell : cells) {
    if (cell.figures.batches > 0 && median_of(&cell) > 0) groups[work_of(cell)].push_back(&cell);
  }
  std::erase_if(groups, [](const auto& one) { return one.second.size() < 2; });
  for (auto& [work, group] : groups) std::ranges::sort(group, {}, median_of);
  return groups;
}

}  // namespace

std::string conclusion_of(const std::vector<Cell>& cells) {
  const auto groups = groups_of(cells);
  std::vector<std::pair<std::string, std::size_t>> fastest;
  std::size_t undecided = 0;
  for (const auto& [work, group] : groups) {
    const auto ratio = first_over_second(group);
    if (!ratio) continue;
    const std::string codec = codec_of(*group[0]);
    if (groups.size() == 1)
      return measure::conclusion(*ratio, codec, codec_of(*group[1]), "time in " + work);
    if (measure::side_of(*ratio, 1) != measure::Side::below) {
      ++undecided;
      continue;
    }
    const auto known = std::ranges::find(fastest, codec, [](const auto& one) { return one.first; });
    if (known == fastest.end())
      fastest.emplace_back(codec, 1);
    else
      ++known->second;
  }
  if (groups.empty()) return {};
  if (fastest.empty())
    return fmt::format(
        "cannot tell what is the fastest in any of {} kinds of work; more --repeat might",
        groups.size());
  std::ranges::sort(fastest, std::greater<>(), [](const auto& one) { return one.second; });
  std::string text =
      fmt::format("of {} kinds of work, with {:.0f} % confidence or more:", groups.size(),
                  100 * measure::kConfidence);
  for (const auto& [codec, times] : fastest)
    text += fmt::format(" {} is the fastest in {},", codec, times);
  return text + (undecided > 0
                     ? fmt::format(" and cannot tell in {}; more --repeat might", undecided)
                     : " and none is undecided");
}

}  // namespace wiremark::measure
