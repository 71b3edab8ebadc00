// The method of codecbench: rows checked, calibrated, interleaved, repeated and summed up.
#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <latch>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "base/cpus.h"
#include "bench/allocations.h"
#include "bench/counters.h"
#include "bench/tally.h"
#include "measure/quantity.h"

namespace wiremark::bench {
namespace {

/// If other work takes the processor for most of a slice, only interrupted batches would be left.
/// Of at least this many, which take 0.3 ms, the median is not interrupted.
constexpr std::size_t kSliceBatchesMin = 15;

/// Blocks of random size that live until the end of a repeat, so that in each repeat a row's memory
/// lies elsewhere.
class Ballast {
 public:
  void add(Random& random) {
    blocks_.push_back(std::make_unique<std::byte[]>(16 + random.below(64 << 10)));
    if (random.below(2) == 0) blocks_.push_back(std::make_unique<std::byte[]>(random.below(512)));
  }
  void clear() { blocks_.clear(); }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

/// 0 where the kernel does not tell.
std::uint64_t resident_bytes() {
  const auto memory = measure::memory_of_process();
  return memory ? memory->resident_bytes : 0;
}

/// What all threads of a run share. The first thread checks and calibrates while the others wait;
/// then all measure the same slices, with a barrier before each.
class Bench {
 public:
  Bench(const std::vector<Row>& rows, const Method& method, const net::Stop& stop,
        const std::function<void(const Standing&)>& progress)
      : rows_(rows),
        method_(method),
        stop_(stop),
        progress_(progress),
        start_line_(static_cast<std::ptrdiff_t>(method.threads)),
        refused_(rows.size()),
        batch_operations_(rows.size(), 1),
        tallies_(rows.size(), std::vector<Tally>(method.threads)),
        pin_errors_(method.threads) {}

  Result<Measurement> run();

 private:
  Result<> run_threads();
  void work(unsigned thread);
  void prepare();
  Result<> allow_memory(std::uint64_t bytes_of_a_thread) const;
  std::size_t calibrate(Subject& subject, Random& random) const;
  void measure_slice(std::size_t row, unsigned repeat, unsigned thread, Counters& counters);
  void count_batch(Subject& subject, Counters& counters, std::size_t operations, Tally& tally);
  std::vector<std::size_t> order_of(unsigned repeat) const;

  Random random_for(std::size_t row, unsigned repeat, unsigned thread) const {
    Random random(method_.seed ^ (row << 32) ^ (std::uint64_t{repeat} << 16) ^ thread);
    random.next();
    return random;
  }

  const std::vector<Row>& rows_;
  const Method& method_;
  const net::Stop& stop_;
  const std::function<void(const Standing&)>& progress_;
  std::barrier<> start_line_;
  bool stopping_ = false;  // Written by the first thread before a barrier, read behind it.
  unsigned repeats_ = 0;
  std::vector<std::string> refused_;
  std::vector<std::size_t> batch_operations_;
  std::vector<std::vector<Tally>> tallies_;  // By row, then by thread.
  std::vector<Result<>> pin_errors_;
  Result<> has_memory_;  // As stopping_.
  std::string counters_unavailable_;
};

std::vector<std::size_t> Bench::order_of(unsigned repeat) const {
  std::vector<std::size_t> order(rows_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(method_.seed + repeat);
  shuffle(order, random);
  return order;
}

/// The number of operations that make a batch last about batch_time.
std::size_t Bench::calibrate(Subject& subject, Random& random) const {
  for (std::size_t wanted = 16;;) {
    const std::size_t operations = subject.reorder(wanted, random);
    subject.run();
    const Nanoseconds start = now_ns();
    subject.run();
    const Nanoseconds taken = std::max<Nanoseconds>(now_ns() - start, 1);
    if (taken >= method_.batch_time || operations < wanted) return operations;
    const auto missing = static_cast<double>(method_.batch_time) / static_cast<double>(taken);
    const double growth = std::clamp(1.1 * missing, 1.2, 16.0);
    wanted = static_cast<std::size_t>(static_cast<double>(operations) * growth) + 1;
  }
}

Result<> Bench::allow_memory(std::uint64_t bytes_of_a_thread) const {
  if (method_.threads == 1) return {};  // It is this one, and has what it needs.
  const std::uint64_t needed = bytes_of_a_thread * method_.threads;
  if (method_.memory_bytes == 0 || needed <= method_.memory_bytes) return {};
  return failed(fmt::format("{} threads would take {} of memory, and {} are available: take fewer",
                            method_.threads, measure::format_size(static_cast<double>(needed)),
                            measure::format_size(static_cast<double>(method_.memory_bytes))),
                {}, 0);
}

void Bench::prepare() {
  const std::uint64_t before = resident_bytes();
  std::uint64_t most = before;
  for (std::size_t row = 0; row < rows_.size() && !stop_.requested(); ++row) {
    Random random = random_for(row, 0, 0);
    const std::unique_ptr<Subject> subject = rows_[row].make(random);
    refused_[row] = subject->check();
    if (!refused_[row].empty()) continue;
    batch_operations_[row] = calibrate(*subject, random);
    if (method_.operations > 0) {
      const std::uint64_t share = std::max<std::uint64_t>(method_.operations / method_.repeat, 1);
      batch_operations_[row] = std::min<std::size_t>(batch_operations_[row], share);
    }
    most = std::max(most, resident_bytes());
  }
  // Each thread will have one row at a time, as this one had.
  has_memory_ = allow_memory(most - before);
}

/// Runs one more batch that is not timed, since starting and stopping counters takes system calls.
void Bench::count_batch(Subject& subject, Counters& counters, std::size_t operations,
                        Tally& tally) {
  if (!counters.available()) return;
  counters.start();
  subject.run();
  const Counters::Counts counts = counters.stop();
  tally.counted_operations += operations;
  tally.instructions += counts.instructions;
  tally.cycles += counts.cycles;
}

void Bench::measure_slice(std::size_t row, unsigned repeat, unsigned thread, Counters& counters) {
  Random random = random_for(row, repeat + 1, thread);
  const std::unique_ptr<Subject> subject = rows_[row].make(random);
  Tally& tally = tallies_[row][thread];
  tally.wire_bytes = subject->wire_bytes();
  subject->reorder(batch_operations_[row], random);
  subject->run();
  start_line_.arrive_and_wait();

  const Nanoseconds slice = method_.cell_time / method_.repeat;
  const std::uint64_t share = method_.operations / method_.repeat;
  const std::size_t enough = tally.batches.size() + kSliceBatchesMin;
  const auto is_over = [&](Nanoseconds end, std::uint64_t done) {
    if (method_.operations > 0) return done >= share;
    return now_ns() >= end && tally.batches.size() >= enough;
  };
  std::uint64_t done = 0;
  std::size_t operations = 0;
  for (const Nanoseconds end = now_ns() + slice;;) {
    operations = subject->reorder(batch_operations_[row], random);
    const auto allocations = allocations_of_this_thread();
    const measure::CpuUsage cpu = measure::cpu_of_this_thread();
    const Nanoseconds start = now_ns();
    subject->run();
    const Nanoseconds taken = now_ns() - start;
    tally.cpu = tally.cpu + (measure::cpu_of_this_thread() - cpu);
    tally.allocations += allocations_of_this_thread().value_or(0) - allocations.value_or(0);
    tally.busy += taken;
    tally.batches.push_back(static_cast<float>(taken) / static_cast<float>(operations));
    done += operations;
    if (stop_.requested() || is_over(end, done)) break;
  }
  tally.operations += done;
  tally.batch_operations = operations;
  tally.repeat_ends.push_back(tally.batches.size());
  count_batch(*subject, counters, operations, tally);
}

void Bench::work(unsigned thread) {
  if (!method_.cpus.empty()) {
    pin_errors_[thread] = pin_this_thread(method_.cpus[thread % method_.cpus.size()]);
  }
  Counters counters;
  if (thread == 0) {
    counters_unavailable_ = counters.unavailable();
    prepare();
  }
  start_line_.arrive_and_wait();
  for (const Result<>& pinned : pin_errors_) {
    if (!pinned) return;
  }
  if (!has_memory_) return;
  Ballast ballast;
  Random random = random_for(rows_.size(), 0, thread);
  std::size_t done = 0;
  for (unsigned repeat = 0; repeat < method_.repeat; ++repeat) {
    for (const std::size_t row : order_of(repeat)) {
      if (thread == 0) {
        stopping_ = stop_.requested();
        if (progress_) progress_({done, rows_.size() * method_.repeat, &rows_[row].name});
      }
      start_line_.arrive_and_wait();
      if (stopping_) return;
      ballast.add(random);
      if (refused_[row].empty()) measure_slice(row, repeat, thread, counters);
      ++done;
    }
    ballast.clear();
    if (thread == 0) repeats_ = repeat + 1;
  }
}

// Starts all threads or none: the barrier waits for exactly that many.
Result<> Bench::run_threads() {
  Result<> started;
  std::latch decided(1);
  std::vector<std::jthread> threads;
  const auto run = [&](unsigned thread) {
    decided.wait();
    if (started) work(thread);
  };
  try {
    for (unsigned i = 0; i < method_.threads; ++i) threads.emplace_back(run, i);
  } catch (const std::system_error& error) {
    started = failed("pthread_create",
                     fmt::format("{} of {} (take fewer threads, or raise 'ulimit -u')",
                                 threads.size() + 1, method_.threads),
                     error.code().value());
  }
  decided.count_down();
  threads.clear();
  return started;
}

Result<Measurement> Bench::run() {
  const auto before = measure::machine_usage();
  const Nanoseconds start = now_ns();
  if (auto ended = run_threads(); !ended) return std::unexpected(ended.error());
  Measurement measurement;
  measurement.seconds = static_cast<double>(now_ns() - start) / 1e9;
  const auto after = measure::machine_usage();
  if (before && after) measurement.machine = *after - *before;
  for (const Result<>& pinned : pin_errors_) {
    if (!pinned) return std::unexpected(pinned.error());
  }
  if (!has_memory_) return std::unexpected(has_memory_.error());
  measurement.repeats = repeats_;
  measurement.interrupted = repeats_ < method_.repeat;
  measurement.counters_unavailable = counters_unavailable_;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    Cell cell{rows_[row].name, sum_up(tallies_[row])};
    if (!refused_[row].empty()) cell.refused = refused_[row];
    measurement.cells.push_back(std::move(cell));
  }
  const auto measured = [](const Cell& cell) { return cell.figures.batches > 0; };
  const auto counted = [](const Cell& cell) { return cell.figures.instructions.has_value(); };
  if (counters_unavailable_.empty() && std::ranges::any_of(measurement.cells, measured) &&
      std::ranges::none_of(measurement.cells, counted)) {
    measurement.counters_unavailable = "the kernel did not let them run";
  }
  return measurement;
}

}  // namespace

Result<Measurement> run_bench(const std::vector<Row>& rows, const Method& method,
                              const net::Stop& stop,
                              const std::function<void(const Standing&)>& progress) {
  return Bench(rows, method, stop, progress).run();
}

}  // namespace wiremark::bench
