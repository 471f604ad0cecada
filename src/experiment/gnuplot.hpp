// Figures on paper: the script that makes gnuplot draw one, and the process that runs it. Nothing
// but numbers and quoted text enters a script, and pictures leave gnuplot through its standard
// output, so that no name, however odd, is read as a command.
#pragma once

#include <string>

#include "experiment/figure.hpp"

namespace oscbo::experiment {

enum class PictureFormat { svg, pdf };

/// gnuplot_script returns the script that draws `figure`: its panels in rows of `columns` below one
/// legend. Throws Error (invalid_value) as check_figure does.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, PictureFormat format);

/// run_gnuplot returns what `script` writes to the standard output of gnuplot. `program` is looked
/// up in PATH. Throws Error (io) with the messages of gnuplot when it fails, and naming the package
/// when there is no such program.
[[nodiscard]] std::string run_gnuplot(const std::string& script,
                                      const std::string& program = "gnuplot");

/// require_gnuplot throws as run_gnuplot does when gnuplot cannot be run: whoever draws after hours
/// of work asks first.
void require_gnuplot();

}  // namespace oscbo::experiment
