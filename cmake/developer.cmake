# Tests and benchmarks: one executable of each kind per room that has any.
#
#   ctest -L gp          the tests of one room
#   ctest -LE slow       all but the slow ones: those with "Slow" in their suite or test name

# Where the library is joined into one translation unit per room (CMAKE_UNITY_BUILD), so are tests and
# benchmarks of a room, but no more than 24: most of their time goes into headers and templates that
# they share, and two cores still have enough to share. The tests of a room therefore share no name of
# their own either.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

enable_testing()
include(GoogleTest)

# The program alone can be built without these; `make test` insists on them.
find_package(GTest QUIET)
find_package(benchmark QUIET)
foreach(package GTest benchmark)
  if(NOT ${package}_FOUND)
    message(STATUS "${package} is not installed: building without it (scripts/install-packages test)")
  endif()
endforeach()

# Tests take most of the time of a build, and little of it when they run: what computes is the library.
# Only those of these rooms, which compute by templates of their own, are optimised.
set(OSCBO_COMPUTING_TESTS numeric gp)

# The tests that start threads, by their files: the others tell the thread sanitizer nothing, and are
# not built for it.
set(OSCBO_THREADED_TESTS "/(numeric/(cholesky|parallel|triangular_product)|optimizer/optimizer|\
experiment/run_experiment|report/(learning_curves|write_report)|paper/(lander_search|run_paper)|\
storage/sqlite_storage|study/(process|run_study|study))_test\\.cpp$")

# The library without its headers: what a test includes is what its room may.
add_library(oscbo_linked INTERFACE)
target_link_libraries(oscbo_linked INTERFACE $<LINK_ONLY:oscbo>)

function(oscbo_add_room_test room)
  oscbo_room_sources(${room} _test sources)
  if(OSCBO_SANITIZE STREQUAL "thread")
    list(FILTER sources INCLUDE REGEX "${OSCBO_THREADED_TESTS}")
  endif()
  if(NOT sources OR NOT GTest_FOUND)
    return()
  endif()
  set(target oscbo_${room}_test)
  add_executable(${target} ${sources})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_link_libraries(${target} PRIVATE oscbo_linked oscbo_flags GTest::gtest_main)
  if(room IN_LIST OSCBO_COMPUTING_TESTS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  else()
    target_compile_options(${target} PRIVATE -O0)
    # Of templates that both have, the linker takes the first copy it meets: this is the library's.
    target_link_options(${target} PRIVATE
      LINKER:--whole-archive $<TARGET_FILE:oscbo> LINKER:--no-whole-archive)
  endif()
  set(filter -*Slow*)
  if(OSCBO_SANITIZE STREQUAL "thread" AND room STREQUAL "optimizer")
    set(filter *Thread*)  # most tests of an optimizer run on one thread only, and by the thousand
  endif()
  # A process for each of thousands of tests would take longer to start than the test takes.
  foreach(shard RANGE 3)
    add_test(NAME ${room}/shard${shard} COMMAND ${target} --gtest_filter=${filter} --gtest_brief=1)
    set_tests_properties(${room}/shard${shard} PROPERTIES LABELS ${room}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
  endforeach()
  if(NOT OSCBO_SANITIZE)
    # PRE_TEST: listing the tests when ctest runs keeps `cmake --build` free of running programs.
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
      TEST_FILTER "*Slow*" TEST_PREFIX ${room}/ PROPERTIES LABELS ${room}-slow)
  endif()
endfunction()

function(oscbo_add_room_bench room)
  oscbo_room_sources(${room} _bench sources)
  if(NOT sources OR NOT benchmark_FOUND)
    return()
  endif()
  set(target oscbo_${room}_bench)
  add_executable(${target} EXCLUDE_FROM_ALL ${sources})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  oscbo_see_as(${target} ${room})
  target_link_libraries(${target} PRIVATE oscbo_linked oscbo_flags benchmark::benchmark_main)
  add_dependencies(benchmarks ${target})
endfunction()

add_custom_target(benchmarks)

foreach(room IN LISTS OSCBO_ROOMS)
  oscbo_add_room_test(${room})
  if(TARGET oscbo_${room}_test)
    oscbo_see_as(oscbo_${room}_test ${room})
  endif()
  # A time measured under a sanitizer means nothing.
  if(NOT OSCBO_SANITIZE)
    oscbo_add_room_bench(${room})
  endif()
endforeach()

# The benchmarks compare with OpenBLAS where it is installed; nothing else uses it.
find_path(OSCBO_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-pthread)
find_library(OSCBO_OPENBLAS openblas)
if(TARGET oscbo_numeric_bench AND OSCBO_OPENBLAS_INCLUDE AND OSCBO_OPENBLAS)
  target_compile_definitions(oscbo_numeric_bench PRIVATE OSCBO_HAS_OPENBLAS)
  target_include_directories(oscbo_numeric_bench SYSTEM PRIVATE ${OSCBO_OPENBLAS_INCLUDE})
  target_link_libraries(oscbo_numeric_bench PRIVATE ${OSCBO_OPENBLAS})
endif()

# Tests that look into a database, and benchmarks that need something to optimise.
if(TARGET oscbo_study_test)
  target_link_libraries(oscbo_study_test PRIVATE SQLiteCpp)
endif()
if(TARGET oscbo_optimizer_bench)
  oscbo_see(oscbo_optimizer_bench problems)
  target_link_libraries(oscbo_optimizer_bench PRIVATE oscbo_lbfgspp)
endif()

# What scripts/check-instructions counts; not in bench/, all of which `make bench` runs. It is made of
# the rooms rather than linked with the library, to do without those above: a third of the time.
add_executable(oscbo_workloads EXCLUDE_FROM_ALL src/optimizer/workloads.cpp)
set(rooms optimizer problems ${OSCBO_optimizer_ROOMS} ${OSCBO_problems_ROOMS})
list(REMOVE_DUPLICATES rooms)
foreach(room IN LISTS rooms)
  target_sources(oscbo_workloads PRIVATE $<TARGET_OBJECTS:oscbo_${room}>)
endforeach()
set_target_properties(oscbo_workloads PROPERTIES UNITY_BUILD OFF
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
oscbo_see(oscbo_workloads ${rooms})
target_link_libraries(oscbo_workloads PRIVATE fmt::fmt box2d::box2d Threads::Threads oscbo_flags)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()  # what follows needs the program and the install rules
endif()

# The program is tested from outside: its tests start it and look at what it prints.
oscbo_add_room_test(cli)
if(TARGET oscbo_cli_test)
  add_dependencies(oscbo_cli_test oscbo_cli)
  target_compile_definitions(oscbo_cli_test PRIVATE OSCBO_PROGRAM="$<TARGET_FILE:oscbo_cli>")
  target_include_directories(oscbo_cli_test PRIVATE src/cli)
  target_link_libraries(oscbo_cli_test PRIVATE oscbo::oscbo fmt::fmt nlohmann_json::nlohmann_json)
endif()

# Fuzzers: one program per *_fuzz.cpp, where libFuzzer and the address sanitizer are at hand. As a
# test each runs for a few seconds from a fixed seed; `make fuzz` looks longer.
function(oscbo_add_fuzzer room runs source)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}" ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE oscbo::oscbo fmt::fmt oscbo_flags)
  add_test(NAME ${room}/${name} COMMAND ${name} -runs=${runs} -seed=1 -max_len=200)
  set_tests_properties(${room}/${name} PROPERTIES LABELS ${room})
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND OSCBO_SANITIZE MATCHES address)
  oscbo_add_fuzzer(optimizer 100000 src/optimizer/options_fuzz.cpp)
  oscbo_add_fuzzer(space 100000 src/space/space_fuzz.cpp)
  oscbo_add_fuzzer(text 100000 src/text/table_fuzz.cpp)
  oscbo_add_fuzzer(study 20000 src/study/study_toml_fuzz.cpp)
  oscbo_add_fuzzer(study 10000 src/study/program_output_fuzz.cpp)
  oscbo_see(program_output_fuzz study)
  oscbo_add_fuzzer(study 20000 src/study/import_csv_fuzz.cpp)
  oscbo_add_fuzzer(cli 100000 src/cli/points_fuzz.cpp src/cli/points.cpp)
  target_include_directories(points_fuzz PRIVATE src/cli)
endif()

# The C++ examples of the documents are compiled and run (label docs): those of README.md and
# docs/spaces.md as they stand, those of docs/architecture.md together, with the new method registered.
include(tests/examples/extract.cmake)
set(examples "${PROJECT_BINARY_DIR}/examples")

set(example_tests readme_example readme_space_example spaces_example)
extract_cpp_block("${PROJECT_SOURCE_DIR}/README.md" 1 "${examples}/readme_example.cpp")
extract_cpp_block("${PROJECT_SOURCE_DIR}/README.md" 2 "${examples}/readme_space_example.cpp")
extract_cpp_block("${PROJECT_SOURCE_DIR}/docs/spaces.md" 1 "${examples}/spaces_example.cpp")
foreach(example IN LISTS example_tests)
  add_executable(${example} "${examples}/${example}.cpp")
  target_link_libraries(${example} PRIVATE oscbo::oscbo)
endforeach()

if(GTest_FOUND)
  set(architecture "${PROJECT_SOURCE_DIR}/docs/architecture.md")
  extract_cpp_block("${architecture}" 1 "${examples}/nearest_rule.cpp")
  extract_cpp_block("${architecture}" 2 "${examples}/nearest_registry_line.inc")
  extract_cpp_block("${architecture}" 3 "${examples}/nearest_rule_test.cpp")
  add_executable(adding_a_method tests/examples/adding_a_method.cpp
    "${examples}/nearest_rule.cpp" "${examples}/nearest_rule_test.cpp")
  target_include_directories(adding_a_method PRIVATE "${examples}")
  oscbo_see_as(adding_a_method learners)
  target_link_libraries(adding_a_method PRIVATE oscbo::oscbo oscbo_flags GTest::gtest)
  list(APPEND example_tests adding_a_method)
endif()

foreach(example IN LISTS example_tests)
  set_target_properties(${example} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${example} COMMAND ${example})
  set_tests_properties(${example} PROPERTIES LABELS docs)
endforeach()

# So are the commands of the documents, where they stand in sh blocks; long ones are only begun.
if(NOT OSCBO_SANITIZE)
  file(GLOB documents RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS README.md docs/*.md)
  function(oscbo_add_document_test name label)
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/run-commands"
      $<TARGET_FILE:oscbo_cli> "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/${name}" ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label})
  endfunction()
  oscbo_add_document_test(document_commands docs ${documents})
  oscbo_add_document_test(document_commands_long docs-slow --long ${documents})
  set_tests_properties(document_commands_long PROPERTIES COST 1000)  # it waits, beside those that compute
endif()

# The Python package: one test per file of python/tests. Those of the package alone tell a sanitizer of
# the compiled part nothing.
if(OSCBO_PYTHON)
  file(GLOB python_tests RELATIVE "${PROJECT_SOURCE_DIR}/python/tests" CONFIGURE_DEPENDS python/tests/test_*.py)
  set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python" "OSCBO_PROGRAM=$<TARGET_FILE:oscbo_cli>"
    PYTHONDONTWRITEBYTECODE=1)
  if(OSCBO_SANITIZE)
    list(FILTER python_tests EXCLUDE REGEX "_(bench|examples|optuna|plot|types)")
    # Python was built without the sanitizer, so its runtime comes first; and keeps some memory for good.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
      OUTPUT_VARIABLE sanitizer_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND python_environment "LD_PRELOAD=${sanitizer_runtime} libstdc++.so.6" PYTHONMALLOC=malloc
      ASAN_OPTIONS=detect_leaks=0:external_symbolizer_path=/usr/bin/llvm-symbolizer-16)
  endif()
  if(NOT OSCBO_SANITIZE)
    add_test(NAME python_install COMMAND "${PROJECT_SOURCE_DIR}/tests/python/install"
      "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/python_install")
    set_tests_properties(python_install PROPERTIES LABELS python-slow)
  endif()
  if(NOT OSCBO_SANITIZE STREQUAL "thread")
    foreach(file IN LISTS python_tests)
      get_filename_component(name "${file}" NAME_WE)
      add_test(NAME python/${name} COMMAND ${Python_EXECUTABLE} -m pytest -q "python/tests/${file}"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set(label python)
      if(name STREQUAL "test_types")
        set(label python-slow)  # mypy takes as long as all the others
      endif()
      set_tests_properties(python/${name} PROPERTIES LABELS ${label} ENVIRONMENT "${python_environment}")
    endforeach()
  endif()
endif()

# A room sees the headers of the rooms below it, and no others.
if(NOT OSCBO_SANITIZE AND CMAKE_EXPORT_COMPILE_COMMANDS)
  add_test(NAME room_includes COMMAND "${PROJECT_SOURCE_DIR}/tests/rooms/try-includes"
    "${PROJECT_BINARY_DIR}")
endif()

# The installed package is used by a project that knows nothing of this one. An instrumented library
# cannot be linked into a plain program, so not under a sanitizer.
if(NOT OSCBO_SANITIZE)
  add_test(NAME install_consumer COMMAND ${CMAKE_COMMAND}
    -D BUILD_DIR=${PROJECT_BINARY_DIR}
    -D CONFIG=$<CONFIG>
    -D GENERATOR=${CMAKE_GENERATOR}
    -D COMPILER=${CMAKE_CXX_COMPILER}
    -P ${PROJECT_SOURCE_DIR}/tests/install/run.cmake)
endif()

# A report is opened in a real browser, where there is one.
if(NOT OSCBO_SANITIZE)
  add_test(NAME report_page COMMAND ${CMAKE_COMMAND}
    -D PROGRAM=$<TARGET_FILE:oscbo_cli>
    -D CHECK_PAGE=${PROJECT_SOURCE_DIR}/scripts/check-page
    -D SCRATCH=${PROJECT_BINARY_DIR}/report_page
    -P ${PROJECT_SOURCE_DIR}/tests/page/run.cmake)
  set_tests_properties(report_page PROPERTIES
    LABELS page-slow SKIP_REGULAR_EXPRESSION "page skipped: no browser")
endif()

# Studies: long experiments with a command of their own (Makefile), whose results are in docs/research.
add_executable(space_study EXCLUDE_FROM_ALL tests/studies/space_study.cpp)
set_target_properties(space_study PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/studies")
oscbo_see_as(space_study optimizer)
target_link_libraries(space_study PRIVATE oscbo::oscbo fmt::fmt oscbo_flags)
