# `cmake --install`: the library, the headers, the program, and the package for find_package(oscbo).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/oscbo")

# The program itself prints the manual page and the completion.
set(printed "${CMAKE_CURRENT_BINARY_DIR}/printed")
add_custom_command(OUTPUT "${printed}/oscbo.1" "${printed}/oscbo"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${printed}"
  COMMAND oscbo_cli manual > "${printed}/oscbo.1"
  COMMAND oscbo_cli completion bash > "${printed}/oscbo"
  DEPENDS oscbo_cli VERBATIM)
add_custom_target(oscbo_printed ALL DEPENDS "${printed}/oscbo.1" "${printed}/oscbo")
install(FILES "${printed}/oscbo.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${printed}/oscbo" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")

# Search beside the program first: an archive has its libraries there.
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
