# Embeds text files in the library, so that the program can write them anywhere.
#
#   oscbo_embed(<output.cpp> <header> <function>=<file> ...)
#
# writes definitions of `std::string function()` that return the text of the files, at build time.
# <header>, "room/file.hpp", declares them in the namespace of its room.

set(OSCBO_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake")

function(oscbo_embed output header)
  set(files "")
  foreach(pair IN LISTS ARGN)
    string(REGEX REPLACE "^[^=]*=" "" file "${pair}")
    list(APPEND files "${file}")
  endforeach()
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -D "OUTPUT=${output}" -D "HEADER=${header}" -D "PAIRS=${ARGN}"
      -P "${OSCBO_EMBED_SCRIPT}"
    DEPENDS ${files} "${OSCBO_EMBED_SCRIPT}"
    VERBATIM)
endfunction()
