# extract_cpp_block writes ```cpp block `number` (1, 2, ...) of `document` to `output`, and has CMake
# run again when the document changes.
function(extract_cpp_block document number output)
  if(NOT EXISTS "${document}")
    message(FATAL_ERROR "${document} is missing: its cpp blocks are compiled as a test")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${document}")

  set(fence "\n```cpp\n")
  string(LENGTH "${fence}" fence_length)
  file(READ "${document}" text)
  set(code "${text}")  # what follows the fence found last
  set(begin 0)         # where that is in the text
  foreach(block RANGE 1 ${number})
    string(FIND "${code}" "${fence}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR "${document} has no ```cpp block ${block}: it is compiled as a test")
    endif()
    math(EXPR begin "${begin} + ${found} + ${fence_length}")
    string(SUBSTRING "${text}" ${begin} -1 code)
  endforeach()
  string(SUBSTRING "${text}" 0 ${begin} before)
  string(FIND "${code}" "\n```" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${document}: ```cpp block ${number} is not closed")
  endif()
  string(SUBSTRING "${code}" 0 ${end} code)

  # Compiler messages then point at the line of the document.
  string(REGEX MATCHALL "\n" newlines "${before}")
  list(LENGTH newlines line)
  math(EXPR line "${line} + 1")
  file(WRITE "${output}.new" "#line ${line} \"${document}\"\n${code}\n")
  # Unchanged text keeps its time stamp, so nothing is compiled again.
  file(COPY_FILE "${output}.new" "${output}" ONLY_IF_DIFFERENT)
endfunction()
