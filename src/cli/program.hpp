// The program as a whole: its commands, its help and what it says about a mistyped command line.
#pragma once

namespace oscbo::cli {

/// run_program does what the arguments say and returns the exit status. Throws what commands throw.
int run_program(int argc, char** argv);

}  // namespace oscbo::cli
