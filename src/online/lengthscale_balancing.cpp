#include "online/lengthscale_balancing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "online/balancing_options.hpp"
#include "online/growth.hpp"
#include "online/schedule_options.hpp"
#include "online/width_options.hpp"

namespace oscbo::online {
namespace {

/// Returns log(exp(a) + exp(b)). At most one of a and b may be -infinity.
double log_of_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

double mean_reward(const Candidate& candidate, const Vector& rewards) {
  double sum = 0.0;
  for (const Index point : candidate.points) sum += rewards[point];
  return sum / candidate.count();
}

}  // namespace

LengthscaleBalancing::LengthscaleBalancing(const Config& config, std::optional<double> nu,
                                           Index dimension, double theta_0)
    : config_(config),
      nu_(nu),
      dimension_(static_cast<double>(dimension)),
      theta_0_(std::max(theta_0, config.get<ScheduleOptions>().floor)),
      candidates_{{.theta = theta_0_}} {}

double LengthscaleBalancing::next_lengthscale() const {
  const auto regret_of_next_play = [&](const Candidate& candidate) {
    return log_suspected_regret(candidate.theta, candidate.count() + 1.0);
  };
  const auto least = std::min_element(candidates_.begin(), candidates_.end(),
                                      [&](const Candidate& a, const Candidate& b) {
                                        return regret_of_next_play(a) < regret_of_next_play(b);
                                      });
  return least->theta;
}

void LengthscaleBalancing::complete_round(const Play& play, const Vector& rewards) {
  ++rounds_;
  give_to_candidate(play);
  eliminate(rewards);
  add();
}

double LengthscaleBalancing::log_suspected_regret(double theta, double T) const {
  const double d = dimension_;
  const bool rbf =
      !nu_ || config_.get<BalancingOptions>().regret_form == BalancingOptions::RegretForm::rbf;
  const double log_horizon = std::log(T);
  double log_gamma = -d * std::log(theta);
  if (rbf) {
    log_gamma += (d + 1.0) * std::log(log_horizon);
  } else {
    const double two_nu = 2.0 * *nu_;
    const double pairs = d * (d + 1.0);
    log_gamma +=
        pairs / (two_nu + pairs) * log_horizon + two_nu / (two_nu + d) * std::log(log_horizon);
  }
  // sqrt(T) sqrt(gamma) (B + sqrt(gamma))
  return 0.5 * (log_horizon + log_gamma) + log_of_sum(std::log(norm_bound(theta)), 0.5 * log_gamma);
}

double LengthscaleBalancing::norm_bound(double theta) const {
  const double exponent = config_.get<BalancingOptions>().norm_inflation ? 0.5 * dimension_ : 0.0;
  return inflated_norm(config_.get<WidthOptions>().norm_bound, theta_0_ / theta, exponent);
}

void LengthscaleBalancing::give_to_candidate(const Play& play) {
  const auto played =
      std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& candidate) {
        return candidate.theta == play.theta;  // exact: next_lengthscale returned it
      });
  if (played == candidates_.end()) return;
  played->points.push_back(play.point);
  played->sum_of_widths += play.width;
}

// Elimination starts once every candidate has been played. Let L(theta) = mean reward - sqrt(xi_t /
// |S|), and let W(theta) be the mean width. Then theta stays if
//
//   L(theta) + 2 W(theta) >= max L                                       (paper)
//   mean reward + W(theta) + sqrt(xi_t / |S|) >= max L                   (authors' code)
//
// where xi_t = 2 sigma_N^2 log(|Theta_t| pi^2 t^2 / (6 delta)). The maximiser of L always stays.
void LengthscaleBalancing::eliminate(const Vector& rewards) {
  if (std::any_of(candidates_.begin(), candidates_.end(),
                  [](const Candidate& candidate) { return candidate.points.empty(); })) {
    return;
  }
  const double t = rounds_;
  const double xi = 2.0 * config_.noise_variance *
                    std::log(static_cast<double>(candidates_.size()) * std::numbers::pi *
                             std::numbers::pi * t * t / (6.0 * config_.delta));
  const auto slack = [&](const Candidate& candidate) { return std::sqrt(xi / candidate.count()); };
  const auto lower_bound = [&](const Candidate& candidate) {
    return mean_reward(candidate, rewards) - slack(candidate);
  };
  const bool as_printed =
      config_.get<BalancingOptions>().elimination == BalancingOptions::Elimination::paper;
  const auto upper_bound = [&](const Candidate& candidate) {
    const double mean_width = candidate.sum_of_widths / candidate.count();
    return as_printed ? lower_bound(candidate) + 2.0 * mean_width
                      : mean_reward(candidate, rewards) + mean_width + slack(candidate);
  };

  double best = lower_bound(candidates_.front());
  for (const Candidate& candidate : candidates_) best = std::max(best, lower_bound(candidate));
  std::erase_if(candidates_,
                [&](const Candidate& candidate) { return upper_bound(candidate) < best; });
}

void LengthscaleBalancing::add() {
  while (is_admissible(grid(last_index_ + 1))) {
    candidates_.push_back({.theta = grid(++last_index_)});
    if (config_.get<BalancingOptions>().add_per_round == BalancingOptions::AddCount::one) return;
  }
}

/// q(i) = theta_0 exp(-i/d). For Matern kernels, the authors' code has 1/(d + 2 nu) in place of
/// 1/d.
double LengthscaleBalancing::grid(int index) const {
  const bool finer = nu_ && config_.get<BalancingOptions>().grid == BalancingOptions::Grid::code;
  const double steps_per_e = finer ? dimension_ + 2.0 * *nu_ : dimension_;
  return theta_0_ * std::exp(-index / steps_per_e);
}

bool LengthscaleBalancing::is_admissible(double theta) const {
  if (theta < config_.get<ScheduleOptions>().floor) return false;
  const auto& balancing = config_.get<BalancingOptions>();
  const double shortest = theta_0_ / balancing_growth(balancing.start_rounds, rounds_);
  return balancing.add_rule == BalancingOptions::AddRule::schedule ? theta >= shortest
                                                                   : theta <= shortest;
}

}  // namespace oscbo::online
