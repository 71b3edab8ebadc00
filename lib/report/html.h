// Results and studies as pages with pictures, for a browser.
#pragma once

#include <span>
#include <string>

#include "report/document.h"

namespace wiremark::report {

/// A run, and what it is called beside others.
struct NamedRun {
  std::string name;
  const RunResult* run = nullptr;
};

/// As many runs as a page draws beside each other: a colour each.
inline constexpr std::size_t kRunsOfPage = 8;

/// A page that stands alone: one file without a script, under 300 KB, well-formed XML. One run, or
/// up to kRunsOfPage beside each other on the same axes.
std::string html_page(std::span<const NamedRun> runs);
std::string html_page(const RunResult& run);
std::string html_page(const Comparison& study);
std::string html_page(const MaxRate& study);
std::string html_page(const Bypass& study);
std::string html_page(const CodecTable& codecs);
std::string html_page(const Experiment& study);
/// Of any of these; empty of an interval alone, which has no page.
std::string html_page(const Document& document);

}  // namespace wiremark::report
