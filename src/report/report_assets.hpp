// The files that make up a report page: the files of web/report/, and Chart.js. The build embeds
// them in the library; CMake writes the definitions (cmake/embed.cmake).
#pragma once

#include <string>

namespace oscbo::report {

/// report_page_template returns the page with the placeholders {{title}}, {{style}}, {{data}},
/// {{chart_library}} and {{script}}.
[[nodiscard]] std::string report_page_template();

[[nodiscard]] std::string report_page_style();
[[nodiscard]] std::string report_page_script();
[[nodiscard]] std::string chart_library();

}  // namespace oscbo::report
