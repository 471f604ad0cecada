# `cmake --install`: library, headers, program, and the package that find_package(oscbo) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/oscbo")

install(TARGETS oscbo EXPORT oscboTargets FILE_SET HEADERS)
install(TARGETS oscbo_cli)
install(EXPORT oscboTargets NAMESPACE oscbo:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/oscboConfig.cmake.in oscboConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(oscboConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/oscboConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/oscboConfigVersion.cmake"
  DESTINATION "${package_dir}")
