# The rooms of src/, and which headers each may include.
#
#   oscbo_room(<name>
#     [TEXT]                handles text and waits for those that compute: optimised little
#     ROOMS <room>...       the rooms whose headers it may include, beside its own and those of base
#     HEADERS <header>...   the headers of include/oscbo/ that belong to it
#     LIBRARIES <target>... what its sources need
#     HEADER_LIBRARIES ...) what its headers need, and so all that include them
#
# makes the target oscbo_<name>, whose objects become part of the library, and the target
# oscbo_<name>_headers, which makes the headers of the room visible. A room sees the headers of the
# rooms that the table at the end names, and no others: a wrong include does not compile.
#
# Convention over listing: every src/<room>/*.cpp belongs to its room, except that *_test.cpp are
# tests, *_bench.cpp benchmarks, *_fuzz.cpp fuzzers and workloads.cpp the program whose instructions
# are counted. A new file needs no line here; a new public header is named in the table.

function(oscbo_room_sources room suffix result)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*${suffix}.cpp")
  if(suffix STREQUAL "")
    list(FILTER files EXCLUDE REGEX "(_(test|bench|fuzz)|/workloads)\\.cpp$")
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# oscbo_see(<target> <room>...) lets a target include the headers of these rooms.
function(oscbo_see target)
  foreach(room IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE oscbo_${room}_headers)
  endforeach()
endfunction()

# oscbo_see_as(<target> <room>) lets a target include what the sources of the room may.
function(oscbo_see_as target room)
  oscbo_see(${target} ${room} ${OSCBO_${room}_ROOMS})
  target_link_libraries(${target} PRIVATE ${OSCBO_${room}_LIBRARIES})
endfunction()

# The headers of a room as they are included, "room/file.hpp" and "oscbo/file.hpp", are links in a
# folder of its own.
set(OSCBO_ROOM_FOLDERS "${PROJECT_BINARY_DIR}/rooms")
file(REMOVE_RECURSE "${OSCBO_ROOM_FOLDERS}")  # a header may have moved to another room
set(OSCBO_ROOMS)
set(OSCBO_ROOM_HEADERS)

function(oscbo_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEXT" "" "ROOMS;HEADERS;LIBRARIES;HEADER_LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "room ${room}: ${arg_UNPARSED_ARGUMENTS}: not understood")
  endif()

  set(folder "${OSCBO_ROOM_FOLDERS}/${room}")
  file(MAKE_DIRECTORY "${folder}/oscbo")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${room}" "${folder}/${room}" SYMBOLIC)
  set(headers)
  foreach(header IN LISTS arg_HEADERS)
    list(APPEND headers "${PROJECT_SOURCE_DIR}/include/oscbo/${header}.hpp")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/oscbo/${header}.hpp"
      "${folder}/oscbo/${header}.hpp" SYMBOLIC)
  endforeach()
  add_library(oscbo_${room}_headers INTERFACE)
  target_include_directories(oscbo_${room}_headers INTERFACE "${folder}")
  target_link_libraries(oscbo_${room}_headers INTERFACE ${arg_HEADER_LIBRARIES})

  set(below ${arg_ROOMS})
  if(NOT room STREQUAL "base")
    list(APPEND below base)
  endif()
  set(OSCBO_${room}_ROOMS ${below})
  set(OSCBO_${room}_LIBRARIES ${arg_LIBRARIES})

  oscbo_room_sources(${room} "" sources)
  add_library(oscbo_${room} OBJECT ${sources})
  oscbo_see_as(oscbo_${room} ${room})
  target_link_libraries(oscbo_${room} PRIVATE oscbo_flags)
  # One translation unit, where CMAKE_UNITY_BUILD asks for it. It may become part of a shared library,
  # such as the Python module.
  set_target_properties(oscbo_${room} PROPERTIES
    UNITY_BUILD_BATCH_SIZE 0 POSITION_INDEPENDENT_CODE ON)
  target_compile_options(oscbo_${room} PRIVATE -fno-semantic-interposition)
  if(arg_TEXT)
    target_compile_options(oscbo_${room} PRIVATE ${OSCBO_TEXT_OPTIONS})
  endif()

  set(OSCBO_${room}_ROOMS ${below} PARENT_SCOPE)
  set(OSCBO_${room}_LIBRARIES ${arg_LIBRARIES} PARENT_SCOPE)
  set(OSCBO_ROOMS ${OSCBO_ROOMS} ${room} PARENT_SCOPE)
  set(OSCBO_ROOM_HEADERS ${OSCBO_ROOM_HEADERS} ${headers} PARENT_SCOPE)
endfunction()

# --- the table, lowest rooms first ---------------------------------------------------------------

oscbo_room(base
  HEADERS config error prediction record_fields trial_state version
  LIBRARIES fmt::fmt)

oscbo_room(numeric
  LIBRARIES fmt::fmt Threads::Threads oscbo_random123
  HEADER_LIBRARIES oscbo_eigen Boost::headers)

oscbo_room(text TEXT
  HEADERS table
  LIBRARIES fmt::fmt
  HEADER_LIBRARIES nlohmann_json::nlohmann_json)

oscbo_room(online
  ROOMS numeric)

oscbo_room(prediction
  ROOMS numeric)

oscbo_room(gp
  ROOMS prediction numeric)

oscbo_room(space
  ROOMS text numeric
  HEADERS space
  LIBRARIES fmt::fmt)

oscbo_room(in_context
  ROOMS prediction text numeric
  LIBRARIES fmt::fmt)

oscbo_room(learners
  ROOMS online gp prediction numeric
  LIBRARIES oscbo_lbfgspp)

oscbo_room(acquisition
  ROOMS space prediction numeric
  LIBRARIES oscbo_lbfgspp)

oscbo_room(weights TEXT
  ROOMS in_context numeric
  HEADERS weights
  LIBRARIES fmt::fmt OpenSSL::Crypto)

oscbo_room(model
  ROOMS in_context learners online gp prediction numeric
  LIBRARIES fmt::fmt)

oscbo_room(optimizer
  ROOMS model in_context learners acquisition space online gp prediction numeric
  HEADERS calibration objective optimizer options theory
  LIBRARIES fmt::fmt)

oscbo_room(problems
  ROOMS space text numeric
  HEADERS lander problem
  LIBRARIES fmt::fmt box2d::box2d oscbo_nanoflann)

oscbo_room(experiment TEXT
  ROOMS weights optimizer problems space text numeric
  HEADERS experiment
  LIBRARIES fmt::fmt)

oscbo_room(report TEXT
  ROOMS experiment optimizer problems space numeric
  HEADERS report
  LIBRARIES fmt::fmt nlohmann_json::nlohmann_json)

oscbo_room(paper TEXT
  ROOMS report experiment weights optimizer learners problems space online gp numeric
  HEADERS lander_search latency paper
  LIBRARIES fmt::fmt)

oscbo_room(storage TEXT
  HEADERS study_trial
  LIBRARIES fmt::fmt SQLiteCpp)

oscbo_room(study TEXT
  ROOMS storage weights optimizer space text numeric
  HEADERS run_study serialisation study study_declaration study_files
  LIBRARIES fmt::fmt Threads::Threads oscbo_re2 oscbo_tomlplusplus)

# --- what belongs to no room, or to two ----------------------------------------------------------

file(GLOB OSCBO_PUBLIC_HEADERS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/oscbo/*.hpp")
list(SORT OSCBO_ROOM_HEADERS)
list(SORT OSCBO_PUBLIC_HEADERS)
if(NOT OSCBO_ROOM_HEADERS STREQUAL OSCBO_PUBLIC_HEADERS)
  set(homeless ${OSCBO_PUBLIC_HEADERS})
  list(REMOVE_ITEM homeless ${OSCBO_ROOM_HEADERS})
  message(FATAL_ERROR "Each header of include/oscbo/ belongs to one room of the table in "
    "cmake/rooms.cmake. Without a room: ${homeless}; if there are none, one is named twice.")
endif()

file(GLOB directories LIST_DIRECTORIES TRUE RELATIVE "${PROJECT_SOURCE_DIR}/src"
  CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*")
list(REMOVE_ITEM directories ${OSCBO_ROOMS} cli python)
if(directories)
  message(FATAL_ERROR "src/${directories} is not a room of the table in cmake/rooms.cmake")
endif()
