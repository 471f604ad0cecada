// The lunar lander: a craft falls towards a flat pad between random hills. It has a main engine
// below, an engine on either side and two sprung legs. A controller with twelve weights fires at
// most one engine per step. docs/lander.md describes the task. This file simulates one episode.
//
//   RandomStream stream(seed, Purpose::lander_episode);
//   const Episode episode = fly(weights, [&] { return stream.uniform(); }, kTaskPush);
//
// An episode depends only on its arguments, and episodes may run in parallel. Positions are in
// metres, x to the right and y upwards from the lower left corner of the view.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "oscbo/lander.hpp"

namespace oscbo::lander {

/// Returns the next draw from the uniform distribution on (0, 1). An episode uses 12 draws for the
/// terrain, 2 for the push and 2 per step. These numbers do not depend on the controller, so the
/// noise of a step is the same for all weights.
using UniformDraws = std::function<double()>;

/// The inputs of the controller after a step: position relative to the pad (x, y), velocity (x, y),
/// angle, angular velocity, and for each leg 1 if it touches the ground and 0 if not. All are
/// scaled to be of order one.
struct Observation {
  double x = 0.0;
  double y = 0.0;
  double velocity_x = 0.0;
  double velocity_y = 0.0;
  double angle = 0.0;
  double angular_velocity = 0.0;
  std::array<double, 2> leg_touches = {};
};

enum class Action { none = 0, left_engine = 1, main_engine = 2, right_engine = 3 };

/// The position of a body: its origin, and its angle in radians.
struct Pose {
  double x = 0.0;
  double y = 0.0;
  double angle = 0.0;
};

/// The state after a step. Step 0 is the step before the controller takes over.
struct Step {
  int number = 0;
  Action action = Action::none;
  Observation observation = {};
  double reward = 0.0;  // sum over steps 1 .. number
  Pose hull = {};
  std::array<Pose, 2> legs = {};
};

using StepObserver = std::function<void(const Step&)>;

struct Episode {
  double reward = 0.0;  // sum over all steps
  int steps = 0;
  Landing outcome = Landing::timed_out;
};

/// fly simulates one episode. The initial push is uniform on [-push, push]^2, in newtons for one
/// step. `on_step`, if given, is called after every step. Requires 12 weights.
[[nodiscard]] Episode fly(std::span<const double> weights, const UniformDraws& draws, double push,
                          const StepObserver& on_step = nullptr);

/// choose_action returns the next action of the controller with these weights.
[[nodiscard]] Action choose_action(std::span<const double> weights, const Observation& observation);

struct GroundVertex {
  double x = 0.0;
  double y = 0.0;
};

/// draw_terrain uses 12 draws and returns the vertices of the ground from left to right.
[[nodiscard]] std::vector<GroundVertex> draw_terrain(const UniformDraws& draws);

/// hull_outline and leg_outline return outlines in the coordinates of the body, in metres.
[[nodiscard]] std::vector<GroundVertex> hull_outline();
[[nodiscard]] std::vector<GroundVertex> leg_outline();

/// The mass of a body in kg, its inertia about its origin in kg m^2, and its centre of mass.
struct Mass {
  double mass = 0.0;
  double inertia = 0.0;
  double centre_x = 0.0;
  double centre_y = 0.0;
};

[[nodiscard]] Mass hull_mass();
[[nodiscard]] Mass leg_mass();

}  // namespace oscbo::lander
