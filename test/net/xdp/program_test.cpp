// The program that the kernel runs for each frame: interpreted here, since BPF_PROG_TEST_RUN says
// XDP_PASS also for what it redirects while the map has no socket; and run by the kernel.
#include "net/xdp/program.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "named_address.h"

using namespace wiremark;
using namespace wiremark::net;
using namespace wiremark::net::xdp;

namespace {

struct Machine {
  std::vector<bpf_insn> code;
  std::vector<std::uint8_t> frame;
  std::vector<std::uint16_t> ports = {};  // The array of ports has these, as a frame has them.

  static constexpr std::uint64_t kValue = 1 << 20;  // Where the element lies that was looked up.

  // True when it reaches the call of redirect_map. Nothing may be read behind the frame's end.
  bool redirects() const {
    std::uint64_t reg[11] = {};
    std::uint32_t key = 0;  // On the stack.
    for (std::size_t at = 0; at < code.size(); ++at) {
      const bpf_insn& insn = code[at];
      const auto imm = static_cast<std::uint32_t>(insn.imm);
      if (insn.code == (BPF_JMP | BPF_CALL) && imm == BPF_FUNC_redirect_map) return true;
      if (insn.code == (BPF_JMP | BPF_EXIT)) return false;
      if (insn.code == (BPF_JMP | BPF_CALL)) {
        REQUIRE(imm == BPF_FUNC_map_lookup_elem);
        REQUIRE(key < 65'536);
        reg[0] = kValue;
      } else if (insn.code == (BPF_STX | BPF_MEM | BPF_W)) {
        REQUIRE((insn.dst_reg == 10 && insn.off == -4));
        key = static_cast<std::uint32_t>(reg[insn.src_reg]);
      } else if (insn.code == (BPF_JMP | BPF_JEQ | BPF_K)) {
        if (reg[insn.dst_reg] == imm) at += static_cast<std::size_t>(insn.off);
      } else if (insn.code == (BPF_JMP32 | BPF_JEQ | BPF_K)) {
        if (static_cast<std::uint32_t>(reg[insn.dst_reg]) == imm)
          at += static_cast<std::size_t>(insn.off);
      } else if (insn.code == (BPF_LDX | BPF_MEM | BPF_B) && insn.src_reg == 0) {
        REQUIRE(reg[0] == kValue);
        reg[0] = std::ranges::count(ports, key) > 0 ? 1 : 0;
      } else if (insn.code == (BPF_LDX | BPF_MEM | BPF_W) && insn.src_reg != 2) {
        reg[insn.dst_reg] = insn.off == 4 ? frame.size() : 0;  // The context: the frame is at 0.
      } else if ((insn.code & 0xe7) == (BPF_LDX | BPF_MEM)) {
        const std::size_t width = (insn.code & 0x18) == BPF_B   ? 1
                                  : (insn.code & 0x18) == BPF_H ? 2
                                                                : 4;
        REQUIRE(static_cast<std::size_t>(insn.off) + width <= frame.size());
        reg[insn.dst_reg] = 0;
        std::memcpy(&reg[insn.dst_reg], frame.data() + insn.off, width);
      } else if (insn.code == (BPF_ALU64 | BPF_MOV | BPF_X)) {
        reg[insn.dst_reg] = reg[insn.src_reg];
      } else if (insn.code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
        reg[insn.dst_reg] += imm;
      } else if (insn.code == (BPF_ALU64 | BPF_MOV | BPF_K)) {
        reg[insn.dst_reg] = imm;
      } else if (insn.code == (BPF_ALU | BPF_AND | BPF_K)) {
        reg[insn.dst_reg] &= imm;
      } else if (insn.code == (BPF_JMP | BPF_JGT | BPF_X)) {
        if (reg[insn.dst_reg] > reg[insn.src_reg]) at += static_cast<std::size_t>(insn.off);
      } else if (insn.code == (BPF_JMP32 | BPF_JNE | BPF_K)) {
        if (static_cast<std::uint32_t>(reg[insn.dst_reg]) != imm)
          at += static_cast<std::size_t>(insn.off);
      } else if (insn.code == (BPF_LD | BPF_DW | BPF_IMM)) {
        ++at;
      } else {
        FAIL("an instruction that this test does not know: " << int{insn.code});
      }
    }
    FAIL("the program has no end");
    return false;
  }
};

std::vector<std::uint8_t> ipv4_head() {
  return {2,  0,  0, 0, 0,  1,  2, 0, 0,  0,  0, 2, 8,    0,    0x45, 0,    0, 29, 0, 0, 64, 0,
          64, 17, 0, 0, 10, 99, 0, 2, 10, 99, 0, 1, 0x4e, 0x20, 0x1b, 0x5f, 0, 9,  0, 0, 'a'};
}

std::vector<std::uint8_t> ipv6_head() {
  std::vector<std::uint8_t> frame(63, 0);
  frame[12] = 0x86;
  frame[13] = 0xdd;
  frame[14] = 0x60;
  frame[20] = 17;
  frame[38] = 0xfd;
  frame[53] = 1;
  frame[56] = 0x1b;
  frame[57] = 0x5f;
  return frame;
}

bool redirected(const char* to, const std::vector<std::uint8_t>& frame) {
  return Machine{assemble(address(to), 3), frame}.redirects();
}

// The reply of 10.99.0.2:20000, or of [fd00::2]:20000, to our port 7007.
bool reply_redirected(const char* to, const char* from, const std::vector<std::uint8_t>& frame,
                      std::uint16_t port = 7007) {
  return Machine{assemble_replies(address(to), address(from), 3, 4), frame, {htons(port)}}
      .redirects();
}

// What the kernel's own run of it returns.
int run_in_kernel(const Program& program, std::vector<std::uint8_t> frame) {
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<std::uint32_t>(program.fd());
  attributes.test.data_in = reinterpret_cast<std::uintptr_t>(frame.data());
  attributes.test.data_size_in = static_cast<std::uint32_t>(frame.size());
  if (bpf(BPF_PROG_TEST_RUN, attributes) != 0) return -errno;
  return static_cast<int>(attributes.test.retval);
}

}  // namespace

TEST_CASE("datagrams to exactly this address and port are redirected") {
  CHECK(redirected("udp:10.99.0.1:7007", ipv4_head()));
  CHECK(redirected("udp:[fd00::1]:7007", ipv6_head()));
}

TEST_CASE("another address, port or family passes") {
  CHECK_FALSE(redirected("udp:10.99.0.2:7007", ipv4_head()));
  CHECK_FALSE(redirected("udp:10.99.0.1:7008", ipv4_head()));
  CHECK_FALSE(redirected("udp:10.99.0.1:7007", ipv6_head()));
  CHECK_FALSE(redirected("udp:[fd00::1]:7008", ipv6_head()));
  CHECK_FALSE(redirected("udp:[fd00::2]:7007", ipv6_head()));
  CHECK_FALSE(redirected("udp:[fd01::1]:7007", ipv6_head()));
  CHECK_FALSE(redirected("udp:[fd00::1]:7007", ipv4_head()));
}

TEST_CASE("replies of one server to ports of ours are redirected, and no others") {
  constexpr const char* kTo = "udp:10.99.0.2:20000";
  constexpr const char* kFrom = "udp:10.99.0.1:0";
  CHECK(reply_redirected(kTo, kFrom, ipv4_head()));
  CHECK_FALSE(reply_redirected(kTo, kFrom, ipv4_head(), 7008));
  CHECK_FALSE(reply_redirected("udp:10.99.0.2:20001", kFrom, ipv4_head()));
  CHECK_FALSE(reply_redirected("udp:10.99.0.3:20000", kFrom, ipv4_head()));
  CHECK_FALSE(reply_redirected(kTo, "udp:10.99.0.4:0", ipv4_head()));
  CHECK_FALSE(reply_redirected(kTo, kFrom, ipv6_head()));
  auto reply = ipv6_head();
  reply[22] = 0xfd;
  reply[37] = 2;
  reply[54] = 0x4e;
  reply[55] = 0x20;
  CHECK(reply_redirected("udp:[fd00::2]:20000", "udp:[fd00::1]:0", reply));
  CHECK_FALSE(reply_redirected("udp:[fd00::2]:20000", "udp:[fd00::1]:0", reply, 7));
  CHECK_FALSE(reply_redirected("udp:[fd00::2]:20000", "udp:[fd00::3]:0", reply));
  CHECK_FALSE(reply_redirected("udp:[fd00::3]:20000", "udp:[fd00::1]:0", reply));
  CHECK_FALSE(reply_redirected("udp:[fd00::2]:20000", "udp:[fd00::1]:0", ipv4_head()));
  auto fragment = ipv4_head();
  fragment[20] = 0x20;
  CHECK_FALSE(reply_redirected(kTo, kFrom, fragment));
}

TEST_CASE("ARP, fragments, options, TCP and extension headers pass") {
  const auto with = [](std::vector<std::uint8_t> frame, std::size_t at, int value) {
    frame[at] = static_cast<std::uint8_t>(value);
    return frame;
  };
  constexpr const char* kTo = "udp:10.99.0.1:7007";
  CHECK_FALSE(redirected(kTo, with(ipv4_head(), 13, 6)));
  CHECK_FALSE(redirected(kTo, with(ipv4_head(), 20, 0x20)));
  CHECK_FALSE(redirected(kTo, with(ipv4_head(), 21, 1)));
  CHECK(redirected(kTo, with(ipv4_head(), 20, 0x40)));  // Don't fragment.
  CHECK_FALSE(redirected(kTo, with(ipv4_head(), 14, 0x46)));
  CHECK_FALSE(redirected(kTo, with(ipv4_head(), 23, 6)));
  CHECK_FALSE(redirected("udp:[fd00::1]:7007", with(ipv6_head(), 20, 44)));
}

TEST_CASE("a frame that was cut in a header passes, and nothing behind its end is read") {
  for (std::size_t size = 0; size < 42; ++size) {
    auto frame = ipv4_head();
    frame.resize(size);
    CHECK_FALSE(redirected("udp:10.99.0.1:7007", frame));
  }
  for (std::size_t size = 0; size < 62; ++size) {
    auto frame = ipv6_head();
    frame.resize(size);
    CHECK_FALSE(redirected("udp:[fd00::1]:7007", frame));
  }
}

TEST_CASE("the kernel takes the programs, and they pass all without a socket") {
  for (const char* to : {"udp:10.99.0.1:7007", "udp:[fd00::1]:7007"}) {
    const auto program = Program::load(address(to), 2);
    if (!program && (program.error().code == EPERM || program.error().code == ENOSYS)) {
      MESSAGE("not tried: " << program.error().message());
      return;
    }
    REQUIRE_MESSAGE(program, program.error().message());
    CHECK(run_in_kernel(*program, ipv4_head()) == XDP_PASS);
    CHECK(run_in_kernel(*program, ipv6_head()) == XDP_PASS);
  }
  for (const auto& [to, from] : {std::pair("udp:10.99.0.2:20000", "udp:10.99.0.1:0"),
                                 {"udp:[fd00::2]:20000", "udp:[fd00::1]:0"}}) {
    auto program = Program::load_replies(address(to), address(from), 2);
    REQUIRE_MESSAGE(program, program.error().message());
    REQUIRE(program->take_port(7007));
    CHECK(run_in_kernel(*program, ipv4_head()) == XDP_PASS);
    CHECK(run_in_kernel(*program, ipv6_head()) == XDP_PASS);
  }
}

TEST_CASE("a signal while the kernel looks at a program does not keep it out") {
  if (!Program::load(address("udp:10.99.0.1:7007"), 1)) return;  // As above.
  struct sigaction taken = {}, before = {};
  taken.sa_handler = [](int) {};
  REQUIRE(::sigaction(SIGALRM, &taken, &before) == 0);
  for (int after_us = 1; after_us <= 500; ++after_us) {
    CAPTURE(after_us);
    const itimerval once = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = after_us}};
    REQUIRE(::setitimer(ITIMER_REAL, &once, nullptr) == 0);
    const auto program = Program::load(address("udp:10.99.0.1:7007"), 1);
    REQUIRE_MESSAGE(program, program.error().message());
  }
  constexpr itimerval kNever = {};
  REQUIRE(::setitimer(ITIMER_REAL, &kNever, nullptr) == 0);
  REQUIRE(::sigaction(SIGALRM, &before, nullptr) == 0);
}

TEST_CASE("what the kernel refuses names the fix") {
  CHECK(refused("x", EPERM).error().message().find("cap_net_raw") != std::string::npos);
  CHECK(refused("x", ENOBUFS).error().message().find("ulimit -l") != std::string::npos);
  CHECK(refused("x", EBUSY).error().message().find("another program") != std::string::npos);
  CHECK(refused("x", EOPNOTSUPP).error().message().find("--xdp generic") != std::string::npos);
}

TEST_CASE("modes are read as they are written") {
  for (const XdpMode mode : {XdpMode::automatic, XdpMode::native, XdpMode::generic}) {
    const auto read = parse_xdp_mode(to_string(mode));
    REQUIRE(read);
    CHECK(*read == mode);
  }
  CHECK_FALSE(parse_xdp_mode("zc"));
}
