# The dependencies of the library; docs/dependencies.md says why. Found packages are SYSTEM, so our
# warnings do not apply to them.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(box2d 2.4 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
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

# Libraries that are only headers, as targets for the table of cmake/rooms.cmake.
foreach(library RANDOM123 LBFGSPP NANOFLANN RE2 TOMLPLUSPLUS)
  string(TOLOWER "oscbo_${library}" target)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${${library}_INCLUDE_DIR}")
endforeach()

add_library(oscbo_eigen INTERFACE)
target_link_libraries(oscbo_eigen INTERFACE Eigen3::Eigen)
# Refuses the few parts of Eigen under a licence stricter than the MPL.
target_compile_definitions(oscbo_eigen INTERFACE EIGEN_MPL2_ONLY EIGEN_MAX_ALIGN_BYTES=64)
