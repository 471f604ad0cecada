// Which process has a trial: one that was killed cannot hand it back, but whoever comes next on the
// same machine can see that it is gone, and need not wait for the lease to run out.
#pragma once

#include <string>

namespace oscbo::study {

/// this_process names this process among all that ever run on this machine; empty where the system
/// does not say enough.
[[nodiscard]] std::string this_process();

/// has_ended returns whether the process of that name is gone. Of processes on other machines, or
/// before the last start of this one, nothing is known: false.
[[nodiscard]] bool has_ended(const std::string& process);

}  // namespace oscbo::study
