// The files that a report page is made of, put into the library when it is built: those of
// web/report/ and Chart.js. CMake writes the definitions (cmake/embed.cmake).
#pragma once

#include <string>

namespace oscbo::report {

/// report_page_template returns the page with the places {{title}}, {{style}}, {{data}},
/// {{chart_library}} and {{script}}.
[[nodiscard]] std::string report_page_template();

[[nodiscard]] std::string report_page_style();
[[nodiscard]] std::string report_page_script();
[[nodiscard]] std::string chart_library();

}  // namespace oscbo::report
