// The messages of the packet workload (E2): whose contents, and which numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/cell.h"
#include "bench/packet_numbers.h"
#include "bench/random.h"
#include "bench/shelf.h"
#include "wire/contents.h"
#include "wire/message.h"

namespace wiremark::bench {

/// Contents that rows hold together, and that stay as they are.
using SharedContents = std::shared_ptr<const wire::Contents>;

/// Messages with contents on a shelf. Hot: one for each content, all with the numbers of the
/// experiment. Cold: as many as the cache allows, each with a random content and with numbers of
/// every length and sign: a branch predictor would learn how long equal ones are.
class MessageSet {
 public:
  MessageSet(Access access, const wire::Contents& contents, Random& random) {
    const bool cold = access == Access::cold;
    const auto bytes = static_cast<std::size_t>(contents.mean_bytes()) + sizeof(wire::Message);
    const std::size_t count = item_count(cold, contents.texts.size(), bytes);
    for (std::size_t i = 0; i < count; ++i) {
      shelf_.add(as_bytes(contents.texts[cold ? random.below(contents.texts.size()) : i]));
    }
    shelf_.seal(random);
    messages_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      wire::Message message{kPacketHead, kPacketGuid, as_text(shelf_[i])};
      if (cold) {
        message.head = static_cast<std::int32_t>(random.signed_of_any_length(31));
        message.guid = static_cast<std::int32_t>(random.signed_of_any_length(31));
      }
      messages_.push_back(message);
    }
  }

  std::size_t size() const noexcept { return messages_.size(); }
  const wire::Message& operator[](std::size_t index) const noexcept { return messages_[index]; }
  const std::vector<wire::Message>& all() const noexcept { return messages_; }

 private:
  Shelf shelf_;
  std::vector<wire::Message> messages_;
};

}  // namespace wiremark::bench
