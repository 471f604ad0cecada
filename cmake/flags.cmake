# How our own targets are compiled. Nothing here reaches those who link the library.

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
  # On every target of ours that sees internal headers, or on none: the size of a packet of doubles,
  # and so the layout of matrices, depends on it.
  target_compile_options(oscbo_flags INTERFACE ${OSCBO_ARCH_FLAG})
else()
  set(OSCBO_ARCH_FLAG "no -march")  # only for build_description()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  # Tuned for AMD's processors, g++ fuses products and sums in some instances of a loop and not in
  # others, by a guess at what is faster. What is asked of a model about many points at once would then
  # differ in the last bit from what it says of each.
  target_compile_options(oscbo_flags INTERFACE --param=avoid-fma-max-bits=0)
endif()

if(OSCBO_DEVELOPER)
  target_compile_options(oscbo_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong in g++ 12 on correct code: the first for "literal" + std::string, the others for
    # the AVX-512 intrinsics that Eigen uses. clang checks what they would have found.
    target_compile_options(oscbo_flags INTERFACE -Wno-restrict
      -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_UNITY_BUILD)
    # It takes the files that are joined into one for headers.
    target_compile_options(oscbo_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()

# For the rooms that handle text and wait for those that compute: more would take half as long again
# to compile, with a sanitizer three times as long, and save no time when it runs.
set(OSCBO_TEXT_OPTIONS $<$<CONFIG:Release>:-O1>)

if(OSCBO_SANITIZE)
  # On everything in this build: instrumented and plain code must not be mixed.
  add_compile_options(-fsanitize=${OSCBO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSCBO_SANITIZE})
  set(OSCBO_TEXT_OPTIONS -O0)
endif()
