// A page that stands alone: text, tables and pictures, without a script or a second file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "picture/svg.h"

namespace wiremark::report {

/// A table with column names. Texts are escaped and may come from anywhere.
struct HtmlTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// HTML that is also well-formed XML. Sections are added in order.
class Page {
 public:
  explicit Page(std::string_view title);

  void paragraph(std::string_view text, std::string_view classes = {});
  void list(const std::vector<std::string>& items);
  void table(const HtmlTable& table);
  /// Lines as a terminal shows them.
  void printed(const std::vector<std::string>& lines);
  /// A picture under its title, with a sentence below that says what it shows, and its figures in a
  /// table that can be unfolded.
  void figure(const picture::Svg& svg, std::string_view note, const HtmlTable& figures);
  /// What is added until end_pair() is placed side by side if there is room.
  void begin_pair() { body_ += "<div class=\"pair\">\n"; }
  void end_pair() { body_ += "</div>\n"; }

  /// Bytes of what was added.
  std::size_t size() const noexcept { return body_.size(); }
  std::string str() const;

 private:
  std::string title_;
  std::string body_;
  std::size_t pictures_ = 0;
};

}  // namespace wiremark::report
