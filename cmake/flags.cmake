# Compile options of our own targets. They do not affect users of the library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(default_arch native)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
  endif()
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

set(OSCBO_ARCH "${default_arch}" CACHE STRING "Value of -march: native, x86-64-v3, ...; empty for none")
set(OSCBO_SANITIZE "" CACHE STRING "Value of -fsanitize: address,undefined or thread; empty for none")

add_library(oscbo_flags INTERFACE)

if(OSCBO_ARCH)
  set(OSCBO_ARCH_FLAG "-march=${OSCBO_ARCH}")
  # All targets that see internal headers must agree on it: the size of a packet of doubles, and with it
  # the layout of matrices, depends on it.
  target_compile_options(oscbo_flags INTERFACE ${OSCBO_ARCH_FLAG})
else()
  set(OSCBO_ARCH_FLAG "no -march")  # only for build_description()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  # When tuned for AMD processors, g++ guesses where fused multiply-add is faster and uses it in some
  # instances of a loop but not in others. The prediction of a model at many points at once would then
  # differ in the last bit from its predictions at single points.
  target_compile_options(oscbo_flags INTERFACE --param=avoid-fma-max-bits=0)
endif()

if(OSCBO_DEVELOPER)
  target_compile_options(oscbo_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # These warnings are wrong in g++ 12 on correct code: the first for "literal" + std::string, the
    # others for the AVX-512 intrinsics that Eigen uses. clang checks for the same mistakes.
    target_compile_options(oscbo_flags INTERFACE -Wno-restrict
      -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_UNITY_BUILD)
    # The warning mistakes the joined files of a unity build for headers.
    target_compile_options(oscbo_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()

# For the rooms that handle text. More optimisation would take half as long again to compile, three
# times as long with a sanitizer, and save no time at run time.
set(OSCBO_TEXT_OPTIONS $<$<CONFIG:Release>:-O1>)

if(OSCBO_SANITIZE)
  # Applies to everything in this build: instrumented and plain code must not be mixed.
  add_compile_options(-fsanitize=${OSCBO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSCBO_SANITIZE})
  set(OSCBO_TEXT_OPTIONS -O0)
endif()
