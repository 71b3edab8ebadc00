// The search for the highest rate, with a formula in place of a server.
#include "netload/studies/max_search.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr double kCapacityHz = 800;

// Searches from `first_hz` for what `keeps(rate, number)` keeps; the first probe has number 1.
MaxSearch searched(double first_hz, auto keeps) {
  int number = 0;
  MaxSearch search(
      first_hz,
      [&](double rate_hz) -> Result<Probe> {
        return Probe{
            .rate_hz = rate_hz, .result = {}, .kept = keeps(rate_hz, ++number), .reason = {}};
      },
      [] { return false; });
  REQUIRE(search.run().has_value());
  return search;
}

// What must hold for every search that was not cut short: the edge is known to 5 %, and confirmed.
void is_closed_in(const MaxSearch& search) {
  REQUIRE(search.next());
  CHECK(search.next()->rate_hz <= 1.051 * search.kept_hz());
  CHECK(search.tries() >= 3);
  CHECK(2 * search.best().size() > search.tries());
  CHECK(search.probes().size() < kProbesMax);
}

}  // namespace

TEST_CASE("the edge of a server is found from below and from far above") {
  for (const double first_hz : {1.0, 200.0, 799.0, 801.0, 10'000.0, 1e6}) {
    CAPTURE(first_hz);
    const MaxSearch search =
        searched(first_hz, [](double rate_hz, int) { return rate_hz <= kCapacityHz; });
    is_closed_in(search);
    CHECK(search.kept_hz() <= kCapacityHz);
    CHECK(search.kept_hz() > kCapacityHz / 1.051);
    CHECK(search.best().size() == search.tries());
  }
}

TEST_CASE("each failure is tried twice and the edge three times") {
  const MaxSearch search =
      searched(200, [](double rate_hz, int) { return rate_hz <= kCapacityHz; });
  // 200, 400 and 800 are kept; 1600, 1131, 951, 872 and 836 are not, twice; 800 comes twice more.
  CHECK(search.probes().size() == 15);
  CHECK(search.kept_hz() == 800);
}

TEST_CASE("a hiccup of the machine is no limit of the server") {
  for (int first = 1; first <= 7; ++first) {
    CAPTURE(first);
    const MaxSearch search = searched(200, [&](double rate_hz, int number) {
      return rate_hz <= kCapacityHz && number % 7 != first % 7;
    });
    is_closed_in(search);
    CHECK(search.kept_hz() == 800);
  }
}

TEST_CASE("what was kept by luck is not the maximum") {
  // Whatever is over the capacity is kept once, the first time that it is asked.
  double lucky_hz = 0;
  const MaxSearch search = searched(200, [&](double rate_hz, int) {
    if (rate_hz <= kCapacityHz) return true;
    const bool first = rate_hz != lucky_hz && rate_hz < 1.5 * kCapacityHz;
    lucky_hz = rate_hz;
    return first;
  });
  is_closed_in(search);
  CHECK(search.kept_hz() <= kCapacityHz);
}

TEST_CASE("a machine that does not hold still ends the search at its last probe or at an edge") {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const MaxSearch search = searched(200, [&](double rate_hz, int) {
      const double pause = static_cast<double>(random()) / 0x1p32;
      return rate_hz <= kCapacityHz * (1 - pause * pause);
    });
    CHECK(search.kept_hz() <= kCapacityHz);
    if (search.probes().size() == kProbesMax || search.kept_hz() == 0) continue;
    is_closed_in(search);
  }
}

TEST_CASE("no rate is kept, and every rate is") {
  const MaxSearch none = searched(4, [](double, int) { return false; });
  CHECK(none.kept_hz() == 0);
  CHECK(none.best().empty());
  REQUIRE(none.next());
  CHECK(none.next()->rate_hz == 1);
  CHECK(none.probes().size() == 4);  // 4 and 1, twice each.

  const MaxSearch all = searched(1, [](double, int) { return true; });
  CHECK(all.probes().size() == kProbesMax);
  CHECK(!all.next());
}

TEST_CASE("a search is stopped between two probes, and ends with a probe that cannot run") {
  std::size_t asked = 0;
  MaxSearch stopped(
      1,
      [&](double rate_hz) -> Result<Probe> {
        ++asked;
        return Probe{.rate_hz = rate_hz, .result = {}, .kept = true, .reason = {}};
      },
      [&] { return asked == 3; });
  CHECK(stopped.run().has_value());
  CHECK(stopped.probes().size() == 3);
  CHECK(stopped.kept_hz() == 4);

  MaxSearch refused(
      1, [](double) -> Result<Probe> { return wiremark::failed("connect", "the server", 111); },
      [] { return false; });
  const auto ended = refused.run();
  REQUIRE(!ended.has_value());
  CHECK(ended.error().operation == "connect");
  CHECK(refused.probes().empty());
}
