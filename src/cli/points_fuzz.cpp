// Reads any bytes as a file of points. Accepted points must have the task's dimension and lie in
// its box. All other input must give an Error that names the file.
#include "points.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const oscbo::Problem problem = oscbo::make_problem("branin");
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const oscbo::TextTable table = oscbo::read_text_table(stream, "fuzz.csv");
    for (const std::vector<double>& point : oscbo::cli::points_of(table, problem)) {
      if (point.size() != 2 || !std::isfinite(problem.value(point))) std::abort();
    }
  } catch (const oscbo::Error& error) {
    if (std::string_view(error.what()).find("fuzz.csv") == std::string_view::npos) std::abort();
  }
  return 0;
}
