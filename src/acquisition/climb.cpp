#include "acquisition/climb.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include <LBFGSB.h>

#include "acquisition/hopeless_searches.hpp"
#include "numeric/adam.hpp"
#include "numeric/box_minimiser.hpp"

namespace oscbo::acquisition {
namespace {

/// Returns the acquisition, and writes the gradient of its negative by the chain rule.
double value_and_descent(const Acquisition& acquisition,
                         const prediction::LocalPrediction& prediction, Vector& gradient) {
  const AcquisitionValue a = value_at(acquisition, prediction.moments);
  for (Index k = 0; k < gradient.size(); ++k) {
    const auto entry = static_cast<std::size_t>(k);
    gradient[k] = -(a.mean_slope * prediction.mean_gradient[entry] +
                    a.variance_slope * prediction.variance_gradient[entry]);
  }
  return a.value;
}

/// SciPy's settings: projected gradient 1e-5, relative decrease 2.2e-9, 10 corrections. There are
/// no more corrections than dimensions, because their algebra would cost more than an evaluation of
/// the posterior.
LBFGSpp::LBFGSBParam<double> search_parameters(int max_iterations, Index dimension) {
  LBFGSpp::LBFGSBParam<double> parameters;
  parameters.m = static_cast<int>(std::min<Index>(10, dimension));
  parameters.epsilon = 1e-5;
  parameters.epsilon_rel = 0.0;
  parameters.past = 1;
  parameters.delta = 2.2e-9;
  parameters.max_iterations = max_iterations;
  return parameters;
}

/// Runs L-BFGS-B from one start.
Climb climb_alone(prediction::Predictor& model, const Acquisition& acquisition,
                  const SearchBox& box, Vector x, int max_iterations) {
  Climb climb;
  prediction::LocalPrediction prediction(x.size());
  const auto negated = [&](const Vector& at, Vector& gradient) {
    prediction.x = at;
    model.predict({&prediction, 1});
    const double value = value_and_descent(acquisition, prediction, gradient);
    climb.consider(at, value);
    return -value;
  };
  const LBFGSpp::LBFGSBParam<double> parameters =  // the solver holds a reference to them
      search_parameters(max_iterations, x.size());
  LBFGSpp::LBFGSBSolver<double> solver(parameters);
  double value = 0.0;
  try {
    solver.minimize(negated, x, value, box.lower, box.upper);
  } catch (const std::exception&) {  // the line search failed
    climb.failed = true;
  }
  return climb;
}

/// Runs one search per start in lockstep, so that the model predicts for all of them together.
/// `stops_early` ends searches that will not reach the best one.
template <class Search>
std::vector<Climb> climb_together(prediction::Predictor& model, const Acquisition& acquisition,
                                  const SearchBox& box, const std::vector<Vector>& starts,
                                  const Search& search, bool stops_early) {
  const Index dimension = box.lower.size();
  std::vector<Climb> climbs(starts.size());
  std::vector<Search> searches(starts.size(), search);
  std::vector<std::size_t> active(starts.size());
  std::iota(active.begin(), active.end(), std::size_t{0});
  for (const std::size_t i : active) searches[i].begin(box.lower, box.upper, starts[i]);

  std::vector<prediction::LocalPrediction> predictions(starts.size(),
                                                       prediction::LocalPrediction(dimension));
  Vector gradient(dimension);
  HopelessSearches hopeless(starts.size());
  while (!active.empty()) {
    for (std::size_t p = 0; p < active.size(); ++p) predictions[p].x = searches[active[p]].next();
    model.predict(std::span(predictions).first(active.size()));
    for (std::size_t p = 0; p < active.size(); ++p) {
      const std::size_t i = active[p];
      const double value = value_and_descent(acquisition, predictions[p], gradient);
      climbs[i].consider(predictions[p].x, value);
      searches[i].observe(-value, gradient);
      hopeless.observe(i, value);
    }
    std::erase_if(active, [&](std::size_t i) {
      return searches[i].is_over() || (stops_early && hopeless.contains(i));
    });
  }
  return climbs;
}

std::vector<Climb> climb_by_bfgs(prediction::Predictor& model, const Acquisition& acquisition,
                                 const SearchArea& area, const std::vector<Vector>& starts,
                                 int max_iterations) {
  constexpr Index kManyPoints = 200;
  // With excluded hills no search stops early: one on an excluded hill could make the others look
  // hopeless.
  const bool stops_early = model.size() > kManyPoints && !area.is_excluded;
  const numeric::BoxMinimiserSettings settings{.max_iterations = max_iterations,
                                               .largest_step = 0.2};
  return climb_together(model, acquisition, area.box, starts, numeric::BoxSearch(settings),
                        stops_early);
}

/// place_cloud writes `centre` and Gaussian steps from it to the rows begin .. end - 1 of `points`.
/// Steps are clipped to the box, and `radius` is in sides of the box.
void place_cloud(const SearchBox& box, const Vector& centre, double radius, Index begin, Index end,
                 numeric::RandomStream& stream, numeric::PaddedMatrix& points) {
  for (Index k = 0; k < centre.size(); ++k) points(begin, k) = centre[k];
  for (Index i = begin + 1; i < end; ++i) {
    for (Index k = 0; k < centre.size(); ++k) {
      const double side = box.upper[k] - box.lower[k];
      points(i, k) =
          std::clamp(centre[k] + radius * side * stream.normal(), box.lower[k], box.upper[k]);
    }
  }
}

/// Each cloud surrounds the best point found from its start so far.
std::vector<Climb> climb_by_clouds(prediction::Predictor& model, const Acquisition& acquisition,
                                   const SearchBox& box, const std::vector<Vector>& starts,
                                   numeric::RandomStream stream) {
  constexpr std::array kRadii = {0.1, 0.03, 0.01};
  constexpr Index kCloud = 9;  // points
  std::vector<Climb> climbs(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) climbs[i].x = starts[i];
  prediction::PredictionBatch batch;
  batch.resize(static_cast<Index>(climbs.size()) * kCloud, box.lower.size());
  for (const double radius : kRadii) {
    Index end = 0;
    for (const Climb& climb : climbs) {
      const Index begin = std::exchange(end, end + kCloud);
      place_cloud(box, climb.x, radius, begin, end, stream, batch.points);
    }
    model.at_batch(batch);
    for (Index i = 0; i < end; ++i) {
      const prediction::Moments moments{.mean = batch.means[i], .variance = batch.variances[i]};
      climbs[static_cast<std::size_t>(i / kCloud)].consider(point_of(batch.points, i),
                                                            value_at(acquisition, moments).value);
    }
  }
  return climbs;
}

}  // namespace

std::vector<Climb> climb(prediction::Predictor& model, const Acquisition& acquisition,
                         const SearchArea& area, const std::vector<Vector>& starts,
                         const AcquisitionOptions& config, numeric::RandomStream stream) {
  using Solver = AcquisitionOptions::Solver;
  switch (config.solver) {
    case Solver::bfgs:
      return climb_by_bfgs(model, acquisition, area, starts, config.max_iterations);
    case Solver::adam:
      return climb_together(model, acquisition, area.box, starts,
                            numeric::AdamSearch(config.adam_rate, config.max_iterations),
                            /*stops_early=*/false);
    case Solver::candidates: return climb_by_clouds(model, acquisition, area.box, starts, stream);
    case Solver::lbfgsb: break;
  }
  std::vector<Climb> climbs;
  climbs.reserve(starts.size());
  for (const Vector& start : starts) {
    climbs.push_back(climb_alone(model, acquisition, area.box, start, config.max_iterations));
  }
  return climbs;
}

}  // namespace oscbo::acquisition
