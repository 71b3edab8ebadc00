// Datagrams that the kernel takes and hands over together: UDP_SEGMENT and UDP_GRO, udp(7).
#include "net/udp_offload.h"

#include <netinet/in.h>
#include <netinet/udp.h>

#include <cerrno>
#include <cstring>

namespace wiremark::net {

namespace {

bool is_segment(const cmsghdr& control) noexcept {
  return control.cmsg_level == IPPROTO_UDP &&
         (control.cmsg_type == UDP_SEGMENT || control.cmsg_type == UDP_GRO);
}

cmsghdr* find_segment(const msghdr& header) noexcept {
  auto& message = const_cast<msghdr&>(header);
  cmsghdr* control = CMSG_FIRSTHDR(&message);
  while (control && !is_segment(*control)) control = CMSG_NXTHDR(&message, control);
  return control;
}

// "12.3".
std::string ratio(std::uint64_t all, std::uint64_t beyond_one) {
  const std::uint64_t parts = all - beyond_one;
  const std::uint64_t tenths = parts > 0 ? (10 * all + parts / 2) / parts : 10;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

void make_segment(cmsghdr& control, std::uint16_t size) noexcept {
  control.cmsg_level = IPPROTO_UDP;
  control.cmsg_type = UDP_SEGMENT;
  control.cmsg_len = CMSG_LEN(sizeof size);
  std::memcpy(CMSG_DATA(&control), &size, sizeof size);
}

// The kernel tells an int, and takes a 16-bit number.
std::size_t segment_of(const msghdr& header) noexcept {
  const cmsghdr* control = find_segment(header);
  if (!control) return 0;
  if (control->cmsg_type == UDP_SEGMENT)
    return *reinterpret_cast<const std::uint16_t*>(CMSG_DATA(control));
  return static_cast<std::size_t>(*reinterpret_cast<const int*>(CMSG_DATA(control)));
}

void set_segment(msghdr& header, std::size_t size) noexcept {
  if (cmsghdr* control = find_segment(header))
    make_segment(*control, static_cast<std::uint16_t>(size));
}

// A kernel without UDP_SEGMENT would send all of it as one datagram.
bool Offload::ask(int socket) noexcept {
  if (!wanted_) return false;
  int value = 0;
  socklen_t size = sizeof value;
  if (::getsockopt(socket, IPPROTO_UDP, UDP_SEGMENT, &value, &size) != 0) {
    send_error_ = errno;
    limit_ = 0;
  }
  constexpr int kOn = 1;
  const bool asked = ::setsockopt(socket, IPPROTO_UDP, UDP_GRO, &kOn, sizeof kOn) == 0;
  if (!asked) receive_error_ = errno;
  receives_ |= asked;
  return asked;
}

bool Offload::refused(int error, std::size_t segment) noexcept {
  if (error != EIO && error != EINVAL && error != EMSGSIZE) return false;
  const std::size_t still = error == EIO ? 0 : segment - 1;
  if (still < limit_) {
    limit_ = still;
    send_error_ = error;
    refused_size_ = segment;
  }
  return true;
}

std::string Offload::describe(const ReactorStats& stats) const {
  if (!wanted_) return "UDP: GSO and GRO are off";
  std::string line = "GSO: ";
  const std::uint64_t together = stats.gathered_out.get();
  if (send_error_ == 0 || together > 0)
    line += ratio(stats.datagrams_out.get(), together) + " datagrams a send";
  if (send_error_ != 0 && together > 0) line += ", but ";
  if (send_error_ != 0 && refused_size_ == 0)
    line += std::string("refused by the kernel (") + std::strerror(send_error_) + ")";
  else if (send_error_ != 0)
    line += "refused by the kernel for datagrams of " + std::to_string(refused_size_) + " bytes (" +
            std::strerror(send_error_) + "), which leave one by one";
  line += "; GRO: ";
  if (!receives_) return line + "refused by the kernel (" + std::strerror(receive_error_) + ")";
  return line + ratio(stats.datagrams_in.get(), stats.gathered_in.get()) + " a receive";
}

}  // namespace wiremark::net
