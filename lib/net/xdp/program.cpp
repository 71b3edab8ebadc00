// What the kernel runs for each frame of an interface: those for one UDP address go to AF_XDP
// sockets, and all others pass.
#include "net/xdp/program.h"

#include <linux/if_link.h>
#include <netinet/in.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "net/xdp/packet.h"

namespace wiremark::net {

Result<XdpMode> parse_xdp_mode(std::string_view text) {
  for (const XdpMode mode : {XdpMode::automatic, XdpMode::native, XdpMode::generic})
    if (text == to_string(mode)) return mode;
  return failed("'" + std::string(text) + "' is not auto, native or generic", {}, 0);
}

std::string_view to_string(XdpMode mode) noexcept {
  switch (mode) {
    case XdpMode::automatic:
      return "auto";
    case XdpMode::native:
      return "native";
    case XdpMode::generic:
      return "generic";
  }
  return "?";
}

namespace xdp {

namespace {

// r1 is the context, r2 the start of the frame, r3 its end, r6 keeps r1.
class Assembler {
 public:
  void add(int code, int to, int from, std::size_t offset, std::int64_t value) {
    bpf_insn insn{};
    insn.code = static_cast<std::uint8_t>(code);
    insn.dst_reg = static_cast<std::uint8_t>(to & 0xf);
    insn.src_reg = static_cast<std::uint8_t>(from & 0xf);
    insn.off = static_cast<std::int16_t>(offset);
    insn.imm = static_cast<std::int32_t>(value);
    code_.push_back(insn);
  }
  void pass_if(int comparison, int one, int other, std::int64_t value) {
    jumps_.push_back(code_.size());
    add(BPF_JMP32 | comparison, one, other, 0, value);
  }
  void pass_if_null() {
    jumps_.push_back(code_.size());
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0, 0);
  }
  // Frames in which the bytes there are others pass. They are compared as they lie in memory.
  template <class T>
  void require(std::size_t at, T value, T mask = static_cast<T>(~T{})) {
    constexpr int kWidth = sizeof(T) == 1 ? BPF_B : sizeof(T) == 2 ? BPF_H : BPF_W;
    add(BPF_LDX | BPF_MEM | kWidth, 0, 2, at, 0);
    if (mask != static_cast<T>(~T{})) add(BPF_ALU | BPF_AND | BPF_K, 0, 0, 0, mask);
    pass_if(BPF_JNE | BPF_K, 0, 0, static_cast<std::int64_t>(value));
  }
  std::vector<bpf_insn> finish() {
    const std::size_t pass = code_.size();
    add(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, XDP_PASS);
    add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    for (const std::size_t jump : jumps_)
      code_[jump].off = static_cast<std::int16_t>(pass - jump - 1);
    return code_;
  }
  // Pointers are compared in all their 64 bits.
  void pass_if_shorter(std::size_t size) {
    add(BPF_ALU64 | BPF_MOV | BPF_X, 4, 2, 0, 0);
    add(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, static_cast<std::int64_t>(size));
    jumps_.push_back(code_.size());
    add(BPF_JMP | BPF_JGT | BPF_X, 4, 3, 0, 0);
  }

 private:
  std::vector<bpf_insn> code_;
  std::vector<std::size_t> jumps_;
};

std::uint32_t word_of(const void* host, std::size_t place) noexcept {
  std::uint32_t word;
  std::memcpy(&word, static_cast<const std::byte*>(host) + place * sizeof word, sizeof word);
  return word;
}

// Where a frame has the IP header, both hosts behind each other, and both ports.
struct Layout {
  explicit Layout(int family)
      : ipv6(family == AF_INET6),
        host_size(ipv6 ? 16 : 4),
        udp(kIp + (ipv6 ? kIpv6Header : kIpv4Header)),
        source(udp - 2 * host_size),
        destination(udp - host_size) {}

  static constexpr std::size_t kIp = kEthernetHeader;
  bool ipv6;
  std::size_t host_size;
  std::size_t udp;
  std::size_t source;
  std::size_t destination;
};

void start(Assembler& code) {
  code.add(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
  code.add(BPF_LDX | BPF_MEM | BPF_W, 2, 1, offsetof(xdp_md, data), 0);
  code.add(BPF_LDX | BPF_MEM | BPF_W, 3, 1, offsetof(xdp_md, data_end), 0);
}

void require_udp(Assembler& code, const Layout& at) {
  code.pass_if_shorter(at.udp + kUdpHeader);
  code.require<std::uint16_t>(12, htons(at.ipv6 ? 0x86dd : 0x0800));
  if (at.ipv6) return code.require<std::uint8_t>(Layout::kIp + 6, IPPROTO_UDP);
  code.require<std::uint8_t>(Layout::kIp, 0x45);
  code.require<std::uint16_t>(Layout::kIp + 6, 0, htons(0x3fff));  // A fragment.
  code.require<std::uint8_t>(Layout::kIp + 9, IPPROTO_UDP);
}

void require_host(Assembler& code, const Layout& at, std::size_t place, const Address& address) {
  const void* host = &reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr;
  if (at.ipv6) host = &reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr;
  for (std::size_t i = 0; i < at.host_size / 4; ++i)
    code.require<std::uint32_t>(place + 4 * i, word_of(host, i));
}

void load_map(Assembler& code, int map) {
  code.add(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map);
  code.add(0, 0, 0, 0, 0);
}

// The key lies on the stack, below r10.
void require_port_of(Assembler& code, std::size_t at, int ports) {
  constexpr auto kKey = static_cast<std::size_t>(-4);
  code.add(BPF_LDX | BPF_MEM | BPF_H, 0, 2, at, 0);
  code.add(BPF_STX | BPF_MEM | BPF_W, 10, 0, kKey, 0);
  load_map(code, ports);
  code.add(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
  code.add(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
  code.add(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
  code.pass_if_null();
  code.add(BPF_LDX | BPF_MEM | BPF_B, 0, 0, 0, 0);
  code.pass_if(BPF_JEQ | BPF_K, 0, 0, 0);
}

std::vector<bpf_insn> redirect(Assembler& code, int map) {
  load_map(code, map);
  code.add(BPF_LDX | BPF_MEM | BPF_W, 2, 6, offsetof(xdp_md, rx_queue_index), 0);
  code.add(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, XDP_PASS);
  code.add(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_redirect_map);
  code.add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  return code.finish();
}

std::string fix_of(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
      return "(run as root, or setcap cap_net_raw,cap_net_admin,cap_bpf+ep)";
    case ENOBUFS:
    case ENOMEM:
      return "(raise 'ulimit -l': its frames are locked memory)";
    case EBUSY:
    case EEXIST:
      return "(another program has this interface: 'ip link show' and 'bpftool net' name it)";
    case EAFNOSUPPORT:
    case ENOSYS:
      return "(needs a kernel with CONFIG_XDP_SOCKETS and CONFIG_BPF_SYSCALL)";
    case EOPNOTSUPP:
      return "(this driver has no XDP: try --xdp generic)";
    default:
      return {};
  }
}

Fd link(int program, unsigned interface, unsigned flags) {
  bpf_attr attributes{};
  attributes.link_create.prog_fd = static_cast<std::uint32_t>(program);
  attributes.link_create.target_ifindex = interface;
  attributes.link_create.attach_type = BPF_XDP;
  attributes.link_create.flags = flags;
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  int fd = bpf(BPF_LINK_CREATE, attributes);
  for (int tries = 1; fd < 0 && errno == EBUSY && tries < kTries; ++tries) {
    ::nanosleep(&kPause, nullptr);
    fd = bpf(BPF_LINK_CREATE, attributes);
  }
  return Fd(fd);
}

}  // namespace

std::unexpected<Error> refused(std::string call, int error) {
  return failed(std::move(call), fix_of(error), error);
}

int bpf(int command, bpf_attr& attributes) noexcept {
  return static_cast<int>(::syscall(__NR_bpf, command, &attributes, sizeof attributes));
}

std::vector<bpf_insn> assemble(const Address& address, int map) {
  const Layout at(address.family());
  Assembler code;
  start(code);
  require_udp(code, at);
  require_host(code, at, at.destination, address);
  code.require<std::uint16_t>(at.udp + 2, htons(address.port()));
  return redirect(code, map);
}

std::vector<bpf_insn> assemble_replies(const Address& to, const Address& from, int map, int ports) {
  const Layout at(to.family());
  Assembler code;
  start(code);
  require_udp(code, at);
  require_host(code, at, at.source, to);
  require_host(code, at, at.destination, from);
  code.require<std::uint16_t>(at.udp, htons(to.port()));
  require_port_of(code, at.udp + 2, ports);
  return redirect(code, map);
}

Result<> Program::make_map(unsigned queues) {
  bpf_attr map{};
  map.map_type = BPF_MAP_TYPE_XSKMAP;
  map.key_size = sizeof(std::uint32_t);
  map.value_size = sizeof(std::uint32_t);
  map.max_entries = queues;
  map_ = Fd(bpf(BPF_MAP_CREATE, map));
  if (!map_) return refused("bpf MAP_CREATE", errno);
  return {};
}

Result<> Program::load_code(const std::vector<bpf_insn>& code) {
  bpf_attr program{};
  program.prog_type = BPF_PROG_TYPE_XDP;
  program.insns = reinterpret_cast<std::uintptr_t>(code.data());
  program.insn_cnt = static_cast<std::uint32_t>(code.size());
  program.license = reinterpret_cast<std::uintptr_t>("MIT");
  program.expected_attach_type = BPF_XDP;
  std::memcpy(program.prog_name, "wiremark_udp", sizeof "wiremark_udp");
  // The verifier gives up where a signal waits; that has been taken when the call returns.
  do program_ = Fd(bpf(BPF_PROG_LOAD, program));
  while (!program_ && errno == EAGAIN);
  if (!program_) return refused("bpf PROG_LOAD", errno);
  return {};
}

Result<Program> Program::load(const Address& address, unsigned queues) {
  Program made;
  auto done = made.make_map(queues);
  if (done) done = made.load_code(assemble(address, made.map_.get()));
  if (!done) return std::unexpected(done.error());
  return made;
}

Result<Program> Program::load_replies(const Address& to, const Address& from, unsigned queues) {
  Program made;
  if (auto done = made.make_map(queues); !done) return std::unexpected(done.error());
  bpf_attr ports{};
  ports.map_type = BPF_MAP_TYPE_ARRAY;
  ports.key_size = sizeof(std::uint32_t);
  ports.value_size = 1;
  ports.max_entries = 65'536;
  made.ports_ = Fd(bpf(BPF_MAP_CREATE, ports));
  if (!made.ports_) return refused("bpf MAP_CREATE", errno);
  const auto code = assemble_replies(to, from, made.map_.get(), made.ports_.get());
  if (auto done = made.load_code(code); !done) return std::unexpected(done.error());
  return made;
}

Result<> Program::attach(unsigned interface, XdpMode mode) {
  if (mode != XdpMode::generic) {
    link_ = link(program_.get(), interface, XDP_FLAGS_DRV_MODE);
    mode_ = XdpMode::native;
    if (link_) return {};
    if (mode == XdpMode::native || errno == EBUSY) return refused("bpf LINK_CREATE", errno);
  }
  link_ = link(program_.get(), interface, XDP_FLAGS_SKB_MODE);
  mode_ = XdpMode::generic;
  if (!link_) return refused("bpf LINK_CREATE", errno);
  return {};
}

Result<> Program::direct(unsigned queue, int socket) {
  const auto value = static_cast<std::uint32_t>(socket);
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(map_.get());
  attributes.key = reinterpret_cast<std::uintptr_t>(&queue);
  attributes.value = reinterpret_cast<std::uintptr_t>(&value);
  if (bpf(BPF_MAP_UPDATE_ELEM, attributes) != 0) return refused("bpf MAP_UPDATE_ELEM", errno);
  return {};
}

Result<> Program::take_port(std::uint16_t port) {
  const std::uint32_t place = htons(port);
  const std::uint8_t taken = 1;
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(ports_.get());
  attributes.key = reinterpret_cast<std::uintptr_t>(&place);
  attributes.value = reinterpret_cast<std::uintptr_t>(&taken);
  if (bpf(BPF_MAP_UPDATE_ELEM, attributes) != 0) return refused("bpf MAP_UPDATE_ELEM", errno);
  return {};
}

}  // namespace xdp

}  // namespace wiremark::net
