// The program as a whole: its commands, its help and its errors about the command line.
#pragma once

namespace oscbo::cli {

/// run_program runs the command in the arguments and returns the exit status. Errors of the command
/// propagate.
int run_program(int argc, char** argv);

}  // namespace oscbo::cli
