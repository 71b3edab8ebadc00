// What the files for HdrHistogram's tools say of messages without an answer, and of no message.
#include "report/hdr.h"

#include <doctest/doctest.h>

#include <string>

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

// 1 us to 180 us, each value once.
Histogram answered() {
  Histogram histogram;
  for (Nanoseconds us = 1; us <= 180; ++us) histogram.record(us * kMicrosecond);
  return histogram;
}

std::string rows_of(const std::string& document) { return document.substr(0, document.find('#')); }

std::string comments_of(const std::string& document) { return document.substr(document.find('#')); }

}  // namespace

TEST_CASE("rows of a distribution count what was never answered as later than any") {
  Histogram with_an_hour_for_each = answered();
  with_an_hour_for_each.record_many(Histogram::kHighest, 20);
  const std::string all = rows_of(hgrm_document(with_an_hour_for_each));
  const std::string ours = rows_of(hgrm_document(answered(), 20));
  CHECK(all.starts_with(ours));
  CHECK(ours.ends_with(" 180.095 0.900000000000        180          10.00\n"));
  CHECK(rows_of(hgrm_document(answered(), 0)) == rows_of(hgrm_document(answered())));
}

TEST_CASE("a distribution has no mean of all messages where some were never answered") {
  CHECK(
      comments_of(hgrm_document(answered(), 20)) ==
      "#[Mean    =            -, StdDeviation   =            -]\n"
      "#[Max     =        never, Total count    =          200]\n"
      "#[Buckets =           32, SubBuckets     =         2048]\n"
      "#[20 of 200 messages were never answered in time: the percentiles count them as later than "
      "any, and end before them]\n");
  CHECK(comments_of(hgrm_document(answered())) ==
        "#[Mean    =       90.504, StdDeviation   =       51.961]\n"
        "#[Max     =      180.095, Total count    =          180]\n"
        "#[Buckets =           32, SubBuckets     =         2048]\n");
}

TEST_CASE("where nothing was recorded there is no figure, and none is 0") {
  const std::string nothing = hgrm_document(Histogram());
  CHECK(comments_of(nothing).starts_with(
      "#[Mean    =            -, StdDeviation   =            -]\n"
      "#[Max     =            -, Total count    =            0]\n"));
  CHECK(rows_of(nothing) == rows_of(hgrm_document(Histogram(), 7)));
  CHECK(comments_of(hgrm_document(Histogram(), 7)).find("Max     =        never") !=
        std::string::npos);
  CHECK(hdr_log_line("latency", 0.5, 1, Histogram()).empty());
  CHECK(hdr_log_line("latency", 0.5, 1, answered()).starts_with("Tag=latency,0.500,1.000,0.180,"));
}

TEST_CASE("a log says how many messages its histograms leave out") {
  CHECK(hdr_log_note("latency", summarize(answered(), "send", kPercentiles, 20)) ==
        "#[latency: 20 of 200 messages were never answered in time, and no histogram counts "
        "them]\n");
  CHECK(hdr_log_note("latency", summarize(answered(), "send", kPercentiles, 0)).empty());
  CHECK(hdr_log_note("latency", summarize(answered(), "send")).empty());
}
