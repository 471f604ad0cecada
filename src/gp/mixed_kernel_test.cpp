#include "gp/mixed_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "gp/additive_kernel.hpp"
#include "gp/kernel_checks_test_support.hpp"
#include "gp/kernel_options.hpp"

namespace oscbo::gp {
namespace {

using numeric::RandomStream;
using test::view;

constexpr std::uint64_t kCategories = 3;

/// One to five parameters of any kind, not all of them numeric.
std::vector<ParameterShape> random_shapes(RandomStream& stream) {
  std::vector<ParameterShape> shapes{
      {stream.below(2) == 0 ? ParameterKind::categorical : ParameterKind::conditional}};
  const std::size_t further = stream.below(5);
  for (std::size_t i = 0; i < further; ++i) {
    shapes.push_back({static_cast<ParameterKind>(stream.below(3))});
  }
  std::swap(shapes.front(), shapes[stream.below(shapes.size())]);
  return shapes;
}

Vector random_point(const Layout& layout, RandomStream& stream) {
  Vector x = Vector::Zero(layout.columns());
  for (Index p = 0; p < layout.parameters(); ++p) {
    const double u = stream.uniform();
    if (layout[p].is_categorical) {
      x[layout[p].first] = static_cast<double>(stream.below(kCategories));
    } else if (layout[p].is_plain()) {
      x[layout[p].first] = u;
    } else if (stream.below(kCategories) > 0) {  // otherwise it is inactive
      x.segment(layout[p].first, 2) << std::cos(u), std::sin(u);
    }
  }
  return x;
}

test::Matrix random_points(const Layout& layout, Index count, RandomStream& stream) {
  test::Matrix X(count, layout.columns());
  for (Index i = 0; i < count; ++i) X.row(i) = random_point(layout, stream);
  return X;
}

/// |a_p - b_p|, which is 1 or 0 for categories.
double distance_in(const Layout::Parameter& p, const Vector& a, const Vector& b) {
  const double distance = (a - b).segment(p.first, p.columns).norm();
  return p.is_categorical && distance > 0.0 ? 1.0 : distance;
}

double dense_profile(KernelShape shape, double r) {
  return test::dense_kernel(shape, Vector{{r}}, Vector{{0.0}}, Vector{{1.0}});
}

/// A random problem with parameters that are not all numeric. Every second kernel is additive.
struct MixedCase : test::RandomCase {
  explicit MixedCase(std::uint64_t seed)
      : RandomCase(seed),
        stream(seed, numeric::Purpose::initial_design, 80),
        additive(seed % 2 == 1) {
    layout = Layout(random_shapes(stream));
    // Matern-1/2 has no gradient at 0.
    if (shape == KernelShape::matern12) shape = KernelShape::matern52;
    exponent = 2.0;                  // differences of |z| could cross a kink
    noise = std::max(noise, 0.001);  // some points coincide, and less noise would amplify rounding
    data.X = random_points(layout, data.X.rows(), stream);
    x = random_point(layout, stream);
    const Index d = layout.parameters();
    theta = Vector::NullaryExpr(additive ? 2 * d + 1
                                : ard    ? d
                                         : 1,
                                [&] { return 0.15 + 1.5 * stream.uniform(); });
  }

  [[nodiscard]] double joint(const Vector& a, const Vector& b) const {
    double squares = 0.0;
    double factors = 1.0;
    for (Index p = 0; p < layout.parameters(); ++p) {
      const double r = distance_in(layout[p], a, b) / theta[additive || ard ? p : 0];
      if (layout[p].is_categorical) {
        factors *= dense_profile(shape, r);
      } else {
        squares += r * r;
      }
    }
    return factors * dense_profile(shape, std::sqrt(squares));
  }

  [[nodiscard]] double dense(const Vector& a, const Vector& b) const {
    if (!additive) return joint(a, b);
    const Index d = layout.parameters();
    const double w = theta[2 * d];
    double singles = 0.0;
    for (Index p = 0; p < d; ++p) {
      singles += dense_profile(shape, distance_in(layout[p], a, b) / theta[d + p]);
    }
    return (joint(a, b) + w * singles / static_cast<double>(d)) / (1.0 + w);
  }

  [[nodiscard]] Moments dense_moments(Index n, const Vector& at) const {
    return test::dense_moments(
        data, n, noise, [this](const Vector& a, const Vector& b) { return dense(a, b); }, at);
  }

  [[nodiscard]] KernelHandle kernel() const {
    if (additive) return std::make_shared<AdditiveKernel>(RadialProfile(shape), layout);
    return std::make_shared<MixedKernel>(RadialProfile(shape), layout);
  }

  [[nodiscard]] Posterior posterior() const {
    Posterior result(kernel(), noise);
    EXPECT_TRUE(result.fit(data.inputs(), data.y, theta).ok);
    return result;
  }

  [[nodiscard]] PredictionBatch batch(Index count) {
    PredictionBatch result;
    result.resize(count, layout.columns());
    const test::Matrix points = random_points(layout, count, stream);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < layout.columns(); ++k) result.points(i, k) = points(i, k);
    }
    return result;
  }

  RandomStream stream;
  bool additive;
  Layout layout = Layout::plain(0);
  double prior = 1.0;
};

template <class Check>
void for_mixed_cases(Check&& check) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "mixed case " << seed);
    check(MixedCase(seed));
  }
}

TEST(MixedKernel, IsAProductOverTheCategoricalParameters) {
  // By hand: an RBF kernel of a numeric, a categorical and a conditional parameter with
  // lengthscales 1, 2 and 0.5. The conditional one is inactive in the second point.
  const Layout layout(std::vector<ParameterShape>{
      {ParameterKind::numeric}, {ParameterKind::categorical}, {ParameterKind::conditional}});
  Inputs inputs(4);
  inputs.append(std::vector{0.2, 7.0, std::cos(0.3), std::sin(0.3)});
  inputs.append(std::vector{0.6, 3.0, 0.0, 0.0});
  inputs.append(std::vector{0.6, 7.0, std::cos(0.9), std::sin(0.9)});
  PaddedMatrix K(3, 3);
  const KernelHandle kernel =
      make_kernel({.family = KernelOptions::Family::rbf, .ard = true}, layout);
  kernel->matrix(inputs, Vector{{1.0, 2.0, 0.5}}, K);
  EXPECT_NEAR(K(0, 0), 1.0, 1e-15);
  EXPECT_NEAR(K(1, 0), std::exp(-0.16 / 2.0 - 4.0 / 2.0) * std::exp(-0.25 / 2.0), 1e-15);
  EXPECT_NEAR(K(2, 0), std::exp(-0.16 / 2.0 - std::pow(4.0 * std::sin(0.3), 2) / 2.0), 1e-15);
  EXPECT_EQ(kernel->profile(), nullptr);
}

TEST(MixedKernel, HasNoSlopeIfALengthscaleIsTooShortForAnyCovariance) {
  const Layout layout(std::vector<ParameterShape>{{ParameterKind::categorical}});
  Inputs inputs(1);
  for (const double code : {0.0, 1.0, 0.0}) inputs.append({&code, 1});
  LengthscaleObjective objective(make_kernel({.nu = 1.2}, layout), 0.01);
  const Vector y{{1.0, -1.0, 1.1}};
  const ObjectiveTerms terms = likelihood_terms(3);
  objective.set_data(inputs, y);
  objective.set_terms(terms);
  Vector gradient(1);
  EXPECT_TRUE(std::isfinite(objective.value_and_gradient(Vector{{0.01}}, gradient)));
  EXPECT_EQ(gradient[0], 0.0);
}

TEST(MixedObjective, IsTheSumOfOneStepAheadLossesAndItsGradientMatchesDifferences) {
  for_mixed_cases(test::expect_objective_with_gradient<MixedCase>);
}

TEST(MixedPosterior, MatchesADirectEvaluation) {
  for_mixed_cases([](const MixedCase& c) {
    test::expect_dense_moments_at(c, {c.x, c.data.point(0)});
  });
}

// A step in a column of categories leads to a category that no other point has.
TEST(MixedPosterior, GradientsMatchCentralDifferences) {
  for_mixed_cases(test::expect_posterior_gradients<MixedCase>);
}

TEST(MixedPosterior, BatchEqualsOneByOne) {
  for_mixed_cases([](MixedCase c) { test::expect_batch_as_one_by_one(c, c.batch(70)); });
}

TEST(MixedPosterior, DoesNotDependOnTheCodesOfCategories) {
  constexpr std::array<double, kCategories> kOtherCodes{5.0, 0.0, 1.0};
  for_mixed_cases([&](MixedCase c) {
    const Moments before = c.posterior().at(view(c.x));
    for (Index p = 0; p < c.layout.parameters(); ++p) {
      if (!c.layout[p].is_categorical) continue;
      const auto rename = [&](double& code) { code = kOtherCodes[static_cast<std::size_t>(code)]; };
      for (Index i = 0; i < c.size(); ++i) rename(c.data.X(i, c.layout[p].first));
      rename(c.x[c.layout[p].first]);
    }
    const Moments after = c.posterior().at(view(c.x));
    EXPECT_NEAR(after.mean, before.mean, 1e-12);
    EXPECT_NEAR(after.variance, before.variance, 1e-12);
  });
}

/// The case with its parameters in reverse order.
MixedCase reversed(const MixedCase& c) {
  MixedCase other = c;
  const Index d = c.layout.parameters();
  std::vector<ParameterShape> shapes;
  for (Index p = d - 1; p >= 0; --p) {
    shapes.push_back({c.layout[p].is_categorical ? ParameterKind::categorical
                      : c.layout[p].is_plain()   ? ParameterKind::numeric
                                                 : ParameterKind::conditional});
  }
  other.layout = Layout(shapes);
  for (Index p = 0; p < d; ++p) {
    const Layout::Parameter& from = c.layout[p];
    const Layout::Parameter& to = other.layout[d - 1 - p];
    other.data.X.middleCols(to.first, to.columns) = c.data.X.middleCols(from.first, from.columns);
    other.x.segment(to.first, to.columns) = c.x.segment(from.first, from.columns);
    if (c.additive || c.ard) other.theta[d - 1 - p] = c.theta[p];
    if (c.additive) other.theta[2 * d - 1 - p] = c.theta[d + p];
  }
  return other;
}

TEST(MixedPosterior, DoesNotDependOnTheOrderOfParameters) {
  for_mixed_cases([](MixedCase c) {
    c.noise = test::kNoise;
    const Moments before = c.posterior().at(view(c.x));
    const MixedCase other = reversed(c);
    const Moments after = other.posterior().at(view(other.x));
    EXPECT_NEAR(after.mean, before.mean, 1e-12);
    EXPECT_NEAR(after.variance, before.variance, 1e-12);
  });
}

/// The kernel matrix of 60 random points.
test::Matrix random_matrix(const KernelOptions& config, const Layout& layout,
                           RandomStream& stream) {
  constexpr Index kPoints = 60;
  const test::Data data{.X = random_points(layout, kPoints, stream), .y = Vector::Zero(kPoints)};
  const Vector theta = Vector::NullaryExpr(parameter_count(config, layout.parameters()), [&] {
    return std::pow(10.0, -1.5 + 2.5 * stream.uniform());
  });
  PaddedMatrix K(kPoints, kPoints);
  make_kernel(config, layout)->matrix(data.inputs(), theta, K);
  test::Matrix dense(kPoints, kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    for (Index j = 0; j <= i; ++j) dense(i, j) = dense(j, i) = K(i, j);
  }
  return dense;
}

TEST(MixedKernel, IsPositiveDefiniteOnRandomLayouts) {
  std::vector<KernelOptions> profiles{{.family = KernelOptions::Family::rbf}};
  for (const double nu : {0.3, 0.5, 1.5, 2.5, 4.2}) profiles.push_back({.nu = nu});
  RandomStream stream(3, numeric::Purpose::initial_design, 81);
  for (KernelOptions config : profiles) {
    for (int repeat = 0; repeat < 24; ++repeat) {
      config.ard = repeat % 3 > 0;
      config.additive = repeat % 3 == 2;
      const test::Matrix K = random_matrix(config, Layout(random_shapes(stream)), stream);
      const Eigen::SelfAdjointEigenSolver<test::Matrix> eigen(K, Eigen::EigenvaluesOnly);
      EXPECT_GE(eigen.eigenvalues().minCoeff(), -1e-10) << "nu " << config.nu << ", " << repeat;
      const test::Matrix A = K + 1e-10 * test::Matrix::Identity(K.rows(), K.cols());
      EXPECT_EQ(Eigen::LLT<test::Matrix>(A).info(), Eigen::Success)
          << "nu " << config.nu << ", " << repeat;
    }
  }
}

}  // namespace
}  // namespace oscbo::gp
