// Draws figures with gnuplot: generates the script and runs the process. A script contains only
// numbers and quoted text, and gnuplot writes the picture to its standard output, so no name can be
// read as a command.
#pragma once

#include <string>

#include "report/figure.hpp"

namespace oscbo::report {

enum class PictureFormat { svg, pdf };

/// gnuplot_script returns the script that draws `figure`: one legend, and below it the panels in
/// rows of `figure.columns`. If there are many columns, panels are narrower, so that every figure
/// can be read at the width of a page. Throws Error (invalid_value) as check_figure does.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, PictureFormat format);

/// run_gnuplot returns what `script` writes to the standard output of gnuplot. `program` is looked
/// up in PATH. Throws Error (io). If gnuplot fails, the error has the messages of gnuplot. If there
/// is no such program, the error names the package to install.
[[nodiscard]] std::string run_gnuplot(const std::string& script,
                                      const std::string& program = "gnuplot");

/// require_gnuplot throws Error (io) if gnuplot cannot be started or fails. Call it before long
/// work whose figures need gnuplot.
void require_gnuplot(const std::string& program = "gnuplot");

/// draw_picture returns `figure` as the contents of a file. The result is reproducible to the byte.
/// Throws the errors of gnuplot_script and run_gnuplot, and Error (io) if the output of gnuplot is
/// not a picture.
[[nodiscard]] std::string draw_picture(const Figure& figure, PictureFormat format,
                                       const std::string& program = "gnuplot");

}  // namespace oscbo::report
