#include "model/success_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gp/kernel_options.hpp"
#include "learners/prior_options.hpp"
#include "model/registry.hpp"
#include "numeric/normal.hpp"
#include "oscbo/error.hpp"

namespace oscbo::model {

using gp::Index;
using gp::Moments;
using gp::ProbitSite;
using numeric::Vector;

namespace {

// The standard deviation of f. It is large because most evaluations that fail would fail again.
constexpr double kScale = 3.0;

/// settings returns the same configuration for all methods, because no method has settings for
/// failures. Its kernel suits a sudden change from success to failure along some parameters, and no
/// change along others.
Config settings() {
  Config config;
  config.learner = "auto";
  model_of(config).compose(config);
  config.edit<gp::KernelOptions>().additive = false;
  config.edit<gp::KernelOptions>().nu = 1.5;
  config.edit<learners::PriorOptions>().location = 0.5;
  config.edit<learners::PriorOptions>().scale = 1.0;
  config.edit<learners::PriorOptions>().deviation = 3.0;
  return config;
}

/// The sites as observations with noise, for a model of (f - location) / scale.
struct SiteObservations {
  SiteObservations(const std::vector<ProbitSite>& sites, const gp::Affine& units)
      : z(static_cast<Index>(sites.size())) {
    for (std::size_t i = 0; i < sites.size(); ++i) {
      z[static_cast<Index>(i)] = (sites[i].mean - units.location) / units.scale;
      noise.push_back(sites[i].variance / (units.scale * units.scale));
    }
  }

  Vector z;
  std::vector<double> noise = {};
};

/// between returns the site `share` of the way between two sites, in terms of their precisions.
ProbitSite between(const ProbitSite& from, const ProbitSite& to, double share) {
  const double variance = 1.0 / ((1.0 - share) / from.variance + share / to.variance);
  const double shift = (1.0 - share) * from.mean / from.variance + share * to.mean / to.variance;
  return {.mean = variance * shift, .variance = variance};
}

}  // namespace

SuccessModel::SuccessModel(const gp::Layout& layout)
    : parameters_(layout.parameters()),
      mode_(settings(), layout, AffinePart::none),
      inputs_(layout.columns()),
      model_(gp::make_kernel(settings().get<gp::KernelOptions>(), layout),
             settings().noise_variance) {}

void SuccessModel::add(std::span<const double> columns, bool succeeded) {
  evaluations_.push_back({{columns.begin(), columns.end()}, succeeded});
  failures_ += succeeded ? 0 : 1;
}

// The slope of the evidence in the hyperparameters assumes fixed sites, so fit alternates between
// hyperparameters and sites. Sites that still move after many sweeps are accepted as they are.
void SuccessModel::fit() {
  constexpr int kTurns = 2;
  constexpr int kMostSweeps = 20;
  constexpr double kSmallestChange = 1e-3;
  look_at_latest();
  units_ = units_of_usual_rate();
  for (int turn = 0; turn < kTurns; ++turn) {
    fit_hyperparameters();
    condition();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      const double change = match_sites();
      condition();
      if (change < kSmallestChange) break;
    }
  }
}

/// look_at_latest chooses the evaluations to use. Each starts with the site that it would have
/// alone.
void SuccessModel::look_at_latest() {
  constexpr std::size_t kMost = 200;
  inputs_ = gp::Inputs(inputs_.dimension());
  succeeded_.clear();
  sites_.clear();
  const std::size_t total = evaluations_.size();
  // Successes and failures have half of the places each. Either may also take the places that the
  // other leaves free.
  const std::size_t excess = total - std::min(total, kMost);
  const std::size_t failures_beyond_half = failures_ - std::min(failures_, kMost / 2);
  std::size_t skipped_failures = std::min(excess, failures_beyond_half);
  std::size_t skipped_successes = excess - skipped_failures;
  for (const Evaluation& evaluation : evaluations_) {
    std::size_t& skipped = evaluation.succeeded ? skipped_successes : skipped_failures;
    if (skipped > 0) {
      --skipped;
      continue;
    }
    inputs_.append(evaluation.columns);
    succeeded_.push_back(evaluation.succeeded);
    sites_.push_back(gp::probit_site({.mean = 0.0, .variance = 1.0}, evaluation.succeeded));
  }
}

/// units_of_usual_rate returns units in which, far from all evaluations, the probability of success
/// is the rate so far: Phi(location / sqrt(1 + scale^2)).
gp::Affine SuccessModel::units_of_usual_rate() const {
  const auto total = static_cast<double>(evaluations_.size());
  const double rate = (total - static_cast<double>(failures_) + 1.0) / (total + 2.0);
  return {.location = std::sqrt(1.0 + kScale * kScale) * numeric::normal_quantile(rate),
          .scale = kScale};
}

void SuccessModel::fit_hyperparameters() {
  const SiteObservations data(sites_, units_);
  Vector log_theta;
  theta_ = mode_
               .find({.inputs = inputs_, .y = data.z, .known_noise = data.noise},
                     Vector::Ones(parameters_), log_theta)
               .theta;
}

/// match_sites moves all sites at once towards the values that match the other sites. It moves them
/// only most of the way, so that they do not overshoot. It returns the largest move of a site, in
/// its standard deviations.
double SuccessModel::match_sites() {
  constexpr double kShare = 0.7;
  const double scale = units_.scale;
  const std::vector<Moments> left_out = model_.leave_one_out();
  double farthest = 0.0;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const double variance = scale * scale * left_out[i].variance - sites_[i].variance;
    const Moments others{.mean = units_.location + scale * left_out[i].mean,
                         .variance = std::max(variance, gp::kMinimumVariance)};
    const ProbitSite site = between(sites_[i], gp::probit_site(others, succeeded_[i]), kShare);
    const double sd = std::sqrt(site.variance);
    farthest = std::max({farthest, std::abs(site.mean - sites_[i].mean) / sd,
                         std::abs(std::sqrt(sites_[i].variance) / sd - 1.0)});
    sites_[i] = site;
  }
  return farthest;
}

void SuccessModel::condition() {
  const SiteObservations data(sites_, units_);
  if (!model_.fit(inputs_, data.z, theta_, std::nullopt, 0, data.noise).ok) {
    throw Error(ErrorCode::internal, "lengthscales", "the kernel matrix cannot be factorized");
  }
}

// The mean of Phi(f) is Phi(E f / sqrt(1 + var f)).
double SuccessModel::log_probability(std::span<const double> columns) {
  const Moments moments = model_.at(columns);
  const double mean = units_.location + units_.scale * moments.mean;
  return numeric::log_normal_cdf(mean /
                                 std::sqrt(1.0 + units_.scale * units_.scale * moments.variance));
}

}  // namespace oscbo::model
