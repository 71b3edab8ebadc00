// What a turn sends over connected UDP sockets: datagrams to the same peer leave together.
#include "net/outbox.h"

#include <cstring>

namespace wiremark::net {

void Outbox::add(OutboxConn& conn, Bytes head, Bytes body, Arena& memory) {
  const std::size_t size = head.size() + body.size();
  std::byte* const copy = copies_.take(memory, size);
  if (!head.empty()) std::memcpy(copy, head.data(), head.size());
  if (!body.empty()) std::memcpy(copy + head.size(), body.data(), body.size());
  items_.push_back({.next = 0, .size = static_cast<std::uint32_t>(size), .data = copy});
  bytes_ += size;
  const auto place = static_cast<std::uint32_t>(items_.size());
  if (conn.first == 0) {
    conn.first = place;
    dirty_.push_back(&conn);
  } else {
    items_[conn.last - 1].next = place;
  }
  conn.last = place;
  ++conn.waiting;
}

Run Outbox::next_run(const OutboxConn& conn, const Offload& offload, bool together) {
  const Item* next = &item(conn.first);
  Run run = offload.run_of(next->data, next->size);
  run.open &= together;
  parts_.clear();
  const auto add = [this](const Item& one) {
    auto* const data = const_cast<std::byte*>(one.data);  // The kernel takes it without its const.
    if (!parts_.empty()) {
      iovec& part = parts_.back();
      if (static_cast<std::byte*>(part.iov_base) + part.iov_len == data) {
        part.iov_len += one.size;
        return;
      }
    }
    parts_.push_back({.iov_base = data, .iov_len = one.size});
  };
  add(*next);
  while (next->next != 0 && run.has_room(item(next->next).size)) {
    next = &item(next->next);
    run.join(next->size);
    add(*next);
  }
  return run;
}

}  // namespace wiremark::net
