# The dependencies of the library; docs/dependencies.md says why. Found packages are SYSTEM, so our
# warnings do not apply to them.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(box2d 2.4 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(SQLiteCpp 3.2 REQUIRED)
# These are bare headers without a package configuration.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_path(LBFGSPP_INCLUDE_DIR LBFGSB.h REQUIRED)
find_path(NANOFLANN_INCLUDE_DIR nanoflann.hpp REQUIRED)
# This one too, in addition to a library.
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
# This one has a configuration, but for a shared library; we need only the headers.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
# The charts of report pages, embedded in the library as text.
find_file(CHART_JS chart.min.js REQUIRED
  PATH_SUFFIXES share/javascript/chart.js share/nodejs/chart.js/dist)

# The sources, tests and benchmarks of the library compile against oscbo_internal.
add_library(oscbo_internal INTERFACE)
target_include_directories(oscbo_internal INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_include_directories(oscbo_internal SYSTEM INTERFACE
  "${RANDOM123_INCLUDE_DIR}" "${LBFGSPP_INCLUDE_DIR}" "${NANOFLANN_INCLUDE_DIR}"
  "${TOMLPLUSPLUS_INCLUDE_DIR}" "${RE2_INCLUDE_DIR}")
# Refuses the few parts of Eigen under a licence stricter than the MPL.
target_compile_definitions(oscbo_internal INTERFACE EIGEN_MPL2_ONLY EIGEN_MAX_ALIGN_BYTES=64)
target_link_libraries(oscbo_internal INTERFACE
  Eigen3::Eigen Boost::headers nlohmann_json::nlohmann_json fmt::fmt Threads::Threads)
