// Figures on paper: the script that makes gnuplot draw one, and the process that runs it. Nothing
// but numbers and quoted text enters a script, and pictures leave gnuplot through its standard
// output, so that no name, however odd, is read as a command.
#pragma once

#include <string>

#include "report/figure.hpp"

namespace oscbo::report {

enum class PictureFormat { svg, pdf };

/// gnuplot_script returns the script that draws `figure`: its panels in rows of `columns` below one
/// legend, narrower when there are many, so that all figures can be read at the width of a page.
/// Throws Error (invalid_value) as check_figure does.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, PictureFormat format);

/// run_gnuplot returns what `script` writes to the standard output of gnuplot. `program` is looked
/// up in PATH. Throws Error (io) with the messages of gnuplot when it fails, and naming the package
/// when there is no such program.
[[nodiscard]] std::string run_gnuplot(const std::string& script,
                                      const std::string& program = "gnuplot");

/// require_gnuplot throws Error (io) when gnuplot cannot be started or fails, so that this is known
/// before the runs whose figures it has to draw.
void require_gnuplot(const std::string& program = "gnuplot");

/// draw_picture returns `figure` as the contents of a file, the same to the byte whenever it is
/// drawn. Throws as gnuplot_script and run_gnuplot do, and Error (io) when what gnuplot wrote is no
/// picture.
[[nodiscard]] std::string draw_picture(const Figure& figure, PictureFormat format,
                                       const std::string& program = "gnuplot");

}  // namespace oscbo::report
