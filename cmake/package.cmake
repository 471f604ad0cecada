# `make package`: a Debian package, which depends on the libraries of the distribution, and an archive,
# which contains them and runs on Debian 12 or any newer system.

set(CPACK_PACKAGE_NAME oscbo)
set(CPACK_PACKAGE_VENDOR "oscbo")
set(CPACK_PACKAGE_CONTACT "The authors of oscbo")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/package_archive.cmake")
set(CPACK_OSCBO_SOURCE "${PROJECT_SOURCE_DIR}")
include(CPack)
