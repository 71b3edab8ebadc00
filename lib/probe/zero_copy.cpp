// Whether MSG_ZEROCOPY saves the copy: the notifications in the error queue say so.
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
// Needs struct timespec.
#include <linux/errqueue.h>

#include <array>

#include "probe/evidence.h"
#include "probe/finding.h"
#include "probe/loopback.h"

namespace wiremark::probe {

namespace {

struct Notified {
  std::uint64_t sends = 0;
  std::uint64_t copied = 0;
};

// One message of the error queue tells of a range of sends (msg_zerocopy of the kernel's
// documentation).
void read_notification(const Fd& fd, Notified& into) {
  alignas(cmsghdr) std::array<char, 256> control;
  msghdr message{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(fd.get(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    const auto* error = reinterpret_cast<const sock_extended_err*>(CMSG_DATA(part));
    if (error->ee_origin != SO_EE_ORIGIN_ZEROCOPY) continue;
    const std::uint64_t sends = error->ee_data - error->ee_info + 1;
    into.sends += sends;
    into.copied += error->ee_code & SO_EE_CODE_ZEROCOPY_COPIED ? sends : 0;
  }
}

}  // namespace

Findings probe_zero_copy() {
  Finding finding{kNetworkGroup, "MSG_ZEROCOPY saves the copy", Answer::untried, "", ""};
  const auto pair = connect_streams();
  if (!pair) {
    finding.evidence = pair.error().message();
    return {finding};
  }
  const int on = 1;
  if (::setsockopt(pair->client.get(), SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) < 0) {
    finding.answer = Answer::no;
    finding.evidence = failure("SO_ZEROCOPY", errno);
    return {finding};
  }
  static std::array<char, 16384> bytes;
  constexpr std::uint64_t kSends = 4;
  Notified notified;
  for (std::uint64_t sent = 1; sent <= kSends; ++sent) {
    std::array<char, bytes.size()> into;
    if (::send(pair->client.get(), bytes.data(), bytes.size(), MSG_ZEROCOPY | MSG_NOSIGNAL) < 0) {
      finding.answer = Answer::no;
      finding.evidence = failure("send MSG_ZEROCOPY", errno);
      finding.change = errno == ENOBUFS ? "sysctl -w net.core.optmem_max=131072" : "";
      return {finding};
    }
    if (::recv(pair->server.get(), into.data(), into.size(), MSG_WAITALL) <= 0) break;
    pollfd told{.fd = pair->client.get(), .events = 0, .revents = 0};
    while (notified.sends < sent && ::poll(&told, 1, 1000) > 0)
      read_notification(pair->client, notified);
  }
  if (notified.sends == 0) {
    finding.evidence = "no notification came in a second";
    return {finding};
  }
  finding.answer = notified.copied == notified.sends ? Answer::no_effect : Answer::yes;
  finding.evidence = "over loopback " + copied_evidence(notified.sends, notified.copied);
  finding.change = "a network card, and no loopback";
  return {finding};
}

}  // namespace wiremark::probe
