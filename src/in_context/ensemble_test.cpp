#include "in_context/ensemble.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "in_context/in_context_test_support.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

using nlohmann::json;

Rows<double> matrix_of(const json& values) {
  const auto rows = values.get<std::vector<std::vector<double>>>();
  Rows<double> matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), matrix.row(static_cast<Index>(i)));
  }
  return matrix;
}

double largest_difference(const std::vector<double>& a, const json& b) {
  const auto expected = b.get<std::vector<double>>();
  if (a.size() != expected.size()) return HUGE_VAL;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - expected[i]));
  }
  return worst;
}

class EnsembleReference : public ReferenceTest {
 protected:
  /// Calls check(case) for each case, with a message that names it.
  template <class Check>
  void for_each_case(const Check& check) const {
    const json reference = parsed("wrapper_cases.json");
    for (const json& one : reference.at("cases")) {
      SCOPED_TRACE(one.at("name").get<std::string>());
      check(one);
    }
    EXPECT_EQ(reference.at("cases").size(), 14U);
  }

  [[nodiscard]] static EnsembleOptions options_of(const json& one) {
    return {.members = one.at("n_estimators").get<std::size_t>(), .adds_tails = false};
  }

  /// Returns the largest errors of the means and variances of a case, averages and members.
  template <class Scalar>
  [[nodiscard]] static double moment_error(const std::shared_ptr<const Weights<Scalar>>& weights,
                                           const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Rows<double> query = matrix_of(one.at("X_query"));
    const Ensemble<Scalar> ensemble(weights, matrix_of(one.at("X_context")), y, options_of(one));
    EXPECT_EQ(ensemble.members(), one.at("members").size());
    const EnsembleMoments moments = ensemble.moments(query);
    double worst = std::max(largest_difference(moments.means, one.at("mean")),
                            largest_difference(moments.variances, one.at("variance")));
    for (const json& reference : one.at("members")) {
      const EnsembleMoments member = ensemble.member_moments(position(one, reference), query);
      worst = std::max({worst, largest_difference(member.means, reference.at("mean")),
                        largest_difference(member.variances, reference.at("variance"))});
    }
    const double scale = one.at("y_scale").get<double>();
    return worst / std::max(1.0, scale * scale);
  }

  static void print(const json& one, const std::string& what, double error) {
    if (std::getenv("OSCBO_SHOW_ERRORS") == nullptr) return;
    std::cout << one.at("name").get<std::string>() << ": " << what << ' ' << error << '\n';
  }

 private:
  /// Returns which of our members has the view of a member of the reference.
  [[nodiscard]] static std::size_t position(const json& one, const json& member) {
    std::size_t kept = 0;
    for (const json& is_kept : one.at("kept_columns")) kept += is_kept.get<bool>() ? 1 : 0;
    const auto views = member_views(kept, one.at("n_estimators").get<std::size_t>());
    const Normalisation normalisation =
        member.at("norm") == "power" ? Normalisation::power : Normalisation::none;
    const auto order = member.at("permutation").get<FeatureOrder>();
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (views[i].normalisation == normalisation && views[i].order == order) return i;
    }
    ADD_FAILURE() << "no member has this view: " << member.at("permutation");
    return 0;
  }
};

// The wrapper rounds to single precision after the subtraction and again after the division, we
// only once. So values may differ in the last place.
TEST_F(EnsembleReference, ScalesTargetsAsTheWrapper) {
  for_each_case([](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const auto expected = one.at("y_standardised").get<std::vector<float>>();
    const TargetScale scale(y, /*rounds_first=*/true);
    EXPECT_NEAR(scale.mean(), one.at("y_mean").get<double>(), 1e-10);
    EXPECT_NEAR(scale.scale(), one.at("y_scale").get<double>(), 1e-10);
    ASSERT_EQ(expected.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float place = std::nextafter(std::abs(expected[i]), HUGE_VALF) - std::abs(expected[i]);
      EXPECT_LE(std::abs(scale.standardised(y[i]) - expected[i]), place) << i;
    }
  });
}

// The exponent maximises a function that is flat there, and the wrapper uses another search. So its
// exponents are good to 1e-5 only, and features with powers to 1e-6.
TEST_F(EnsembleReference, ScalesFeaturesAsTheWrapper) {
  for_each_case([](const json& one) {
    const Rows<double> X = matrix_of(one.at("X_context"));
    const Rows<double> query = matrix_of(one.at("X_query"));
    const std::vector<Index> columns = varying_columns(X);
    for (const auto& [norm, reference] : one.at("features").items()) {
      const bool is_power = norm == "power";
      const Rows<double> context = matrix_of(reference.at("X_context"));
      const Rows<double> scaled_query = matrix_of(reference.at("X_query"));
      ASSERT_EQ(static_cast<Index>(columns.size()), context.columns());
      double worst = 0.0;
      double exponents = 0.0;
      const auto compare = [&worst](double a, double b) {
        worst = std::max(worst, std::abs(a - b) / std::max(1.0, std::abs(b)));
      };
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto column = static_cast<Index>(c);
        std::vector<double> values;
        for (Index i = 0; i < X.rows(); ++i) values.push_back(X(i, columns[c]));
        const FeatureScale scale(values, is_power ? Normalisation::power : Normalisation::none);
        for (Index i = 0; i < X.rows(); ++i)
          compare(scale.apply(values[static_cast<std::size_t>(i)]), context(i, column));
        for (Index i = 0; i < query.rows(); ++i)
          compare(scale.apply(query(i, columns[c])), scaled_query(i, column));
        compare(scale.lower(), reference.at("clip_lower").at(c).get<double>());
        compare(scale.upper(), reference.at("clip_upper").at(c).get<double>());
        if (!is_power) continue;
        exponents = std::max(
            exponents, std::abs(scale.exponent() - reference.at("exponents").at(c).get<double>()));
      }
      print(one, "features " + norm, worst);
      if (is_power) print(one, "exponents", exponents);
      EXPECT_LT(worst, is_power ? 1e-6 : 1e-12) << norm;
      EXPECT_LT(exponents, 1e-5);
    }
  });
}

// Half of the members have powers, whose features are good to 1e-6 only.
TEST_F(EnsembleReference, AveragesTheMembersInDoublePrecision) {
  const auto model = weights<double>("tiny");
  for_each_case([&](const json& one) {
    const double error = moment_error<double>(model, one);
    print(one, "moments in double", error);
    EXPECT_LT(error, 1e-6);
  });
}

TEST_F(EnsembleReference, AveragesTheMembersInSinglePrecision) {
  const auto model = weights<float>("tiny");
  for_each_case([&](const json& one) {
    const double error = moment_error<float>(model, one);
    print(one, "moments in float", error);
    EXPECT_LT(error, 1e-5);
  });
}

// The wrapper computes in single precision. It sends variances v in units of the scale s through
// the map of the values: it returns m + s v for our s^2 v.
TEST_F(EnsembleReference, AgreesWithWhatTheWrapperItselfReturns) {
  const auto model = weights<double>("tiny");
  for_each_case([&](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Ensemble<double> ensemble(model, matrix_of(one.at("X_context")), y, options_of(one));
    EnsembleMoments moments = ensemble.moments(matrix_of(one.at("X_query")));
    const double scale = ensemble.target().scale();
    for (double& v : moments.variances) v = ensemble.target().mean() + v / scale;
    const double error =
        std::max(largest_difference(moments.means, one.at("upstream_mean")),
                 largest_difference(moments.variances, one.at("upstream_variance_output")));
    print(one, "values of the wrapper", error / scale);
    EXPECT_LT(error, 1e-5 * scale);
  });
}

TEST_F(EnsembleReference, HasTheGradientsOfItsDifferences) {
  constexpr double kStep = 1e-7;
  const auto model = weights<double>("tiny");
  for_each_case([&](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Ensemble<double> ensemble(model, matrix_of(one.at("X_context")), y, {});
    Rows<double> query = matrix_of(one.at("X_query"));
    const EnsembleMoments moments = ensemble.moments_with_gradients(query);
    EXPECT_EQ(moments.means, ensemble.moments(query).means);
    EXPECT_EQ(moments.variances, ensemble.moments(query).variances);
    const double scale = std::max(1.0, ensemble.target().scale());
    for (Index j = 0; j < query.columns(); ++j) {
      Rows<double> above = query;
      Rows<double> below = query;
      for (Index i = 0; i < query.rows(); ++i) {
        above(i, j) += kStep;
        below(i, j) -= kStep;
      }
      const EnsembleMoments high = ensemble.moments(above);
      const EnsembleMoments low = ensemble.moments(below);
      for (std::size_t i = 0; i < moments.means.size(); ++i) {
        const auto row = static_cast<Index>(i);
        const double mean = (high.means[i] - low.means[i]) / (2.0 * kStep);
        const double variance = (high.variances[i] - low.variances[i]) / (2.0 * kStep);
        EXPECT_NEAR(moments.mean_gradients(row, j), mean, 1e-6 * scale);
        EXPECT_NEAR(moments.variance_gradients(row, j), variance, 1e-6 * scale * scale);
      }
    }
  });
}

void expect_same_bits(const EnsembleMoments& a, const EnsembleMoments& b) {
  EXPECT_EQ(a.means, b.means);
  EXPECT_EQ(a.variances, b.variances);
  ASSERT_EQ(a.mean_gradients.size(), b.mean_gradients.size());
  for (Index i = 0; i < a.mean_gradients.size(); ++i) {
    EXPECT_EQ(a.mean_gradients.data()[i], b.mean_gradients.data()[i]);
    EXPECT_EQ(a.variance_gradients.data()[i], b.variance_gradients.data()[i]);
  }
}

TEST_F(EnsembleReference, GivesTheSameBitsOnAnyNumberOfThreads) {
  const auto model = weights<float>("tiny");
  for_each_case([&](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Rows<double> X = matrix_of(one.at("X_context"));
    const auto predicted = [&](int threads) {
      const numeric::ThreadLimit limit(threads);
      return Ensemble<float>(model, X, y, {}).moments_with_gradients(X);
    };
    expect_same_bits(predicted(3), predicted(1));
  });
}

TEST_F(EnsembleReference, GivesTheSameBitsForARowAloneAndInABatch) {
  const auto model = weights<float>("tiny");
  for_each_case([&](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Rows<double> X = matrix_of(one.at("X_context"));
    const Ensemble<float> ensemble(model, X, y, {});
    const EnsembleMoments together = ensemble.moments_with_gradients(X);
    EnsembleMoments alone = together;
    for (Index i = 0; i < X.rows(); ++i) {
      Rows<double> row(1, X.columns());
      std::copy_n(X.row(i), X.columns(), row.data());
      const EnsembleMoments here = ensemble.moments_with_gradients(row);
      alone.means[static_cast<std::size_t>(i)] = here.means[0];
      alone.variances[static_cast<std::size_t>(i)] = here.variances[0];
      std::copy_n(here.mean_gradients.data(), X.columns(), alone.mean_gradients.row(i));
      std::copy_n(here.variance_gradients.data(), X.columns(), alone.variance_gradients.row(i));
    }
    expect_same_bits(alone, together);
  });
}

/// Returns the error of a case whose context comes in the reverse order.
template <class Scalar>
double change_of_reversed_context(const std::shared_ptr<const Weights<Scalar>>& model,
                                  const json& one) {
  json reversed = one;
  std::reverse(reversed.at("X_context").begin(), reversed.at("X_context").end());
  std::reverse(reversed.at("y_context").begin(), reversed.at("y_context").end());
  const auto predicted = [&](const json& context) {
    const auto y = context.at("y_context").get<std::vector<double>>();
    return Ensemble<Scalar>(model, matrix_of(context.at("X_context")), y, {})
        .moments(matrix_of(one.at("X_query")));
  };
  const EnsembleMoments a = predicted(one);
  const EnsembleMoments b = predicted(reversed);
  const double scale = std::max(1.0, one.at("y_scale").get<double>());
  return std::max(largest_difference(a.means, b.means) / scale,
                  largest_difference(a.variances, b.variances) / (scale * scale));
}

// Sums over the context are rounded in another order, and the search for an exponent may stop
// elsewhere on its flat function.
TEST_F(EnsembleReference, DoesNotDependOnTheOrderOfTheContext) {
  const auto exact = weights<double>("tiny");
  const auto single = weights<float>("tiny");
  for_each_case([&](const json& one) {
    const double error = change_of_reversed_context<double>(exact, one);
    const double error_in_float = change_of_reversed_context<float>(single, one);
    print(one, "reversed context in double", error);
    print(one, "reversed context in float", error_in_float);
    EXPECT_LT(error, 1e-6);
    EXPECT_LT(error_in_float, 1e-6);
  });
}

TEST_F(EnsembleReference, GivesIncreasingQuantilesWithTheSameMean) {
  const auto model = weights<double>("tiny");
  for_each_case([&](const json& one) {
    const auto y = one.at("y_context").get<std::vector<double>>();
    const Ensemble<double> ensemble(model, matrix_of(one.at("X_context")), y, {});
    const Rows<double> query = matrix_of(one.at("X_query"));
    const Rows<double> quantiles = ensemble.quantiles(query);
    const EnsembleMoments moments = ensemble.moments(query);
    for (Index i = 0; i < quantiles.rows(); ++i) {
      EXPECT_TRUE(std::is_sorted(quantiles.row(i), quantiles.row(i) + quantiles.columns()));
      EXPECT_NEAR(moments_of(quantiles.row(i), quantiles.columns()).mean,
                  moments.means[static_cast<std::size_t>(i)], 1e-9);
    }
  });
}

TEST(MemberViews, AreOneInTheOwnOrderOrPairs) {
  ASSERT_EQ(member_views(3, 1).size(), 1U);
  EXPECT_EQ(member_views(3, 1).front().order, (FeatureOrder{0, 1, 2}));
  EXPECT_EQ(member_views(1, 8).size(), 2U);
  EXPECT_EQ(member_views(2, 8).size(), 4U);
  EXPECT_EQ(member_views(3, 8).size(), 6U);
  EXPECT_EQ(member_views(4, 8).size(), 8U);
  EXPECT_EQ(member_views(20, 5).size(), 5U);
}

// Computed with scipy for the specification.
TEST(NormalQuantileVariance, IsBelowOneAndGrowsWithTheNumberOfQuantiles) {
  EXPECT_NEAR(normal_quantile_variance(999), 0.9890, 5e-5);
  EXPECT_NEAR(normal_quantile_variance(199), 0.9597, 5e-5);
  EXPECT_NEAR(normal_quantile_variance(99), 0.9316, 5e-5);
}

TEST(MomentsOf, DivideByOneLessThanTheNumber) {
  const std::vector<float> quantiles{1.0F, 2.0F, 6.0F};
  EXPECT_DOUBLE_EQ(moments_of(quantiles.data(), 3).mean, 3.0);
  EXPECT_DOUBLE_EQ(moments_of(quantiles.data(), 3).variance, 7.0);
}

}  // namespace
}  // namespace oscbo::in_context
