// The contents that messages carry: the texts of E2, others, or the user's own lines.
#include "wire/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "wire/e2_texts.h"
#include "wire/script_texts.h"

namespace wiremark::wire {

namespace {
// So that an endless device or pipe does not fill the memory. 65,536 contents of 4 KiB fit.
constexpr std::size_t kInputMax = 256 << 20;

template <class Texts>
Contents contents_of(const Texts& texts) {
  Contents contents;
  contents.source = fmt::format("{} texts", texts.size());
  contents.texts.assign(texts.begin(), texts.end());
  return contents;
}

}  // namespace

double Contents::mean_bytes() const noexcept {
  double sum = 0;
  for (const std::string& text : texts) sum += static_cast<double>(text.size());
  return texts.empty() ? 0 : sum / static_cast<double>(texts.size());
}

Contents e2_contents() { return contents_of(kE2Texts); }
Contents script_contents() { return contents_of(kScriptTexts); }
Contents chinese_contents() { return contents_of(kChineseTexts); }
Contents russian_contents() { return contents_of(kRussianTexts); }
Contents escape_contents() { return contents_of(kEscapeTexts); }

Result<Contents> read_contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return failed("open", file.string());
  Contents contents;
  contents.source = file.filename().string();
  std::string text, part(1 << 16, '\0');
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())) || stream.gcount()) {
    text.append(part, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kInputMax)
      return failed(
          "read",
          fmt::format("{} (over {} MiB: take a part of it)", file.string(), kInputMax >> 20), 0);
  }
  if (stream.bad() || !stream.eof()) return failed("read", file.string());
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    contents.texts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  if (contents.texts.empty()) return failed("read", file.string() + " (it has no line)", 0);
  const std::size_t lines = contents.texts.size();
  if (lines > kContentsMax) {
    const std::size_t stride = (lines + kContentsMax - 1) / kContentsMax;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lines; i += stride) {
      if (kept != i) contents.texts[kept] = std::move(contents.texts[i]);
      ++kept;
    }
    contents.texts.resize(kept);
    contents.note =
        fmt::format("{} has {} lines: every {}th is used", contents.source, lines, stride);
  }
  return contents;
}

}  // namespace wiremark::wire
