// AF_XDP and programs at a device, tried on the loopback device of a network namespace made for it:
// attaching one to a real card would interrupt what others do with it.
#include <linux/bpf.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>
#include <memory>

#include "base/fd.h"
#include "probe/child.h"
#include "probe/finding.h"

namespace wiremark::probe {

namespace {

constexpr unsigned kFrames = 64;
constexpr unsigned kFrameSize = 2048;
constexpr unsigned kRingEntries = 64;
constexpr const char* kRights = "run as root, or setcap cap_net_raw,cap_net_admin,cap_bpf+ep";

Finding refused_call(const char* what, const char* call, int error) {
  const char* change = error == EPERM || error == EACCES ? kRights
                       : error == ENOBUFS                ? "ulimit -l unlimited"
                       : error == EAFNOSUPPORT           ? "a kernel with CONFIG_XDP_SOCKETS"
                                                         : "";
  return {kNetworkGroup, what, Answer::no, failure(call, error), change};
}

class Umem {
 public:
  Umem()
      : memory_(::mmap(nullptr, kFrames * kFrameSize, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {}
  Umem(const Umem&) = delete;
  Umem& operator=(const Umem&) = delete;
  ~Umem() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, kFrames * kFrameSize);
  }

  // 0, or the errno of what failed, which `call` names.
  int register_with(const Fd& socket, const char*& call) const {
    xdp_umem_reg area{};
    area.addr = reinterpret_cast<std::uintptr_t>(memory_);
    area.len = kFrames * kFrameSize;
    area.chunk_size = kFrameSize;
    call = "XDP_UMEM_REG";
    if (::setsockopt(socket.get(), SOL_XDP, XDP_UMEM_REG, &area, sizeof area) < 0) return errno;
    for (const auto& [option, name] : {std::pair(XDP_UMEM_FILL_RING, "XDP_UMEM_FILL_RING"),
                                       {XDP_UMEM_COMPLETION_RING, "XDP_UMEM_COMPLETION_RING"},
                                       {XDP_RX_RING, "XDP_RX_RING"}}) {
      call = name;
      if (::setsockopt(socket.get(), SOL_XDP, option, &kRingEntries, sizeof kRingEntries) < 0)
        return errno;
    }
    return 0;
  }

 private:
  void* memory_;
};

Finding try_socket() {
  constexpr const char* kWhat = "AF_XDP socket, UMEM";
  const Fd socket(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket) return refused_call(kWhat, "socket AF_XDP", errno);
  const Umem memory;
  const char* call = "";
  if (const int error = memory.register_with(socket, call); error != 0)
    return refused_call(kWhat, call, error);
  return {kNetworkGroup, kWhat, Answer::yes,
          "64 frames of 2,048 bytes and three rings were registered", ""};
}

int bpf(int command, bpf_attr& attributes, std::size_t size) {
  return static_cast<int>(::syscall(__NR_bpf, command, &attributes, size));
}

// Two instructions: r0 = XDP_PASS, exit.
Fd load_program() {
  bpf_insn code[2]{};
  code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  code[0].imm = XDP_PASS;
  code[1].code = BPF_JMP | BPF_EXIT;
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_XDP;
  attributes.insn_cnt = 2;
  attributes.insns = reinterpret_cast<std::uintptr_t>(code);
  attributes.license = reinterpret_cast<std::uintptr_t>("MIT");
  attributes.expected_attach_type = BPF_XDP;
  return Fd(bpf(BPF_PROG_LOAD, attributes, sizeof attributes));
}

Fd attach(const Fd& program, unsigned device, unsigned flags) {
  bpf_attr attributes{};
  attributes.link_create.prog_fd = static_cast<unsigned>(program.get());
  attributes.link_create.target_ifindex = device;
  attributes.link_create.attach_type = BPF_XDP;
  attributes.link_create.flags = flags;
  return Fd(bpf(BPF_LINK_CREATE, attributes, sizeof attributes));
}

Finding try_map() {
  constexpr const char* kWhat = "XSKMAP";
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_XSKMAP;
  attributes.key_size = sizeof(std::uint32_t);
  attributes.value_size = sizeof(std::uint32_t);
  attributes.max_entries = 1;
  const Fd map(bpf(BPF_MAP_CREATE, attributes, sizeof attributes));
  if (!map) return refused_call(kWhat, "bpf MAP_CREATE", errno);
  return {kNetworkGroup, kWhat, Answer::yes, "a map of one socket was made", ""};
}

// Without a mode the kernel takes the driver's where there is one, else its own, which saves
// nothing; it says neither.
Finding try_attach(unsigned device) {
  constexpr const char* kWhat = "XDP program, auto mode";
  const Fd program = load_program();
  if (!program) return refused_call(kWhat, "bpf PROG_LOAD", errno);
  Fd link = attach(program, device, XDP_FLAGS_DRV_MODE);
  if (link) return {kNetworkGroup, kWhat, Answer::yes, "attached in driver mode", ""};
  const int native = errno;
  link = attach(program, device, 0);
  if (!link) return refused_call(kWhat, "bpf LINK_CREATE", errno);
  return {kNetworkGroup, kWhat, Answer::no_effect,
          "attached to loopback, but in generic mode: driver mode: " +
              std::string(std::strerror(native)),
          "a network card whose driver has XDP"};
}

// Without flags bind(2) takes zero-copy where there is any, and falls back to copies.
Finding try_bind(unsigned device) {
  constexpr const char* kWhat = "XDP zero-copy, auto mode";
  const Fd socket(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket) return refused_call(kWhat, "socket AF_XDP", errno);
  const Umem memory;
  const char* call = "";
  if (const int error = memory.register_with(socket, call); error != 0)
    return refused_call(kWhat, call, error);
  sockaddr_xdp name{};
  name.sxdp_family = AF_XDP;
  name.sxdp_ifindex = device;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) < 0)
    return refused_call(kWhat, "bind", errno);
  xdp_options active{};
  socklen_t size = sizeof active;
  if (::getsockopt(socket.get(), SOL_XDP, XDP_OPTIONS, &active, &size) < 0)
    return refused_call(kWhat, "XDP_OPTIONS", errno);
  const bool zero_copy = active.flags & XDP_OPTIONS_ZEROCOPY;
  return {kNetworkGroup, kWhat, zero_copy ? Answer::yes : Answer::no_effect,
          zero_copy ? "bound, and XDP_OPTIONS says zero-copy"
                    : "bound to loopback, but XDP_OPTIONS says that each packet is copied",
          zero_copy ? "" : "a network card whose driver has AF_XDP zero-copy"};
}

// Its number; 0 with errno where it cannot be brought up.
unsigned bring_up_loopback() {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) < 0) return 0;
  if (::ioctl(socket.get(), SIOCGIFINDEX, &request) < 0) return 0;
  return static_cast<unsigned>(request.ifr_ifindex);
}

Findings try_in_namespace() {
  if (::unshare(CLONE_NEWNET) < 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
    const std::string why = failure("unshare CLONE_NEWNET", errno);
    return {{kNetworkGroup, "XDP program, auto mode", Answer::untried, why, kRights},
            {kNetworkGroup, "XDP zero-copy, auto mode", Answer::untried, why, kRights}};
  }
  const unsigned device = bring_up_loopback();
  if (device == 0)
    return {
        {kNetworkGroup, "XDP, auto mode", Answer::untried, failure("SIOCSIFFLAGS lo", errno), ""}};
  return {try_attach(device), try_bind(device)};
}

}  // namespace

Findings probe_xdp() {
  Findings found = {try_socket(), try_map()};
  const Findings inside = in_child(try_in_namespace);
  found.insert(found.end(), inside.begin(), inside.end());
  found.push_back({kNetworkGroup, "XDP on a network card", Answer::untried,
                   "attaching to one would interrupt its traffic", ""});
  return found;
}

}  // namespace wiremark::probe
