// Colours and progress, for a terminal but not for a file.
#pragma once

#include <string>

#include "report/latency_shape.h"

namespace wiremark::tools {

/// Whether text on standard output is coloured: as asked with "always" or "never", else on a
/// terminal without NO_COLOR (no-color.org: any value but the empty one) and not a dumb one.
bool wants_colour(const std::string& when);

/// What text on standard output may be drawn with: nothing where it is no terminal or a dumb one,
/// and only ASCII where the locale (LC_ALL, LC_CTYPE or LANG) is not UTF-8.
report::Letters letters_of_terminal();

/// Whether standard error shows how far a run is: as asked with "on" or "off", else on a terminal
/// that is not dumb, unless quiet was asked for.
bool wants_progress(const std::string& when, bool quiet);

/// Draws `line` on standard error, over the last one; below it if that is no terminal or a dumb
/// one.
void draw_progress(const std::string& line);

/// Wipes the line, before anything else is printed.
void wipe_progress();

}  // namespace wiremark::tools
