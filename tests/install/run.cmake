# Installs the build under BUILD_DIR into a prefix of its own, then configures, builds and runs the
# project beside this script against it.
#
#   cmake -D BUILD_DIR=... -D CONFIG=... -D GENERATOR=... -D COMPILER=... -P run.cmake

set(scratch "${BUILD_DIR}/install_consumer")
file(REMOVE_RECURSE "${scratch}")  # leftovers could hide a file that is no longer installed

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --config "${CONFIG}" --prefix "${scratch}/prefix")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
  "-DCMAKE_PREFIX_PATH=${scratch}/prefix")
run("${CMAKE_COMMAND}" --build "${scratch}/build")
run("${scratch}/build/consumer")
run("${scratch}/prefix/bin/oscbo" --help)
