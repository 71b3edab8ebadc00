// Histograms for HdrHistogram's own tools: the percentile distribution and the interval log.
#include "report/hdr.h"

#include <fmt/core.h>
#include <zlib.h>

#include <bit>
#include <cmath>

namespace wiremark::report {

using namespace measure;

namespace {

constexpr double kTicksPerHalfDistance = 5;

// Cookies of the format: base 0x1c849303 and 0x1c849304, and 0x10 for words of 8 bytes.
constexpr std::uint32_t kCookie = 0x1c849313;
constexpr std::uint32_t kCompressedCookie = 0x1c849314;

template <class Integer>
void put_big_endian(std::string& bytes, Integer value) {
  for (std::size_t shift = 8 * sizeof value; shift > 0; shift -= 8)
    bytes += static_cast<char>(value >> (shift - 8));
}

// ZigZag encoding, then 7 bits a byte with the lowest first; a ninth byte holds 8 bits and is the
// last.
void put_count(std::string& bytes, std::int64_t count) {
  auto rest = (static_cast<std::uint64_t>(count) << 1) ^ static_cast<std::uint64_t>(count >> 63);
  for (int byte = 0; byte < 8 && rest > 0x7f; ++byte, rest >>= 7)
    bytes += static_cast<char>(0x80 | (rest & 0x7f));
  bytes += static_cast<char>(rest);
}

// Counts up to the last that is not 0; a run of n zeros is written as -n, a single one as 0.
std::string counts_of(const Histogram& histogram) {
  std::string counts;
  std::size_t next = 0;
  histogram.for_each([&](const Histogram::Bucket& bucket) {
    const auto zeros = static_cast<std::int64_t>(bucket.index - next);
    if (zeros > 0) put_count(counts, zeros == 1 ? 0 : -zeros);
    put_count(counts, static_cast<std::int64_t>(bucket.count));
    next = bucket.index + 1;
  });
  return counts;
}

std::string encoded(const Histogram& histogram) {
  const std::string counts = counts_of(histogram);
  std::string bytes;
  put_big_endian(bytes, kCookie);
  put_big_endian(bytes, static_cast<std::uint32_t>(counts.size()));
  put_big_endian(bytes, std::uint32_t{0});  // The index offset of a shifted histogram.
  put_big_endian(bytes, std::uint32_t{Histogram::kSignificantDigits});
  put_big_endian(bytes, std::uint64_t{1});
  put_big_endian(bytes, std::uint64_t{Histogram::kHighest});
  put_big_endian(bytes, std::bit_cast<std::uint64_t>(1.0));  // Ratio of integers to doubles.
  return bytes + counts;
}

// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += at + digit > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * digit) & 0x3f];
  }
  return text;
}

double in_us(Nanoseconds ns) { return static_cast<double>(ns) / kMicrosecond; }

}  // namespace

std::string hgrm_document(const Histogram& histogram, std::uint64_t unanswered) {
  std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  const std::uint64_t total = histogram.count() + unanswered;
  std::uint64_t passed = 0;
  double level = 0;
  histogram.for_each([&](const Histogram::Bucket& bucket) {
    passed += bucket.count;
    const double reached = 100.0 * static_cast<double>(passed) / static_cast<double>(total);
    while (level <= reached) {
      text += fmt::format("{:12.3f} {:2.12f} {:10} {:14.2f}\n", in_us(bucket.highest), level / 100,
                          passed, 1 / (1 - level / 100));
      // As many steps as halvings of the remainder so far, and one more.
      const double halvings = std::floor(std::log2(100 / (100 - level))) + 1;
      level += 100 / (kTicksPerHalfDistance * std::exp2(halvings));
      if (passed == total) break;
    }
    if (passed == total)
      text += fmt::format("{:12.3f} {:2.12f} {:10}\n", in_us(bucket.highest), 1.0, total);
  });
  std::string mean = "-", stddev = "-", max = unanswered > 0 ? "never" : "-";
  if (unanswered == 0 && total > 0) {
    mean = fmt::format("{:.3f}", histogram.mean() / kMicrosecond);
    stddev = fmt::format("{:.3f}", histogram.stddev() / kMicrosecond);
    max = fmt::format("{:.3f}", in_us(Histogram::highest_of(Histogram::index_of(histogram.max()))));
  }
  constexpr std::size_t kPowers = Histogram::kBuckets / (Histogram::kSubBuckets / 2) - 1;
  text += fmt::format(
      "#[Mean    = {:>12}, StdDeviation   = {:>12}]\n"
      "#[Max     = {:>12}, Total count    = {:12}]\n"
      "#[Buckets = {:12}, SubBuckets     = {:12}]\n",
      mean, stddev, max, total, kPowers, Histogram::kSubBuckets);
  if (unanswered > 0) {
    text += fmt::format(
        "#[{} of {} messages were never answered in time: the percentiles count them as later than "
        "any, and end before them]\n",
        unanswered, total);
  }
  return text;
}

std::string hdr_encode(const Histogram& histogram) {
  const std::string bytes = encoded(histogram);
  uLongf size = ::compressBound(bytes.size());
  std::string deflated(size, '\0');
  // It can fail only for want of memory or room, and compressBound() is room enough.
  ::compress(reinterpret_cast<Bytef*>(deflated.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  deflated.resize(size);
  std::string framed;
  put_big_endian(framed, kCompressedCookie);
  put_big_endian(framed, static_cast<std::uint32_t>(deflated.size()));
  return base64(framed + deflated);
}

std::string hdr_log_head(std::string_view tool, std::chrono::system_clock::time_point base) {
  const double seconds = std::chrono::duration<double>(base.time_since_epoch()).count();
  return fmt::format(
      "#[Logged by {0}, values in ns]\n"
      "#[Histogram log format version 1.3]\n"
      "#[StartTime: {1:.3f} (seconds since epoch)]\n"
      "#[BaseTime: {1:.3f} (seconds since epoch)]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
      tool, seconds);
}

std::string hdr_log_note(std::string_view tag, const LatencySummary& latency) {
  const std::uint64_t unanswered = latency.unanswered.value_or(0);
  if (unanswered == 0) return {};
  return fmt::format(
      "#[{}: {} of {} messages were never answered in time, and no histogram counts them]\n", tag,
      unanswered, latency.count + unanswered);
}

std::string hdr_log_line(std::string_view tag, double start_s, double seconds,
                         const Histogram& histogram) {
  if (histogram.empty()) return {};
  return fmt::format("Tag={},{:.3f},{:.3f},{:.3f},{}\n", tag, start_s, seconds,
                     static_cast<double>(histogram.max()) / kMillisecond, hdr_encode(histogram));
}

}  // namespace wiremark::report
