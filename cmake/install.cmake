# `cmake --install`: library, headers, program, and the package that find_package(oscbo) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/oscbo")

# The manual page and the completion are printed by the program itself.
set(printed "${CMAKE_CURRENT_BINARY_DIR}/printed")
add_custom_command(OUTPUT "${printed}/oscbo.1" "${printed}/oscbo"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${printed}"
  COMMAND oscbo_cli manual > "${printed}/oscbo.1"
  COMMAND oscbo_cli completion bash > "${printed}/oscbo"
  DEPENDS oscbo_cli VERBATIM)
add_custom_target(oscbo_printed ALL DEPENDS "${printed}/oscbo.1" "${printed}/oscbo")
install(FILES "${printed}/oscbo.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${printed}/oscbo" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")

# Beside the program first: that is where an archive has its libraries.
set_target_properties(oscbo_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/oscbo")

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

include(cmake/package.cmake)
