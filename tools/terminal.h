// What a terminal is shown and a file is not: colours and progress.
#pragma once

#include <string>

namespace wiremark::tools {

/// Whether text on standard output is coloured: as asked with "always" or "never", else on a
/// terminal without NO_COLOR (no-color.org: any value but the empty one) and not a dumb one.
bool wants_colour(const std::string& when);

/// Whether standard error shows how far a run is: as asked with "on" or "off", else on a terminal
/// that is not dumb, unless quiet was asked for.
bool wants_progress(const std::string& when, bool quiet);

/// Draws `line` over the last one on standard error; where that is no terminal, or a dumb one,
/// below it.
void draw_progress(const std::string& line);

/// Wipes the line, before anything else is printed.
void wipe_progress();

}  // namespace wiremark::tools
