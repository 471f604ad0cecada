// The methods whose model is an in-context regressor. Nothing is fitted: the network sees the
// observations and predicts.
//
//   tabicl   the user's weights. The network sees all observations. They are scaled as in the
//            scikit-learn wrapper of TabICL.
//   pfn      the embedded weights. The network was trained on functions on the unit cube with up to
//            128 observations. By default it sees at most 128. It resolves values to a few
//            hundredths of their standard deviation. For a finer picture, every second round shows
//            it only the observations near the best point, and maps their box to the unit cube. The
//            intervals are widened or narrowed as those of auto: an observation outside its
//            interval raises the multiplier of the variance, and one inside lowers the multiplier a
//            little.
//
// The features of a point are its columns (gp/layout.hpp), so every feature is a number. A category
// is given by its code, although the network may take the codes for an order. A conditional number
// u is (cos u, sin u) if it is active and (0, 0) if not.
//
// Known variances of the noise do not affect how much an observation counts: the network has no
// input for variances.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "in_context/embedded_weights.hpp"
#include "in_context/ensemble_predictor.hpp"
#include "in_context/in_context_options.hpp"
#include "learners/point_subset.hpp"
#include "model/near_best.hpp"
#include "model/strategy_factories.hpp"
#include "online/mirror_descent.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {
namespace {

using in_context::EnsemblePredictor;
using in_context::FeatureRange;
using in_context::Rows;

/// How a method uses its network.
struct Usage {
  std::shared_ptr<const in_context::Weights<float>> weights;
  in_context::EnsembleOptions ensemble;
  bool needs_ranges = false;  // the network sees features relative to their ranges
  std::optional<Index> most_observations = std::nullopt;
  int near_best_every = 0;         // every n-th round looks near the best point; 0: no round does
  bool predicts_function = false;  // the quantiles are of the function, without noise
  bool calibrates = false;         // observations widen and narrow the intervals
};

/// best_and_even returns the `count` observations that a network sees if it cannot see all n: the
/// best half of them, and the others evenly spread over the run. They are in order.
std::vector<Index> best_and_even(const Vector& y, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return y[a] > y[b]; });
  const auto best = static_cast<std::ptrdiff_t>(count / 2);
  std::sort(order.begin() + best, order.end());
  std::vector<Index> chosen(order.begin(), order.begin() + best);
  const auto others = static_cast<Index>(order.size()) - best;
  const Index wanted = count - static_cast<Index>(best);
  for (Index i = 0; i < wanted; ++i) {
    chosen.push_back(order[static_cast<std::size_t>(best + i * others / wanted)]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Rows<double> rows_of(const gp::Inputs& inputs) {
  Rows<double> rows(inputs.size(), inputs.dimension());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index k = 0; k < rows.columns(); ++k) rows(i, k) = inputs.X()(i, k);
  }
  return rows;
}

/// ranges_of returns the range of each column: the part of the box that the plan searches, and for
/// categories all codes.
std::vector<FeatureRange> ranges_of(const gp::Layout& layout, const SearchPlan& plan) {
  std::vector<FeatureRange> ranges(static_cast<std::size_t>(layout.columns()));
  for (Index p = 0; p < layout.parameters(); ++p) {
    for (Index k = layout[p].first; k < layout[p].end(); ++k) {
      FeatureRange& range = ranges[static_cast<std::size_t>(k)];
      if (layout[p].is_categorical) {
        range.upper = std::max(1.0, static_cast<double>(layout[p].categories - 1));
      } else if (layout[p].is_plain() && !plan.is_whole_box()) {
        range = {.lower = plan.lower[p], .upper = plan.upper[p]};
      }
    }
  }
  return ranges;
}

class InContextStrategy final : public ModelStrategy {
 public:
  InContextStrategy(const Config& config, gp::Layout layout, Usage usage)
      : layout_(std::move(layout)),
        usage_(std::move(usage)),
        noise_variance_(config.noise_variance),
        delta_(config.delta),
        dual_(online::initial_multiplier(config), kLargestMultiplier,
              config.get<online::DualOptions>().rate,
              config.get<online::DualOptions>().regulariser) {}

  [[nodiscard]] std::unique_ptr<ModelStrategy> clone() const override {
    return std::make_unique<InContextStrategy>(*this);
  }

  void fit(const Observations& observations, int /*round*/) override {
    turn_ = kept_turns_ + 1;
    const int every = usage_.near_best_every;
    const bool near_best = every > 0 && turn_ % every == 0;
    Model& model = of(Scope::round);
    condition(observations, near_best, model);
    finds_noise_ =
        near_best ? kept_finds_noise_ : std::sqrt(model.description.noise_variance) > kNoticedNoise;
  }

  void fit_all(const Observations& observations, int /*round*/) override {
    condition(observations, /*near_best=*/false, of(Scope::all));
  }

  [[nodiscard]] const ModelDescription& model(Scope scope) const override {
    return models_[static_cast<std::size_t>(scope)].description;
  }
  [[nodiscard]] prediction::Predictor& predictor(Scope scope) override {
    return *of(scope).predictor;
  }

  void keep_fit(std::optional<double> /*log_improvement*/) override {
    kept_turns_ = turn_;
    kept_finds_noise_ = finds_noise_;
  }

  [[nodiscard]] bool finds_noise() const override { return kept_finds_noise_; }

  void observe_prediction(const PredictionFeedback& feedback) override {
    if (!usage_.calibrates) return;
    dual_.observe_utility(delta_ - (feedback.calibration_loss > 0.0 ? 1.0 : 0.0));
  }

  [[nodiscard]] GameState game() const override {
    if (!usage_.calibrates) return {};
    return {.multiplier = dual_.next_element()};
  }

  [[nodiscard]] Index doubles_held() const override {
    Index doubles = 0;
    for (const Model& model : models_) {
      if (model.predictor) doubles += model.predictor->ensemble().doubles_held();
    }
    return doubles;
  }

 private:
  static constexpr double kLargestMultiplier = 1e6;
  // In standard deviations of the observations. The network expects somewhat less noise than this
  // on rough functions without noise.
  static constexpr double kNoticedNoise = 0.4;

  struct Model {
    ModelDescription description;
    std::optional<EnsemblePredictor> predictor;
  };

  [[nodiscard]] Model& of(Scope scope) { return models_[static_cast<std::size_t>(scope)]; }

  void condition(const Observations& observations, bool near_best, Model& model) const {
    ModelDescription& description = model.description;
    description = {.noise_variance = noise_variance_};
    if (usage_.calibrates) description.inflation = dual_.next_element();
    if (near_best) look_near_best(observations, description);
    const learners::ChosenObservations part(observations, description.points);
    const std::vector<Index> context = context_of(part.y());
    const learners::ChosenObservations seen(part.get(), context);
    in_context::EnsembleOptions options = usage_.ensemble;
    if (usage_.needs_ranges) options.ranges = ranges_of(layout_, description.plan);
    model.predictor.emplace(usage_.weights, rows_of(seen.inputs()),
                            std::vector<double>(seen.y().begin(), seen.y().end()), options);
    const prediction::PredictionBatch fitted = moments_at(part.inputs(), *model.predictor);
    description.fitted_means = fitted.means.head(part.y().size());
    if (usage_.predicts_function) {
      description.noise_variance = expected_noise(part.y(), fitted, context);
    }
    describe(seen.y().size(), observations, description);
  }

  /// expected_noise returns the variance of the noise e_i = y_i - f(x_i) that the network expects
  /// in its context: the mean of E[e_i^2 | data] = (y_i - mean_i)^2 + variance_i.
  static double expected_noise(const Vector& y, const prediction::PredictionBatch& fitted,
                               const std::vector<Index>& context) {
    const Index n = y.size();
    const Vector squares =
        (y - fitted.means.head(n)).array().square() + fitted.variances.head(n).array();
    return std::max(prediction::kMinimumVariance,
                    context.empty() ? squares.mean() : squares(context).mean());
  }

  /// context_of returns the observations that the network sees, or nothing if it sees all.
  [[nodiscard]] std::vector<Index> context_of(const Vector& y) const {
    if (!usage_.most_observations || y.size() <= *usage_.most_observations) return {};
    return best_and_even(y, *usage_.most_observations);
  }

  void look_near_best(const Observations& observations, ModelDescription& description) const {
    const Vector sides = Vector::Ones(layout_.parameters());
    std::vector<Index>& points = description.points;
    points = points_near_best(observations, layout_, sides, /*looks_far=*/false);
    const auto most = static_cast<std::size_t>(usage_.most_observations.value_or(points.size()));
    points.resize(std::min(points.size(), most));
    stay_among(points, observations.inputs, layout_, description.plan);
    description.notes.emplace_back("a model of the surroundings of the best point");
  }

  static void describe(Index seen, const Observations& observations,
                       ModelDescription& description) {
    description.notes.push_back(fmt::format("an in-context model that sees {} of {}", seen,
                                            base::counted(observations.y.size(), "observation")));
    if (!observations.known_noise.empty()) {
      description.notes.emplace_back("the network does not see the variances that were told");
    }
  }

  static prediction::PredictionBatch moments_at(const gp::Inputs& inputs,
                                                EnsemblePredictor& predictor) {
    prediction::PredictionBatch batch;
    batch.resize(inputs.size(), inputs.dimension());
    for (Index i = 0; i < inputs.size(); ++i) {
      for (Index k = 0; k < inputs.dimension(); ++k) batch.points(i, k) = inputs.X()(i, k);
    }
    predictor.at_batch(batch);
    return batch;
  }

  gp::Layout layout_;
  Usage usage_;
  double noise_variance_;
  double delta_;
  online::OnlineMirrorDescent dual_;  // the multiplier of the variance that is shown
  int kept_turns_ = 0;                // fits that were kept
  int turn_ = 0;                      // the number of the last fit among them, if it is kept
  bool kept_finds_noise_ = false;     // in the last of these that saw the whole box
  bool finds_noise_ = false;          // the same, if the last fit is kept
  std::array<Model, 2> models_;       // by Scope
};

}  // namespace

std::unique_ptr<ModelStrategy> make_tabicl_strategy(const Config& config, const gp::Layout& layout,
                                                    std::uint64_t /*seed*/) {
  const auto& weights = config.get<in_context::LoadedWeights>().weights;
  if (weights == nullptr) {
    throw Error(ErrorCode::invalid_value, "tabicl.weights",
                "the weights are not loaded; call load_weights (oscbo/weights.hpp) first");
  }
  const auto members = static_cast<std::size_t>(config.get<in_context::TabiclOptions>().members);
  return std::make_unique<InContextStrategy>(
      config, layout, Usage{.weights = weights, .ensemble = {.members = members}});
}

std::unique_ptr<ModelStrategy> make_pfn_strategy(const Config& config, const gp::Layout& layout,
                                                 std::uint64_t /*seed*/) {
  const auto& options = config.get<in_context::PfnOptions>();
  return std::make_unique<InContextStrategy>(
      config, layout,
      Usage{.weights = in_context::embedded_weights(),
            .ensemble = {.members = static_cast<std::size_t>(options.members), .adds_tails = true},
            .needs_ranges = true,
            .most_observations = options.context,
            .near_best_every = options.near_best_every,
            .predicts_function = true,
            .calibrates = true});
}

}  // namespace oscbo::model
