// Sharing work among threads.
#pragma once

#include <functional>

#include "numeric/padded_matrix.hpp"

namespace oscbo::numeric {

/// While a ThreadLimit exists, operations that this thread starts use at most `most` threads, and
/// no more than an enclosing ThreadLimit allows. A `most` of 0 adds no limit. Without a limit,
/// operations use all processors.
class ThreadLimit {
 public:
  explicit ThreadLimit(int most);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit(ThreadLimit&&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ThreadLimit& operator=(ThreadLimit&&) = delete;
  ~ThreadLimit();

  /// current returns how many threads an operation that starts now may use.
  [[nodiscard]] static int current();

 private:
  int outer_;
};

/// share_among_threads implements for_each_share for more than one thread.
void share_among_threads(Index count, const std::function<void(Index)>& work);

/// for_each_share calls work(0), ..., work(count - 1) in any order, on as many threads as the limit
/// allows. The results of the calls must not depend on their order; then they do not depend on the
/// number of threads either. If a call throws, for_each_share throws that exception after all
/// threads have ended.
template <class Work>
void for_each_share(Index count, const Work& work) {
  if (count > 1 && ThreadLimit::current() > 1) return share_among_threads(count, std::cref(work));
  for (Index share = 0; share < count; ++share) work(share);
}

}  // namespace oscbo::numeric
