// The formats of messages by the names that users write.
#include "wire/formats.h"

#include "wire/codecs.h"

namespace wiremark::wire {

std::vector<std::string> format_names() {
  std::vector<std::string> names{std::string(kRaw)};
  names.insert(names.end(), Codecs::kNames.begin(), Codecs::kNames.end());
  return names;
}

}  // namespace wiremark::wire
