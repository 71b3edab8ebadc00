// The memory that only the start of a process needed, given back once it runs.
#include "startup_memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "measure/text_file.h"

namespace wiremark::tools {

namespace {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool of_file = false;
  bool writable = false;
};

// "BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH", the first line of each mapping in smaps.
std::optional<Mapping> mapping_in(std::string_view line) {
  Mapping mapping;
  std::string_view range = measure::take_word(line);
  const char* const end = range.data() + range.size();
  const auto from = std::from_chars(range.data(), end, mapping.begin, 16);
  if (from.ec != std::errc() || from.ptr == end || *from.ptr != '-') return std::nullopt;
  if (std::from_chars(from.ptr + 1, end, mapping.end, 16).ptr != end) return std::nullopt;
  mapping.writable = measure::take_word(line).contains('w');
  measure::take_word(line);
  measure::take_word(line);
  mapping.of_file = measure::take_number(line).value_or(0) != 0;
  return mapping;
}

}  // namespace

// A mapping with a page of the process's own, which was relocated or holds a breakpoint, would lose
// it, and stays.
void give_back_startup_memory() {
  ::malloc_trim(0);
  const auto smaps = measure::read_text("/proc/self/smaps");
  if (!smaps) return;
  Mapping mapping;
  std::string_view rest = *smaps;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const auto next = mapping_in(line)) mapping = *next;
    if (measure::take_word(line) != "Anonymous:" || measure::take_number(line) != 0) continue;
    if (mapping.of_file && !mapping.writable)
      ::madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTNEED);
  }
}

}  // namespace wiremark::tools
