// Work that several threads share.
#pragma once

#include <functional>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// While it lives, operations begun by this thread use at most `most` threads, and no more than an
/// outer limit allows; 0 adds no limit. Without any they use all processors.
class ThreadLimit {
 public:
  explicit ThreadLimit(int most);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit(ThreadLimit&&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ThreadLimit& operator=(ThreadLimit&&) = delete;
  ~ThreadLimit();

  /// current returns how many threads an operation begun now may use.
  [[nodiscard]] static int current();

 private:
  int outer_;
};

/// share_among_threads is for_each_share with more than one thread.
void share_among_threads(Index count, const std::function<void(Index)>& work);

/// for_each_share calls work(0), ..., work(count - 1) in any order, on as many threads as the limit
/// allows. What the calls compute must not depend on their order: then it does not depend on the
/// number of threads either. An exception of one of them is thrown when all have ended.
template <class Work>
void for_each_share(Index count, const Work& work) {
  if (count > 1 && ThreadLimit::current() > 1) return share_among_threads(count, std::cref(work));
  for (Index share = 0; share < count; ++share) work(share);
}

}  // namespace oscbo::numeric
