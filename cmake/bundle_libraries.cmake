# Copies the shared libraries of the program, except those that every system has, to the directory
# that its run path searches first.
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${root}/bin/oscbo" RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "ld-linux" "libc\\.so" "libm\\.so")
file(COPY ${libraries} DESTINATION "${root}/lib/oscbo" FOLLOW_SYMLINK_CHAIN)
