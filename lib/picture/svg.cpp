// A picture in SVG: shapes and texts with classes, which a style sheet gives colours.
#include "picture/svg.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace wiremark::picture {

namespace {

std::string closed(std::string_view element, std::string_view hint) {
  if (hint.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(hint), element);
}

constexpr std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::middle ? "m" : anchor == Anchor::end ? "e" : "";
}

}  // namespace

std::string coordinate(double value) {
  const auto tenths = std::llround(value * 10);
  if (tenths % 10 == 0) return std::to_string(tenths / 10);
  return fmt::format("{}{}.{}", tenths < 0 ? "-" : "", std::llabs(tenths) / 10,
                     std::llabs(tenths) % 10);
}

Svg::Svg(double width, double height, Caption caption)
    : width_(width), height_(height), caption_(std::move(caption)) {}

void Svg::rect(const Box& box, std::string_view classes, std::string_view hint) {
  shapes_ +=
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}")", coordinate(box.left),
                  coordinate(box.top), coordinate(box.width), coordinate(box.height), classes) +
      closed("rect", hint);
}

void Svg::circle(double x, double y, double radius, std::string_view classes,
                 std::string_view hint) {
  shapes_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="{}")", coordinate(x),
                         coordinate(y), coordinate(radius), classes) +
             closed("circle", hint);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  shapes_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)"
                         "\n",
                         coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), classes);
}

void Svg::path(std::string_view d, std::string_view classes, std::string_view hint) {
  if (d.empty()) return;
  shapes_ += fmt::format(R"(<path d="{}" class="{}")", d, classes) + closed("path", hint);
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, std::string_view classes,
               std::string_view hint) {
  // The middle of digits and lower-case letters is about a third of the size above the baseline.
  const double foot = y + kTextSize * 0.36;
  std::string names(name_of(anchor));
  if (!names.empty() && !classes.empty()) names += ' ';
  names += classes;
  shapes_ += fmt::format(R"(<text x="{}" y="{}"{}>{}{}</text>)"
                         "\n",
                         coordinate(x), coordinate(foot),
                         names.empty() ? "" : fmt::format(R"( class="{}")", names), escaped(text),
                         hint.empty() ? "" : "<title>" + escaped(hint) + "</title>");
  const double width = width_of(text);
  const double left = anchor == Anchor::start ? x
                      : anchor == Anchor::end ? x - width
                                              : x - width / 2;
  labels_.push_back({std::string(text), {left, y - kTextSize * 0.65, width, kTextSize * 1.3}});
}

std::string Svg::str(std::size_t number) const {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
      R"(role="img" aria-labelledby="t{2} d{2}">)"
      "\n<title id=\"t{2}\">{3}</title>\n<desc id=\"d{2}\">{4}</desc>\n{5}</svg>\n",
      coordinate(width_), coordinate(height_), number, escaped(caption_.title),
      escaped(caption_.description), shapes_);
}

void PathData::move_to(double x, double y) {
  data_ += fmt::format("M{} {}", coordinate(x), coordinate(y));
}

void PathData::line_to(double x, double y) {
  data_ += fmt::format("L{} {}", coordinate(x), coordinate(y));
}

void PathData::rect(const Box& box) {
  data_ += fmt::format("M{} {}h{}v{}h-{}z", coordinate(box.left), coordinate(box.top),
                       coordinate(box.width), coordinate(box.height), coordinate(box.width));
}

}  // namespace wiremark::picture
