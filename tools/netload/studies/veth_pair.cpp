// Two network namespaces of our own, joined by a pair of virtual interfaces.
#include "netload/studies/veth_pair.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace wiremark::tools {

namespace {

constexpr const char* kServerLink = "v0";
constexpr const char* kClientLink = "v1";

Fd own_namespace() { return Fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)); }

Result<Fd> new_namespace() {
  if (::unshare(CLONE_NEWNET) != 0)
    return failed("unshare CLONE_NEWNET",
                  errno == EPERM ? "(run as root: it makes two network namespaces)" : "");
  Fd made = own_namespace();
  if (!made) return failed("open", "/proc/thread-self/ns/net");
  return made;
}

// A message of netlink whose attributes may lie within each other (rtnetlink(7)).
class LinkRequest {
 public:
  LinkRequest() {
    header().nlmsg_type = RTM_NEWLINK;
    header().nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    header().nlmsg_len = NLMSG_LENGTH(sizeof(ifinfomsg));
  }
  void add(std::uint16_t type, const void* value, std::size_t size) {
    const std::size_t at = begin(type);
    std::memcpy(bytes_ + header().nlmsg_len, value, size);
    header().nlmsg_len += static_cast<std::uint32_t>(size);
    end(at);
  }
  void add(std::uint16_t type, const char* name) { add(type, name, std::strlen(name) + 1); }
  // Of an attribute that holds others, which are added before its end().
  std::size_t begin(std::uint16_t type) {
    const std::size_t at = NLMSG_ALIGN(header().nlmsg_len);
    reinterpret_cast<rtattr*>(bytes_ + at)->rta_type = type;
    header().nlmsg_len = static_cast<std::uint32_t>(at + sizeof(rtattr));
    return at;
  }
  void end(std::size_t at) {
    reinterpret_cast<rtattr*>(bytes_ + at)->rta_len =
        static_cast<std::uint16_t>(header().nlmsg_len - at);
  }
  // Room for a header within an attribute.
  void skip(std::size_t size) { header().nlmsg_len += static_cast<std::uint32_t>(size); }
  nlmsghdr& header() noexcept { return *reinterpret_cast<nlmsghdr*>(bytes_); }

 private:
  alignas(nlmsghdr) std::byte bytes_[512] = {};
};

// In this namespace, with its peer in that of `server`.
Result<> make_link(int server) {
  LinkRequest request;
  request.add(IFLA_IFNAME, kClientLink);
  const std::size_t info = request.begin(IFLA_LINKINFO);
  request.add(IFLA_INFO_KIND, "veth");
  const std::size_t data = request.begin(IFLA_INFO_DATA);
  const std::size_t peer = request.begin(VETH_INFO_PEER);
  request.skip(sizeof(ifinfomsg));
  request.add(IFLA_IFNAME, kServerLink);
  request.add(IFLA_NET_NS_FD, &server, sizeof server);
  request.end(peer);
  request.end(data);
  request.end(info);
  const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  struct {
    nlmsghdr header;
    nlmsgerr error;
    std::byte rest[512];
  } answer{};
  if (!socket || ::send(socket.get(), &request.header(), request.header().nlmsg_len, 0) < 0 ||
      ::recv(socket.get(), &answer, sizeof answer, 0) < 0)
    return failed("netlink RTM_NEWLINK");
  if (answer.error.error == 0) return {};
  const int error = -answer.error.error;
  return failed("netlink RTM_NEWLINK",
                error == EOPNOTSUPP ? "(needs a kernel with veth: 'modprobe veth')" : "", error);
}

Result<> set_up(const char* link, const char* host) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, link, IFNAMSIZ - 1);
  auto& address = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, host, &address.sin_addr);
  bool done = socket && ::ioctl(socket.get(), SIOCSIFADDR, &request) == 0;
  ::inet_pton(AF_INET, "255.255.255.0", &address.sin_addr);
  done = done && ::ioctl(socket.get(), SIOCSIFNETMASK, &request) == 0;
  request.ifr_flags = IFF_UP;
  if (!done || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return failed("SIOCSIFADDR", link);
  return {};
}

}  // namespace

VethPair::Inside::Inside(const Fd& there, const Fd& back) : back_(back) {
  ::setns(there.get(), CLONE_NEWNET);
}

VethPair::Inside::~Inside() { ::setns(back_.get(), CLONE_NEWNET); }

Result<VethPair> VethPair::make() {
  VethPair made;
  made.own_ = own_namespace();
  if (!made.own_) return failed("open", "/proc/thread-self/ns/net (mount /proc)");
  auto server = new_namespace();
  auto client = server ? new_namespace() : std::move(server);
  Result<> done;
  if (client) done = make_link(server->get());
  const bool back = ::setns(made.own_.get(), CLONE_NEWNET) == 0;
  if (!client) return std::unexpected(client.error());
  if (!done) return std::unexpected(done.error());
  if (!back) return failed("setns");
  made.server_ = std::move(*server);
  made.client_ = std::move(*client);
  {
    const auto there = made.inside_server();
    done = set_up(kServerLink, kServer);
  }
  if (done) {
    const auto there = made.inside_client();
    done = set_up(kClientLink, kClient);
  }
  if (!done) return std::unexpected(done.error());
  return made;
}

}  // namespace wiremark::tools
