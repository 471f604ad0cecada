// Identifies the process that holds a trial. A killed process cannot hand its trial back. Another
// process on the same machine can see that the holder is gone, so it need not wait until the lease
// of the trial runs out.
#pragma once

#include <string>

namespace oscbo::study {

/// this_process returns a name of this process that is unique among all processes that ever run on
/// this machine. It is empty if the system does not provide enough information.
[[nodiscard]] std::string this_process();

/// has_ended returns whether the process of that name is gone. It returns false for processes on
/// other machines and for processes from before the last boot, because nothing is known about them.
[[nodiscard]] bool has_ended(const std::string& process);

}  // namespace oscbo::study
