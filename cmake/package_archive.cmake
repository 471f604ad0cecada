# CPack reads this for each generator. An archive has no prefix and contains the libraries that a bare
# system lacks.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_OSCBO_SOURCE}/cmake/bundle_libraries.cmake")
endif()
