#include "numeric/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace oscbo::numeric {
namespace {

/// The limit of this thread, 0 if there is none.
int& limit() {
  thread_local int most = 0;
  return most;
}

int processors() {
  static const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count;
}

}  // namespace

ThreadLimit::ThreadLimit(int most) : outer_(limit()) {
  if (most > 0) limit() = outer_ > 0 ? std::min(outer_, most) : most;
}

ThreadLimit::~ThreadLimit() { limit() = outer_; }

int ThreadLimit::current() { return limit() > 0 ? limit() : processors(); }

void share_among_threads(Index count, const std::function<void(Index)>& work) {
  std::atomic<Index> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_shares = [&] {
    try {
      for (Index share = next++; share < count; share = next++) work(share);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    const auto threads = static_cast<int>(std::min<Index>(ThreadLimit::current(), count));
    try {
      for (int i = 1; i < threads; ++i) {
        others.emplace_back([&] {
          const ThreadLimit alone(1);
          take_shares();
        });
      }
    } catch (const std::system_error&) {
      // The system provides no more threads. The existing ones do all of the work.
    }
    take_shares();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace oscbo::numeric
