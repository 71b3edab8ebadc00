// What the threads of codecbench may take of the machine.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"

using namespace wiremark;
using namespace wiremark::bench;

namespace {

constexpr std::size_t kMiB = 1 << 20;

/// A row that holds memory, and writes to one byte of it.
class Heavy final : public Subject {
 public:
  std::string check() override { return {}; }
  std::size_t reorder(std::size_t, Random&) override { return 1; }
  void run() override { bytes_.front() ^= 1; }
  double wire_bytes() override { return 1; }

 private:
  std::vector<char> bytes_ = std::vector<char>(64 * kMiB, 1);
};

const std::vector<Row> kRows = {{{}, [](Random&) { return std::unique_ptr<Subject>(new Heavy); }}};

Result<Measurement> run_in(std::uint64_t memory, unsigned threads) {
  const net::Stop stop;
  return run_bench(kRows,
                   {.cell_time = kMillisecond,
                    .repeat = 1,
                    .threads = threads,
                    .cpus = {},
                    .memory_bytes = memory},
                   stop, nullptr);
}

}  // namespace

TEST_CASE("threads that would take more memory than there is are refused before they take it") {
  const auto refused = run_in(200 * kMiB, 4);
  REQUIRE_FALSE(refused);
  const std::string why = refused.error().message();
  CHECK(why.starts_with("4 threads would take 2"));  // 256 MiB, and what else a row takes.
  CHECK(why.ends_with(" MiB of memory, and 200 MiB are available: take fewer"));

  CHECK(run_in(200 * kMiB, 2));
  CHECK(run_in(0, 4));
}
