// The histograms of a load as an interval log that HdrHistogram's tools read.
#include "netload/hdr_log.h"

#include "report/hdr.h"

namespace wiremark::tools {

HdrLog::HdrLog(const LoadTally& tally, bool open_loop) : tally_(&tally) {
  kinds_.push_back({"latency", &load::Counts::response, {}});
  if (open_loop) {
    kinds_.push_back({"service", &load::Counts::service, {}});
    kinds_.push_back({"lateness", &load::Counts::lateness, {}});
  }
}

void HdrLog::begin(Nanoseconds at, std::chrono::system_clock::time_point clock) {
  begun_ = last_ = at;
  head_ = report::hdr_log_head("netload", clock);
}

void HdrLog::log_until(Nanoseconds at) {
  const double start_s = static_cast<double>(last_ - begun_) / kSecond;
  const double seconds = static_cast<double>(at - last_) / kSecond;
  for (Kind& kind : kinds_) {
    const measure::Histogram now = tally_->merged(kind.member);
    measure::Histogram interval = now;
    interval.subtract(kind.logged);
    kind.logged = now;
    lines_ += report::hdr_log_line(kind.tag, start_s, seconds, interval);
  }
  last_ = at;
}

std::string HdrLog::text(const report::RunResult& result) const {
  std::string notes = report::hdr_log_note("latency", result.latency);
  if (result.service) notes += report::hdr_log_note("service", *result.service);
  return head_ + notes + lines_;
}

}  // namespace wiremark::tools
