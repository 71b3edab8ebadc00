// Pictures: texts are escaped, nothing overlaps, and what is doubtful looks so.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "picture/charts.h"

using namespace wiremark::picture;

namespace {

std::string plain(double value) { return without_zeros(std::to_string(value)); }

Axis linear(double low, double high) { return {"value, in s", Spacing::linear, low, high, plain}; }
Axis logarithmic(double low, double high) {
  return {"value, in ns", Spacing::logarithmic, low, high, plain};
}

// Every label lies within the picture, and none over another.
void check_labels(const Svg& svg) {
  const auto& labels = svg.labels();
  REQUIRE(labels.size() > 2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    CAPTURE(labels[i].text);
    const Box& box = labels[i].box;
    CHECK(box.left >= 0);
    CHECK(box.top >= 0);
    CHECK(box.right() <= svg.width());
    CHECK(box.bottom() <= svg.height());
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      CAPTURE(labels[j].text);
      CHECK(!box.overlaps(labels[j].box));
    }
  }
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Curves eight_curves() {
  Curves chart{{"title", "description"}, linear(0, 100), logarithmic(10, 1e12), {}};
  for (std::size_t i = 0; i < 8; ++i) {
    const double height = 1e6 * (1 + static_cast<double>(i) / 100);
    chart.curves.push_back(
        {"a name that is long " + std::to_string(i), i, {{0, 50}, {100, height}}});
  }
  return chart;
}

Bars some_bars() {
  Bars chart{{"title", "description"}, from_zero({"time, in us", {}, 0, 0, plain}, 87), {}, {}};
  chart.bars.push_back({"server", 0, 40, "40.0 us"});
  chart.bars.push_back({std::string(200, 'W'), 1, 87, std::string(200, 'M')});
  return chart;
}

}  // namespace

TEST_CASE("what comes from outside is no markup") {
  CHECK(escaped("<script>alert('1' & \"2\")</script>") ==
        "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
  CHECK(escaped("gr\xC3\xBC\xC3\x9F \xE4\xB8\xAD \xF0\x9F\x98\x80") ==
        "gr\xC3\xBC\xC3\x9F \xE4\xB8\xAD \xF0\x9F\x98\x80");
  CHECK(escaped("\x1B[31m<") == "\\x1b[31m&lt;");
  CHECK(escaped("\xC0\xBC") == "\\xc0\\xbc");  // '<' in two bytes.

  Svg svg(100, 100, {"<title>", "a & b"});
  svg.text(0, 50, "<b>", Anchor::start, "", "</text>");
  const std::string text = svg.str(1);
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("&lt;title&gt;</title>") != std::string::npos);
  CHECK(text.find("a &amp; b</desc>") != std::string::npos);
  CHECK(text.find("<title>&lt;/text&gt;</title></text>") != std::string::npos);
}

TEST_CASE("a text is cut to its room") {
  CHECK(fitting("epoll", 100) == "epoll");
  const std::string cut = fitting("a name that is far too long", 80);
  CHECK(cut.ends_with("\xE2\x80\xA6"));
  CHECK(width_of(cut) <= 80);
  CHECK(width_of("mmm") > width_of("iii"));
}

TEST_CASE("a name that is too long for one line has two") {
  using Lines = std::vector<std::string>;
  const std::string name = "server, staged:500ms, blocking, by turns";
  CHECK(in_two_lines(name, width_of(name)) == Lines{name});
  CHECK(in_two_lines(name, width_of(name) - 1) ==
        Lines{"server, staged:500ms, blocking, by", "turns"});
  CHECK(in_two_lines(name, width_of(name) * 0.6) ==
        Lines{"server, staged:500ms,", "blocking, by turns"});
  CHECK(in_two_lines("WWWW WWWW", width_of("WW")) == Lines{fitting("WWWW WWWW", width_of("WW"))});
  const Lines cut = in_two_lines("one " + name, width_of("one two"));
  CHECK(cut[0] == "one");
  CHECK(cut[1] == fitting(name, width_of("one two")));
}

TEST_CASE("zeros behind a point that say nothing are left out") {
  CHECK(without_zeros("1.50 ms") == "1.5 ms");
  CHECK(without_zeros("1.00 ms") == "1 ms");
  CHECK(without_zeros("100 us") == "100 us");
  CHECK(without_zeros("2.00") == "2");
  CHECK(without_zeros("1 min 20 s") == "1 min 20 s");
}

TEST_CASE("places move apart no further than they must") {
  CHECK(moved_apart({10, 50, 90}, 12, 0, 100) == std::vector<double>{10, 50, 90});
  CHECK(moved_apart({50, 50}, 10, 0, 100) == std::vector<double>{45, 55});
  CHECK(moved_apart({100, 98}, 10, 0, 100) == std::vector<double>{100, 90});
  CHECK(moved_apart({3, 1, 2}, 10, 0, 100) == std::vector<double>{20, 0, 10});
  CHECK(moved_apart({5, 5, 5}, 10, 0, 8) == std::vector<double>{0, 4, 8});
  CHECK(moved_apart({}, 10, 0, 8).empty());
}

TEST_CASE("axes name round values") {
  const auto labels = [](const std::vector<Tick>& ticks) {
    std::string text;
    for (const Tick& tick : ticks) text += tick.label + " ";
    return text;
  };
  CHECK(labels(ticks_of(linear(0, 10), 5)) == "0 2 4 6 8 10 ");
  CHECK(labels(ticks_of(linear(-1, 1), 2)) == "-1 0 1 ");
  CHECK(labels(ticks_of(logarithmic(1, 100), 5)) == "1 2 5 10 20 50 100 ");
  CHECK(labels(ticks_of(logarithmic(0.9, 1.3), 4)) == "0.9 1 1.1 1.2 1.3 ");
  CHECK(labels(ticks_of({"", Spacing::nines, 0, 99.95, plain}, 5)) == "0 50 90 99 99.9 ");
  const Axis time = from_zero(linear(0, 0), 4'321);
  CHECK(time.high == 6'000);
  CHECK(from_zero(time, 0).high == 1);
  CHECK(around(time, {5, 5}).low < 5);
  CHECK(around(time, {5, NAN, 0, -1, 50}).high > 50);
}

TEST_CASE("a scale puts what is outside at its end") {
  const Scale scale(logarithmic(1, 100), 0, 200);
  CHECK(scale.at(10) == doctest::Approx(100));
  CHECK(scale.at(0) == 0);
  CHECK(scale.at(1e9) == 200);
  const Scale nines({"", Spacing::nines, 0, 99, plain}, 0, 200);
  CHECK(nines.at(90) == doctest::Approx(100));
  CHECK(nines.at(100) == 200);
}

TEST_CASE("no label lies over another") {
  check_labels(draw(eight_curves()));
  check_labels(draw(some_bars()));
  Bars long_names = some_bars();
  for (const char* wait : {"blocking", "blocking, by turns", "open"})
    long_names.bars.push_back(
        {std::string("server of many stages, staged:500ms, ") + wait, 0, 40, "40.0 us"});
  check_labels(draw(long_names));
  CHECK(times(draw(long_names).str(1), ">by turns<") == 0);
  CHECK(times(draw(long_names).str(1), "blocking, by turns</text>") == 1);
  Curves flat = eight_curves();
  flat.plot_height = 110;
  flat.x = linear(0, 86'400);
  flat.y = logarithmic(0.9, 1.1);
  check_labels(draw(flat));
  HeatMap heat{{"title", "description"}, linear(0, 12), logarithmic(10, 1e12)};
  heat.columns = {{0, 6, {{100, 200, 0.5}, {200, 400, 0.5}}}, {6, 12, {{100, 200, 1}}}};
  for (const double width : {kWide, kHalf}) {
    heat.width = width;
    check_labels(draw(heat));
  }
  Scatter scatter{{"title", "description"}, logarithmic(1, 1e6), logarithmic(1, 1e9), {}, 100.0};
  check_labels(draw(scatter));
}

TEST_CASE("what is doubtful looks so") {
  Curves curves = eight_curves();
  CHECK(times(draw(curves).str(1), "class=\"c0 l\"") == 1);
  curves.curves[0].doubtful_from = -HUGE_VAL;
  CHECK(times(draw(curves).str(1), "class=\"c0 lh\"") == 1);
  CHECK(times(draw(curves).str(1), "class=\"c0 l\"") == 0);
  curves.curves[0].doubtful_from = 50;  // A part of it.
  CHECK(times(draw(curves).str(1), "class=\"c0 lh\"") == 1);
  CHECK(times(draw(curves).str(1), "class=\"c0 l\"") == 1);

  Bars bars = some_bars();
  bars.bars[0].dots = {{38, false, ""}, {41, true, "round 2: <b>"}};
  CHECK(times(draw(bars).str(1), "class=\"c0 b\"") == 1);
  CHECK(times(draw(bars).str(1), "class=\"c0 dh\"") == 1);
  CHECK(times(draw(bars).str(1), "round 2: &lt;b&gt;") == 1);
  bars.bars[0].doubtful = true;
  CHECK(times(draw(bars).str(1), "class=\"c0 bh\"") == 1);
  bars.line = 1;
  CHECK(times(draw(bars).str(1), "class=\"c0 dh\"") == 2);

  HeatMap heat{{"title", "description"}, linear(0, 12), logarithmic(10, 1e12)};
  CHECK(times(draw(heat).str(1), "class=\"x\"") == 0);
  heat.doubtful = true;
  CHECK(times(draw(heat).str(1), "class=\"x\"") == 1);
}

TEST_CASE("a curve is dotted where it rests on few values, and has gaps where nothing is known") {
  Curves chart = eight_curves();
  chart.curves.resize(1);
  Curve& curve = chart.curves[0];
  curve.points = {{0, 10}, {40, 10}, {60, 10}, {100, 10}};
  curve.weak_from = 50;
  const std::string text = draw(chart).str(1);
  CHECK(times(text, "class=\"c0 lt\"") == 1);
  curve.weak_from.reset();
  CHECK(times(draw(chart).str(1), "class=\"c0 lt\"") == 0);
  curve.points[1].y = NAN;
  const std::string gap = draw(chart).str(1);
  const auto path = gap.substr(0, gap.find("class=\"c0 l\""));
  CHECK(times(path.substr(path.rfind("<path")), "M") == 2);
}

TEST_CASE("the line to a curve's name begins at the edge, also of a curve that ends before") {
  Curves chart = eight_curves();
  chart.curves.resize(1);
  const auto leader = [&] {
    const std::string text = draw(chart).str(1);
    const auto from = text.substr(0, text.find("class=\"c0 k\""));
    return from.substr(from.rfind("<line"));
  };
  chart.curves[0].points = {{0, 10}, {40, 10}, {60, 10}, {100, 10}};
  const std::string whole = leader();
  chart.curves[0].points = {{0, 10}, {40, 10}, {60, NAN}, {100, NAN}};
  CHECK(leader() == whole);
}

TEST_CASE("neighbouring cells of one shade are one shape") {
  HeatMap heat{{"title", "description"}, linear(0, 12), logarithmic(10, 1e12)};
  heat.columns = {{0, 6, {{100, 200, 0.4}, {200, 400, 0.4}, {400, 800, 0.01}}}};
  const std::string text = draw(heat).str(1);
  const auto darkest = text.substr(0, text.find("class=\"c0 h8\""));
  CHECK(times(darkest.substr(darkest.rfind("<path")), "z") == 1);
  CHECK(times(text, "class=\"c0 h3\"") == 1);
}
