# extract_readme_example writes the first ```cpp block of `readme` to `output`, and has CMake run
# again when the readme changes.
function(extract_readme_example readme output)
  if(NOT EXISTS "${readme}")
    message(FATAL_ERROR "${readme} is missing: its first cpp block is compiled as a test")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${readme}")

  set(fence "\n```cpp\n")
  file(READ "${readme}" text)
  string(FIND "${text}" "${fence}" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${readme} has no ```cpp block: its first one is compiled as a test")
  endif()
  string(LENGTH "${fence}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" 0 ${begin} before)
  string(SUBSTRING "${text}" ${begin} -1 code)
  string(FIND "${code}" "\n```" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${readme}: the first ```cpp block is not closed")
  endif()
  string(SUBSTRING "${code}" 0 ${end} code)

  # Compiler messages then point at the line of the readme.
  string(REGEX MATCHALL "\n" newlines "${before}")
  list(LENGTH newlines line)
  math(EXPR line "${line} + 1")
  file(WRITE "${output}.new" "#line ${line} \"${readme}\"\n${code}\n")
  # Unchanged text keeps its time stamp, so nothing is compiled again.
  file(COPY_FILE "${output}.new" "${output}" ONLY_IF_DIFFERENT)
endfunction()
