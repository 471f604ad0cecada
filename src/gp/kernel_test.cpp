#include "gp/kernel.hpp"

#include <cmath>

#include <Eigen/Dense>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include "gp/gp_test_support.hpp"

namespace oscbo::gp {
namespace {

/// The absolute error of values far below 1, which are sums of positive terms of at most 1.
constexpr double kRounding = 1e-15;

struct PhiPsi {
  double phi;
  double psi;
};

PhiPsi profile_at(const RadialProfile& profile, double r) {
  alignas(64) std::array<double, numeric::kLanes> value{};
  alignas(64) std::array<double, numeric::kLanes> slope{};
  value.fill(r);
  profile.evaluate(value.data(), slope.data(), numeric::kLanes);
  return {.phi = value[0], .psi = slope[0]};
}

/// 2^(1-nu) / Gamma(nu) s^nu K_nu(s), and psi = 2 nu 2^(1-nu) / Gamma(nu) s^(nu-1) K_(nu-1)(s).
PhiPsi bessel(double nu, double r) {
  const double s = std::sqrt(2.0 * nu) * r;
  const double c = std::pow(2.0, 1.0 - nu) / boost::math::tgamma(nu);
  return {.phi = c * std::pow(s, nu) * boost::math::cyl_bessel_k(nu, s),
          .psi = 2.0 * nu * c * std::pow(s, nu - 1.0) *
                 boost::math::cyl_bessel_k(std::abs(nu - 1.0), s)};
}

const std::vector<double>& distances() {
  static const std::vector<double> list{1e-6, 1e-3, 0.03, 0.2, 0.7, 1.0, 2.5, 6.0, 15.0};
  return list;
}

TEST(MaternOfAnySmoothness, AgreesWithTheClosedForms) {
  const std::pair<double, KernelShape> closed[] = {
      {0.5, KernelShape::matern12}, {1.5, KernelShape::matern32}, {2.5, KernelShape::matern52}};
  for (const auto& [nu, shape] : closed) {
    const RadialProfile mixture = RadialProfile::matern_mixture(nu);
    EXPECT_NEAR(profile_at(mixture, 0.0).phi, 1.0, 1e-14);
    for (const double r : distances()) {
      const PhiPsi expected = profile_at(RadialProfile(shape), r);
      const PhiPsi ours = profile_at(mixture, r);
      EXPECT_NEAR(ours.phi, expected.phi, 1e-12 * expected.phi + kRounding)
          << "nu " << nu << " r " << r;
      EXPECT_NEAR(ours.psi, expected.psi, 1e-12 * expected.psi + kRounding)
          << "nu " << nu << " r " << r;
    }
  }
}

TEST(MaternOfAnySmoothness, AgreesWithTheBesselFunction) {
  for (const double nu :
       {0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.8, 1.0, 1.2, 2.0, 2.2, 3.0, 3.5, 7.3, 20.0, 60.0}) {
    const RadialProfile profile = RadialProfile::matern(nu);
    for (const double r : {0.03, 0.2, 0.7, 1.0, 2.5, 6.0}) {
      const PhiPsi expected = bessel(nu, r);
      const PhiPsi ours = profile_at(profile, r);
      EXPECT_NEAR(ours.phi, expected.phi, 1e-12 * std::abs(expected.phi) + kRounding)
          << nu << " r " << r;
      EXPECT_NEAR(ours.psi, expected.psi, 1e-12 * std::abs(expected.psi) + kRounding)
          << nu << " r " << r;
    }
  }
}

TEST(MaternOfAnySmoothness, IsOneAtDistanceZeroWithAFiniteSlope) {
  for (const double nu : {0.01, 0.05, 0.1, 0.15, 0.3, 1.0, 2.2, 60.0, 1e5}) {
    const PhiPsi zero = profile_at(RadialProfile::matern(nu), 0.0);
    EXPECT_NEAR(zero.phi, 1.0, 1e-13) << nu;
    EXPECT_GT(zero.psi, 0.0);
    EXPECT_TRUE(std::isfinite(zero.psi)) << nu;
  }
}

TEST(MaternOfAnySmoothness, DoesNotDependOnTheOtherDistancesInThePacket) {
  for (const double nu : {0.01, 0.1, 0.15, 0.3, 1.7, 60.0}) {
    const RadialProfile profile = RadialProfile::matern(nu);
    for (const double beside : {0.0, 1e-9, 0.5, 50.0}) {
      for (const double r : distances()) {
        alignas(64) std::array<double, numeric::kLanes> value{};
        alignas(64) std::array<double, numeric::kLanes> slope{};
        value.fill(beside);
        value.back() = r;
        profile.evaluate(value.data(), slope.data(), numeric::kLanes);
        const PhiPsi alone = profile_at(profile, r);
        EXPECT_EQ(value.back(), alone.phi) << "nu " << nu << " r " << r;
        EXPECT_EQ(slope.back(), alone.psi) << "nu " << nu << " r " << r;
      }
    }
  }
}

TEST(MaternOfAnySmoothness, TendsToRbf) {
  // phi_nu(r) - exp(-r^2/2) = O(1/nu), so ten times the smoothness has a tenth of the difference
  // (except at r = 2, where the first term of the expansion vanishes).
  for (const double r : {0.3, 1.0, 1.5, 3.0}) {
    const double rbf = std::exp(-0.5 * r * r);
    double previous = profile_at(RadialProfile::matern(100.0), r).phi - rbf;
    for (const double nu : {1e3, 1e4, 1e5}) {
      const double difference = profile_at(RadialProfile::matern(nu), r).phi - rbf;
      EXPECT_NEAR(difference / previous, 0.1, 0.005) << "nu " << nu << " r " << r;
      previous = difference;
    }
  }
}

TEST(MaternOfAnySmoothness, UsesTheClosedFormsIfTheyExist) {
  for (const double r : distances()) {
    EXPECT_EQ(profile_at(RadialProfile::matern(2.5), r).phi,
              profile_at(RadialProfile(KernelShape::matern52), r).phi);
  }
}

/// Tells whether K + noise I is positive definite for 500 random points. The noise is 1e-8 times
/// the largest diagonal entry.
bool is_positive_definite(const KernelOptions& config, const Vector& theta) {
  constexpr Index kPoints = 500;
  constexpr Index kDimension = 3;
  numeric::RandomStream stream(1, numeric::Purpose::initial_design, 9);
  Inputs inputs(kDimension, kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    inputs.append(std::vector{stream.uniform(), stream.uniform(), stream.uniform()});
  }
  PaddedMatrix K(kPoints, kPoints);
  make_kernel(config, Layout::plain(kDimension))->matrix(inputs, theta, K);
  test::Matrix dense(kPoints, kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    for (Index j = 0; j <= i; ++j) dense(i, j) = dense(j, i) = K(i, j);
  }
  dense.diagonal().array() += 1e-8 * dense.diagonal().maxCoeff();
  return Eigen::LLT<test::Matrix>(dense).info() == Eigen::Success;
}

TEST(KernelMatrix, IsPositiveDefiniteWithALittleNoise) {
  std::vector<KernelOptions> configs{{.family = KernelOptions::Family::rbf}};
  for (const double nu : {0.3, 0.5, 1.0, 1.5, 2.5, 4.2, 50.0}) configs.push_back({.nu = nu});
  for (const KernelOptions& config : configs) {
    for (const double theta : {0.05, 0.5, 5.0}) {
      EXPECT_TRUE(is_positive_definite(config, Vector::Constant(1, theta)))
          << "nu " << config.nu << " theta " << theta;
    }
  }
}

TEST(KernelMatrix, OfANetworkIsPositiveDefiniteWithALittleNoise) {
  // The kernel of deep networks hardly decays with the distance, so its matrices are the hardest.
  for (const KernelOptions::Activation activation :
       {KernelOptions::Activation::relu, KernelOptions::Activation::erf}) {
    for (const int depth : {1, 3, 10}) {
      for (const Vector& theta : {Vector{{0.7, 10.0}}, Vector{{10.0, 1.3}}, Vector{{10.0, 0.01}}}) {
        EXPECT_TRUE(is_positive_definite(
            {.family = KernelOptions::Family::network, .depth = depth, .activation = activation},
            theta))
            << "activation " << static_cast<int>(activation) << " depth " << depth << " theta "
            << theta.transpose();
      }
    }
  }
}

}  // namespace
}  // namespace oscbo::gp
