// A picture in SVG: shapes and texts with classes, which a style sheet gives colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "picture/text.h"

namespace wiremark::picture {

/// A rectangle; y grows downwards, as in all of SVG.
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const noexcept { return left + width; }
  double bottom() const noexcept { return top + height; }
  bool overlaps(const Box& other) const noexcept {
    return left < other.right() && other.left < right() && top < other.bottom() &&
           other.top < bottom();
  }
};

enum class Anchor { start, middle, end };

/// A text that was drawn, and about where.
struct Label {
  std::string text;
  Box box;
};

/// The title of a picture, and a description for those who cannot see it.
struct Caption {
  std::string title;
  std::string description;
};

/// Shapes in the order in which they are drawn. Texts are escaped and may come from anywhere; class
/// names must be our own.
class Svg {
 public:
  Svg(double width, double height, Caption caption);

  double width() const noexcept { return width_; }
  double height() const noexcept { return height_; }
  const std::string& title() const noexcept { return caption_.title; }
  const std::vector<Label>& labels() const noexcept { return labels_; }

  /// `hint` is shown when the pointer is over it.
  void rect(const Box& box, std::string_view classes, std::string_view hint = {});
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view hint = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  /// `d` is the data of an SVG path; see PathData.
  void path(std::string_view d, std::string_view classes, std::string_view hint = {});
  /// `y` is the middle of its letters.
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start,
            std::string_view classes = {}, std::string_view hint = {});

  /// The element, for a page. `number` must differ from those of other pictures on the page.
  std::string str(std::size_t number) const;

 private:
  double width_;
  double height_;
  Caption caption_;
  std::string shapes_;
  std::vector<Label> labels_;
};

/// A coordinate, with one decimal if it is not whole.
std::string coordinate(double value);

/// The data of a path, point by point.
class PathData {
 public:
  void move_to(double x, double y);
  void line_to(double x, double y);
  void rect(const Box& box);

  bool empty() const noexcept { return data_.empty(); }
  const std::string& str() const noexcept { return data_; }

 private:
  std::string data_;
};

}  // namespace wiremark::picture
