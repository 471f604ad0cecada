# The script behind oscbo_embed of embed.cmake:
#
#   cmake -D OUTPUT=... -D HEADER=... -D PAIRS=function=file;... -P embed_files.cmake

# Compilers need not accept string literals longer than 65536 bytes.
set(piece_bytes 16000)

set(source "// Written by cmake/embed_files.cmake.\n#include \"${HEADER}\"\n\n")
get_filename_component(room "${HEADER}" DIRECTORY)
string(APPEND source "namespace oscbo::${room} {\n")
foreach(pair IN LISTS PAIRS)
  string(REGEX MATCH "^([^=]*)=(.*)$" matched "${pair}")
  set(function "${CMAKE_MATCH_1}")
  set(file "${CMAKE_MATCH_2}")
  # Two hexadecimal digits per byte, so no byte needs another kind of escape.
  file(READ "${file}" digits HEX)
  string(LENGTH "${digits}" length)
  string(APPEND source "\nstd::string ${function}() {\n  std::string text;\n")
  set(start 0)
  math(EXPR step "2 * ${piece_bytes}")
  while(start LESS length)
    string(SUBSTRING "${digits}" ${start} ${step} piece)
    string(REGEX REPLACE "(..)" "\\\\x\\1" piece "${piece}")
    string(APPEND source "  text += \"${piece}\";\n")
    math(EXPR start "${start} + ${step}")
  endwhile()
  string(APPEND source "  return text;\n}\n")
endforeach()
string(APPEND source "\n}  // namespace oscbo::${room}\n")
file(WRITE "${OUTPUT}" "${source}")
