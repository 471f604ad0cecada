# Tests and benchmarks: one test program and one benchmark program per room that has any.
#
#   ctest -L gp          the tests of one room
#   ctest -LE slow       all but the slow ones: those with "Slow" in their suite or test name

# In a unity build, up to 24 test or benchmark files of a room are joined into one translation unit.
# Most of their compile time goes into headers and templates that they share, and two cores still have
# enough units to work on. Two tests of a room must therefore not use the same name either.
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

# Tests take most of the build time but little run time, because the library does the computing. Only
# the tests of these rooms, which instantiate templates that compute, are optimised.
set(OSCBO_COMPUTING_TESTS numeric gp)

# The files whose tests start threads. The other tests are of no use to the thread sanitizer and are
# not built for it.
set(OSCBO_THREADED_TESTS "/(numeric/(cholesky|parallel|triangular_product)|in_context/(ensemble|network)|optimizer/optimizer|\
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
    # The linker takes the first copy of a template that it meets; this makes it the library's.
    target_link_options(${target} PRIVATE
      LINKER:--whole-archive $<TARGET_FILE:oscbo> LINKER:--no-whole-archive)
  endif()
  set(filter -*Slow*)
  if(OSCBO_SANITIZE STREQUAL "thread" AND room STREQUAL "optimizer")
    set(filter *Thread*)  # thousands of optimizer tests run on one thread only
  elseif(OSCBO_SANITIZE MATCHES address AND room STREQUAL "optimizer")
    # The embedded network is thirty times as slow then. tabicl runs the same code with a small one.
    string(APPEND filter ":*pfn*:*Pfn*")
  endif()
  # One process per test would take longer to start than most of the thousands of tests take.
  foreach(shard RANGE 3)
    add_test(NAME ${room}/shard${shard} COMMAND ${target} --gtest_filter=${filter} --gtest_brief=1)
    set_tests_properties(${room}/shard${shard} PROPERTIES LABELS ${room}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
  endforeach()
  if(NOT OSCBO_SANITIZE)
    # PRE_TEST lists the tests when ctest runs, so that `cmake --build` does not run programs.
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
  # Times measured under a sanitizer are meaningless.
  if(NOT OSCBO_SANITIZE)
    oscbo_add_room_bench(${room})
  endif()
endforeach()

# The benchmarks compare with OpenBLAS if it is installed; nothing else uses it.
find_path(OSCBO_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-pthread)
find_library(OSCBO_OPENBLAS openblas)
if(TARGET oscbo_numeric_bench AND OSCBO_OPENBLAS_INCLUDE AND OSCBO_OPENBLAS)
  target_compile_definitions(oscbo_numeric_bench PRIVATE OSCBO_HAS_OPENBLAS)
  target_include_directories(oscbo_numeric_bench SYSTEM PRIVATE ${OSCBO_OPENBLAS_INCLUDE})
  target_link_libraries(oscbo_numeric_bench PRIVATE ${OSCBO_OPENBLAS})
endif()

# Some tests search Gaussian processes, write files of weights or look into a database, and some benchmarks need a problem to
# optimise.
if(TARGET oscbo_acquisition_test)
  oscbo_see(oscbo_acquisition_test gp)
endif()
foreach(room experiment study)
  if(TARGET oscbo_${room}_test)
    oscbo_see(oscbo_${room}_test in_context)
  endif()
endforeach()
if(TARGET oscbo_study_test)
  target_link_libraries(oscbo_study_test PRIVATE SQLiteCpp)
  target_compile_definitions(oscbo_study_test PRIVATE
    OSCBO_VERSION_1_SQL="${PROJECT_SOURCE_DIR}/src/study/version_1.sql")
endif()
if(TARGET oscbo_optimizer_bench)
  oscbo_see(oscbo_optimizer_bench problems)
  target_link_libraries(oscbo_optimizer_bench PRIVATE oscbo_lbfgspp)
endif()

# The program whose instructions scripts/check-instructions counts. It is not in bench/, because
# `make bench` runs everything there. It joins the rooms it needs instead of linking the library, which
# builds faster.
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
  return()  # the rest needs the program and the install rules
endif()

# The program is tested from outside: its tests start it and check its output.
oscbo_add_room_test(cli)
if(TARGET oscbo_cli_test)
  add_dependencies(oscbo_cli_test oscbo_cli)
  target_compile_definitions(oscbo_cli_test PRIVATE OSCBO_PROGRAM="$<TARGET_FILE:oscbo_cli>")
  target_include_directories(oscbo_cli_test PRIVATE src/cli)
  oscbo_see(oscbo_cli_test base in_context weights)
  target_link_libraries(oscbo_cli_test PRIVATE oscbo::oscbo fmt::fmt nlohmann_json::nlohmann_json
    SQLiteCpp)
endif()

# These tests name a file of weights to the method tabicl. The weights of pfn have the same format.
foreach(room paper cli)
  if(TARGET oscbo_${room}_test)
    target_compile_definitions(oscbo_${room}_test PRIVATE OSCBO_TRAINED_WEIGHTS="${pfn_weights}")
  endif()
endforeach()

# Fuzzers: one program per *_fuzz.cpp, if libFuzzer and the address sanitizer are available. As a test,
# each runs for a few seconds from a fixed seed; `make fuzz` runs them longer.
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
  # A fuzzer learns which inputs reach new code of these rooms. Learning from each comparison, too,
  # would cost a third of its speed. It spends most of its time in text.
  foreach(room text in_context)
    target_compile_options(oscbo_${room} PRIVATE -O1 -fsanitize=fuzzer-no-link
      -fno-sanitize-coverage=trace-cmp)
  endforeach()
  oscbo_add_fuzzer(optimizer 100000 src/optimizer/options_fuzz.cpp)
  oscbo_add_fuzzer(space 100000 src/space/space_fuzz.cpp)
  oscbo_add_fuzzer(text 100000 src/text/table_fuzz.cpp)
  oscbo_add_fuzzer(in_context 5000 src/in_context/safetensors_fuzz.cpp)
  oscbo_see_as(safetensors_fuzz in_context)
  oscbo_add_fuzzer(study 20000 src/study/study_toml_fuzz.cpp)
  oscbo_add_fuzzer(study 10000 src/study/program_output_fuzz.cpp)
  oscbo_see(program_output_fuzz study)
  oscbo_add_fuzzer(study 20000 src/study/import_csv_fuzz.cpp)
  oscbo_add_fuzzer(cli 100000 src/cli/points_fuzz.cpp src/cli/points.cpp)
  target_include_directories(points_fuzz PRIVATE src/cli)
endif()

# The C++ examples of the documents are compiled and run (label docs): those of README.md and
# docs/spaces.md as they are, those of docs/architecture.md together, with the new method registered.
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
  # oscbo_add_architecture_example(<test> <room> <first block> <name>): three blocks are a source file of
  # the room, its line of a registry, and its test.
  function(oscbo_add_architecture_example test room first name)
    math(EXPR second "${first} + 1")
    math(EXPR third "${first} + 2")
    extract_cpp_block("${architecture}" ${first} "${examples}/${name}.cpp")
    extract_cpp_block("${architecture}" ${second} "${examples}/${name}_registry_line.inc")
    extract_cpp_block("${architecture}" ${third} "${examples}/${name}_test.cpp")
    add_executable(${test} tests/examples/${test}.cpp
      "${examples}/${name}.cpp" "${examples}/${name}_test.cpp")
    target_include_directories(${test} PRIVATE "${examples}")
    oscbo_see_as(${test} ${room})
    target_link_libraries(${test} PRIVATE oscbo::oscbo oscbo_flags GTest::gtest)
  endfunction()
  oscbo_add_architecture_example(adding_a_method learners 1 nearest_rule)
  oscbo_add_architecture_example(adding_a_model model 4 neighbour_strategy)
  list(APPEND example_tests adding_a_method adding_a_model)
endif()

foreach(example IN LISTS example_tests)
  set_target_properties(${example} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${example} COMMAND ${example})
  set_tests_properties(${example} PROPERTIES LABELS docs)
endforeach()

# The commands in sh blocks of the documents are run too; long ones are only started.
if(NOT OSCBO_SANITIZE)
  file(GLOB documents RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS README.md docs/*.md)
  function(oscbo_add_document_test name label)
    add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/tests/docs/run-commands"
      $<TARGET_FILE:oscbo_cli> "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/${name}" ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label})
  endfunction()
  oscbo_add_document_test(document_commands docs ${documents})
  oscbo_add_document_test(document_commands_long docs-slow --long ${documents})
  set_tests_properties(document_commands_long PROPERTIES COST 1000)  # start early: it mostly waits
endif()

# The Python package: one test per file of python/tests. Under a sanitizer, only the tests of the
# compiled part are useful.
if(OSCBO_PYTHON)
  file(GLOB python_tests RELATIVE "${PROJECT_SOURCE_DIR}/python/tests" CONFIGURE_DEPENDS python/tests/test_*.py)
  set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python" "OSCBO_PROGRAM=$<TARGET_FILE:oscbo_cli>"
    PYTHONDONTWRITEBYTECODE=1)
  if(OSCBO_SANITIZE)
    list(FILTER python_tests EXCLUDE REGEX "_(bench|examples|optuna|plot|tabicl|types)")
    # Python was built without the sanitizer, so its runtime must be preloaded. Python also never frees
    # some of its memory, so leaks are not checked.
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
        set(label python-slow)  # mypy takes as long as all other tests together
      endif()
      set_tests_properties(python/${name} PROPERTIES LABELS ${label} ENVIRONMENT "${python_environment}")
    endforeach()
  endif()
endif()

# A room sees only the headers of the rooms below it.
if(NOT OSCBO_SANITIZE AND CMAKE_EXPORT_COMPILE_COMMANDS)
  add_test(NAME room_includes COMMAND "${PROJECT_SOURCE_DIR}/tests/rooms/try-includes"
    "${PROJECT_BINARY_DIR}")
endif()

# An independent project uses the installed package. Not under a sanitizer, because an instrumented
# library cannot be linked into a plain program.
if(NOT OSCBO_SANITIZE)
  add_test(NAME install_consumer COMMAND ${CMAKE_COMMAND}
    -D BUILD_DIR=${PROJECT_BINARY_DIR}
    -D CONFIG=$<CONFIG>
    -D GENERATOR=${CMAKE_GENERATOR}
    -D COMPILER=${CMAKE_CXX_COMPILER}
    -P ${PROJECT_SOURCE_DIR}/tests/install/run.cmake)
endif()

# The script that compares two builds finds a program equal to itself, and notices a changed number.
if(NOT OSCBO_SANITIZE)
  add_test(NAME equal_bits COMMAND "${PROJECT_SOURCE_DIR}/tests/scripts/equal-bits"
    "${PROJECT_SOURCE_DIR}/scripts/equal-bits" $<TARGET_FILE:oscbo_cli> "${PROJECT_BINARY_DIR}/equal_bits")
  set_tests_properties(equal_bits PROPERTIES LABELS scripts-slow)
endif()

# A report is opened in a real browser, if there is one.
if(NOT OSCBO_SANITIZE)
  add_test(NAME report_page COMMAND ${CMAKE_COMMAND}
    -D PROGRAM=$<TARGET_FILE:oscbo_cli>
    -D CHECK_PAGE=${PROJECT_SOURCE_DIR}/scripts/check-page
    -D SCRATCH=${PROJECT_BINARY_DIR}/report_page
    -P ${PROJECT_SOURCE_DIR}/tests/page/run.cmake)
  set_tests_properties(report_page PROPERTIES
    LABELS page-slow SKIP_REGULAR_EXPRESSION "page skipped: no browser")
endif()

# Studies: long experiments with their own make target (Makefile) and results in docs/research.
add_executable(space_study EXCLUDE_FROM_ALL tests/studies/space_study.cpp)
set_target_properties(space_study PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/studies")
oscbo_see_as(space_study optimizer)
target_link_libraries(space_study PRIVATE oscbo::oscbo fmt::fmt oscbo_flags)
