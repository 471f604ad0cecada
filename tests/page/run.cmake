# Runs a small experiment, reports on it and opens the page in a browser.
#
#   cmake -D PROGRAM=oscbo -D CHECK_PAGE=scripts/check-page -D SCRATCH=DIR -P run.cmake

file(REMOVE_RECURSE "${SCRATCH}")

execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND "${PROGRAM}" bench run --tasks branin,hartmann3 --methods oscbo,gp-ucb-mll,random
    --seeds 3 --steps 10 --out "${SCRATCH}")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${PROGRAM}" bench report "${SCRATCH}")
execute_process(RESULT_VARIABLE status COMMAND "${CHECK_PAGE}" "${SCRATCH}/report.html")
if(status EQUAL 77)
  message("page skipped: no browser")
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "the page is not in order")
endif()
