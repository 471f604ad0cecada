// The options of acquisition functions and of their search.
#pragma once

#include <vector>

namespace oscbo {
struct Option;
}

namespace oscbo::acquisition {

struct AcquisitionOptions {
  enum class Kind { ucb, logei, ei, pi, thompson, random, sobol };
  enum class Solver { lbfgsb, bfgs, adam, candidates };
  enum class Best { observed, fitted };

  Kind kind = Kind::ucb;
  Solver solver = Solver::lbfgsb;
  int raw_samples = 20;
  int local_samples = 0;  // further samples, made by changing the best point
  int restarts = 5;
  int max_iterations = 2000;
  double adam_rate = 0.05;
  Best best = Best::observed;  // the value that an improvement must beat
  int candidates = 512;        // for Thompson sampling
};

[[nodiscard]] std::vector<Option> acquisition_options();

}  // namespace oscbo::acquisition
