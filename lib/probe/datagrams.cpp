// Whether the kernel cuts and gathers datagrams (UDP_SEGMENT, UDP_GRO), as they arrive here.
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "probe/finding.h"
#include "probe/loopback.h"

namespace wiremark::probe {

namespace {

constexpr std::uint16_t kSegment = 64;
constexpr std::size_t kSegments = 16;
constexpr std::size_t kBytes = kSegment * kSegments;

bool send_segmented(const Fd& fd) {
  std::array<char, kBytes> bytes{};
  iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof kSegment)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* size = CMSG_FIRSTHDR(&message);
  size->cmsg_level = IPPROTO_UDP;
  size->cmsg_type = UDP_SEGMENT;
  size->cmsg_len = CMSG_LEN(sizeof kSegment);
  std::memcpy(CMSG_DATA(size), &kSegment, sizeof kSegment);
  return ::sendmsg(fd.get(), &message, 0) == static_cast<ssize_t>(kBytes);
}

// Bytes that one receive brings; 0 where none comes.
std::size_t receive_once(const Fd& fd) {
  std::array<char, kBytes> bytes;
  const ssize_t got = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

Findings probe_datagrams() {
  Finding cut{kNetworkGroup, "UDP_SEGMENT (GSO)", Answer::untried, "", ""};
  Finding gathered{kNetworkGroup, "UDP_GRO", Answer::untried, "UDP_SEGMENT does not work here", ""};
  const auto pair = connect_datagrams();
  if (!pair) {
    cut.evidence = pair.error().message();
    return {cut, gathered};
  }
  if (!send_segmented(pair->client)) {
    cut = {kNetworkGroup, cut.what, Answer::no, failure("sendmsg UDP_SEGMENT", errno),
           "Linux 4.18"};
    return {cut, gathered};
  }
  std::size_t came = 0;
  while (came < kSegments && receive_once(pair->server) == kSegment) ++came;
  cut.answer = came == kSegments ? Answer::yes : Answer::no;
  cut.evidence =
      "one sendmsg of 1,024 bytes came as " + std::to_string(came) + " datagrams of 64 bytes";
  const int on = 1;
  if (::setsockopt(pair->server.get(), IPPROTO_UDP, UDP_GRO, &on, sizeof on) < 0) {
    gathered = {kNetworkGroup, gathered.what, Answer::no, failure("setsockopt UDP_GRO", errno),
                "Linux 5.0"};
    return {cut, gathered};
  }
  const std::size_t bytes = send_segmented(pair->client) ? receive_once(pair->server) : 0;
  gathered.answer = bytes > kSegment ? Answer::yes : Answer::no_effect;
  gathered.evidence = "one receive brought " + std::to_string(bytes / kSegment) +
                      " of 16 datagrams that were sent in one call";
  return {cut, gathered};
}

}  // namespace wiremark::probe
