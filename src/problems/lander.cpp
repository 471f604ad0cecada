#include "problems/lander.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <box2d/box2d.h>
#include <fmt/format.h>

#include "oscbo/error.hpp"

namespace oscbo::lander {
namespace {

// The world is laid out in pixels of a 600 x 400 view.
constexpr double kPixel = 1.0 / 30.0;
constexpr double kViewWidth = 600 * kPixel;
constexpr double kViewHeight = 400 * kPixel;
constexpr double kCentreX = kViewWidth / 2;
constexpr double kPadHeight = kViewHeight / 4;

constexpr double kGravity = -10.0;
constexpr double kStepsPerSecond = 50.0;
constexpr int kVelocityIterations = 180;
constexpr int kPositionIterations = 60;
constexpr int kStepLimit = 1000;

constexpr std::size_t kGroundDraws = 12;
constexpr std::size_t kGroundVertices = 11;
constexpr std::size_t kFirstFlatDraw = 3;
constexpr std::size_t kLastFlatDraw = 7;
constexpr double kSmoothing = 0.33;  // not 1/3, so the flat ground is slightly below kPadHeight
constexpr double kGroundFriction = 0.1;

constexpr std::array<std::array<double, 2>, 6> kHullPixels = {
    {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}};
constexpr double kHullDensity = 5.0;
constexpr double kHullFriction = 0.1;

constexpr double kLegAway = 20 * kPixel;
constexpr double kLegDown = 18 * kPixel;
constexpr double kLegHalfWidth = 2 * kPixel;
constexpr double kLegHalfHeight = 8 * kPixel;
constexpr double kLegDensity = 1.0;
constexpr double kLegTilt = 0.05;
constexpr double kLegMotorSpeed = 0.3;
constexpr double kLegMotorTorque = 40.0;
constexpr double kLegLeastAngle = 0.4;
constexpr double kLegLargestAngle = 0.9;

constexpr double kMainEngineAway = 4 * kPixel;
constexpr double kMainEnginePower = 13.0;
constexpr double kSideEngineAway = 12 * kPixel;
constexpr double kSideEngineHeight = 14 * kPixel;
constexpr double kSideEngineWidth = 17 * kPixel;
constexpr double kSideEnginePower = 0.6;

constexpr double kMainEngineCost = 0.30;
constexpr double kSideEngineCost = 0.03;
constexpr double kLossReward = -100.0;
constexpr double kRestReward = 100.0;

// Hull and legs touch the ground but not each other.
constexpr std::uint16_t kGroundCategory = 0x0001;
constexpr std::uint16_t kHullCategory = 0x0010;
constexpr std::uint16_t kLegCategory = 0x0020;

constexpr std::array<double, 2> kLegSigns = {-1.0, 1.0};

/// Box2D works in single precision. Everything here is computed in double precision and rounded at
/// the end.
float rounded(double value) { return static_cast<float>(value); }

b2Vec2 rounded(double x, double y) { return {rounded(x), rounded(y)}; }

double uniform(const UniformDraws& draws, double low, double high) {
  return low + (high - low) * draws();
}

b2PolygonShape hull_shape() {
  std::array<b2Vec2, kHullPixels.size()> corners;
  std::transform(kHullPixels.begin(), kHullPixels.end(), corners.begin(),
                 [](const auto& pixel) { return rounded(pixel[0] * kPixel, pixel[1] * kPixel); });
  b2PolygonShape shape;
  shape.Set(corners.data(), static_cast<int32>(corners.size()));
  return shape;
}

b2PolygonShape leg_shape() {
  b2PolygonShape shape;
  shape.SetAsBox(rounded(kLegHalfWidth), rounded(kLegHalfHeight));
  return shape;
}

Mass mass_of(const b2PolygonShape& shape, double density) {
  b2MassData data = {};
  shape.ComputeMass(&data, rounded(density));
  return {
      .mass = data.mass, .inertia = data.I, .centre_x = data.center.x, .centre_y = data.center.y};
}

/// Tracks what touches the ground. A leg counts as off the ground as soon as one of its contacts
/// ends, even if it still touches the neighbouring edge.
class TouchListener final : public b2ContactListener {
 public:
  void watch(const b2Body* hull, std::array<const b2Body*, 2> legs) {
    hull_ = hull;
    legs_ = legs;
  }

  void BeginContact(b2Contact* contact) override {
    if (involves(*contact, hull_)) hull_touched_ = true;
    set_legs_of(*contact, 1.0);
  }

  void EndContact(b2Contact* contact) override { set_legs_of(*contact, 0.0); }

  [[nodiscard]] bool hull_touched() const { return hull_touched_; }
  [[nodiscard]] const std::array<double, 2>& leg_touches() const { return leg_touches_; }

 private:
  static bool involves(b2Contact& contact, const b2Body* body) {
    return contact.GetFixtureA()->GetBody() == body || contact.GetFixtureB()->GetBody() == body;
  }

  void set_legs_of(b2Contact& contact, double touches) {
    for (std::size_t k = 0; k < legs_.size(); ++k) {
      if (involves(contact, legs_[k])) leg_touches_[k] = touches;
    }
  }

  const b2Body* hull_ = nullptr;
  std::array<const b2Body*, 2> legs_ = {};
  bool hull_touched_ = false;
  std::array<double, 2> leg_touches_ = {};
};

/// The bodies of one episode.
class World {
 public:
  World(const std::vector<GroundVertex>& ground, double push_x, double push_y)
      : world_(rounded(0.0, kGravity)) {
    // The solver processes bodies in the order of their creation: ground, hull, legs.
    add_ground(ground);
    hull_ = add_hull();
    hull_->ApplyForceToCenter(rounded(push_x, push_y), true);
    for (std::size_t k = 0; k < legs_.size(); ++k) legs_[k] = add_leg(kLegSigns[k]);
    touches_.watch(hull_, {legs_[0], legs_[1]});
    world_.SetContactListener(&touches_);
  }

  /// step fires the engine of `action` and advances time by one step. `noise` holds two values in
  /// [-1, 1].
  void step(Action action, const std::array<double, 2>& noise) {
    const double along = noise[0] * kPixel;
    const double across = noise[1] * kPixel;
    if (action == Action::main_engine) fire_main_engine(along, across);
    if (action == Action::left_engine) fire_side_engine(-1.0, along, across);
    if (action == Action::right_engine) fire_side_engine(1.0, along, across);
    world_.Step(rounded(1.0 / kStepsPerSecond), kVelocityIterations, kPositionIterations);
  }

  [[nodiscard]] Observation observe() const {
    const b2Vec2& position = hull_->GetPosition();
    const b2Vec2& velocity = hull_->GetLinearVelocity();
    return {.x = (position.x - kCentreX) / (kViewWidth / 2),
            .y = (position.y - (kPadHeight + kLegDown)) / (kViewHeight / 2),
            .velocity_x = velocity.x * (kViewWidth / 2) / kStepsPerSecond,
            .velocity_y = velocity.y * (kViewHeight / 2) / kStepsPerSecond,
            .angle = hull_->GetAngle(),
            .angular_velocity = 20.0 * hull_->GetAngularVelocity() / kStepsPerSecond,
            .leg_touches = touches_.leg_touches()};
  }

  [[nodiscard]] bool hull_touched() const { return touches_.hull_touched(); }
  [[nodiscard]] bool asleep() const { return !hull_->IsAwake(); }
  [[nodiscard]] Pose hull_pose() const { return pose(*hull_); }
  [[nodiscard]] std::array<Pose, 2> leg_poses() const { return {pose(*legs_[0]), pose(*legs_[1])}; }

 private:
  static Pose pose(const b2Body& body) {
    return {.x = body.GetPosition().x, .y = body.GetPosition().y, .angle = body.GetAngle()};
  }

  b2Body* add_body(b2BodyType type, const b2Vec2& position, double angle) {
    b2BodyDef definition;
    definition.type = type;
    definition.position = position;
    definition.angle = rounded(angle);
    return world_.CreateBody(&definition);
  }

  static void add_edge(b2Body& ground, const GroundVertex& from, const GroundVertex& to,
                       std::optional<double> friction) {
    b2EdgeShape edge;
    edge.SetTwoSided(rounded(from.x, from.y), rounded(to.x, to.y));
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.density = 0.0F;
    if (friction) fixture.friction = rounded(*friction);
    fixture.filter.categoryBits = kGroundCategory;
    ground.CreateFixture(&fixture);
  }

  void add_ground(const std::vector<GroundVertex>& vertices) {
    b2Body& ground = *add_body(b2_staticBody, rounded(0.0, 0.0), 0.0);
    add_edge(ground, {.x = 0.0, .y = 0.0}, {.x = kViewWidth, .y = 0.0}, std::nullopt);
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      add_edge(ground, vertices[i - 1], vertices[i], kGroundFriction);
    }
  }

  b2Body* add_hull() {
    b2Body* hull = add_body(b2_dynamicBody, rounded(kCentreX, kViewHeight), 0.0);
    const b2PolygonShape shape = hull_shape();
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = rounded(kHullDensity);
    fixture.friction = rounded(kHullFriction);
    fixture.filter.categoryBits = kHullCategory;
    fixture.filter.maskBits = kGroundCategory;
    hull->CreateFixture(&fixture);
    return hull;
  }

  /// At first the anchors of hull and leg do not meet, and the angle is outside its limits. The
  /// joint pulls the leg into place within the first steps.
  b2Body* add_leg(double sign) {
    b2Body* leg =
        add_body(b2_dynamicBody, rounded(kCentreX - sign * kLegAway, kViewHeight), sign * kLegTilt);
    const b2PolygonShape shape = leg_shape();
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = rounded(kLegDensity);
    fixture.filter.categoryBits = kLegCategory;
    fixture.filter.maskBits = kGroundCategory;
    leg->CreateFixture(&fixture);

    b2RevoluteJointDef joint;
    joint.bodyA = hull_;
    joint.bodyB = leg;
    joint.localAnchorA = rounded(0.0, 0.0);
    joint.localAnchorB = rounded(sign * kLegAway, kLegDown);
    joint.referenceAngle = leg->GetAngle() - hull_->GetAngle();
    joint.enableMotor = true;
    joint.motorSpeed = rounded(sign * kLegMotorSpeed);
    joint.maxMotorTorque = rounded(kLegMotorTorque);
    joint.enableLimit = true;
    joint.lowerAngle = rounded(sign < 0.0 ? kLegLeastAngle : -kLegLargestAngle);
    joint.upperAngle = rounded(sign < 0.0 ? kLegLargestAngle : -kLegLeastAngle);
    world_.CreateJoint(&joint);
    return leg;
  }

  /// Applies the impulse -power * offset at the world point p + offset + lever, where p is the
  /// hull's origin.
  void push_hull(double power, double offset_x, double offset_y, double lever_x, double lever_y) {
    const b2Vec2& position = hull_->GetPosition();
    hull_->ApplyLinearImpulse(
        rounded(-power * offset_x, -power * offset_y),
        rounded(position.x + offset_x + lever_x, position.y + offset_y + lever_y), true);
  }

  /// In the hull's frame the flame is at (-across, -a) with a = 4 px + 2 along.
  void fire_main_engine(double along, double across) {
    const double s = std::sin(double{hull_->GetAngle()});
    const double c = std::cos(double{hull_->GetAngle()});
    const double away = kMainEngineAway + 2.0 * along;
    push_hull(kMainEnginePower, s * away - c * across, -c * away - s * across, 0.0, 0.0);
  }

  /// In the hull's frame the flame is at (-q, -along) with q = 3 across + side * 12 px, and the
  /// engine is above it. The lever mixes half the hull's width and the engine's height, as in every
  /// other implementation.
  void fire_side_engine(double side, double along, double across) {
    const double s = std::sin(double{hull_->GetAngle()});
    const double c = std::cos(double{hull_->GetAngle()});
    const double q = 3.0 * across + side * kSideEngineAway;
    push_hull(kSideEnginePower, s * along - c * q, -c * along - s * q, -kSideEngineWidth * s,
              kSideEngineHeight * c);
  }

  TouchListener touches_;
  b2World world_;
  b2Body* hull_ = nullptr;
  std::array<b2Body*, 2> legs_ = {};
};

/// The potential whose differences are the reward. It is high near the pad, at low speed, upright
/// and with legs on the ground.
double shaping(const Observation& o) {
  return -100.0 * std::sqrt(o.x * o.x + o.y * o.y) -
         100.0 * std::sqrt(o.velocity_x * o.velocity_x + o.velocity_y * o.velocity_y) -
         100.0 * std::abs(o.angle) + 10.0 * o.leg_touches[0] + 10.0 * o.leg_touches[1];
}

double fuel_cost(Action action) {
  if (action == Action::none) return 0.0;
  return action == Action::main_engine ? kMainEngineCost : kSideEngineCost;
}

/// The controller reads its instruments in single precision.
double reading(double value) { return static_cast<double>(static_cast<float>(value)); }

/// Returns how the state after a step ends the episode, or nothing. Rest takes precedence over a
/// crash.
std::optional<Landing> ending(const World& world, const Observation& observation) {
  if (world.asleep()) return Landing::rested;
  if (world.hull_touched()) return Landing::crashed;
  if (std::abs(observation.x) >= 1.0) return Landing::left;
  return std::nullopt;
}

/// Box2D fills a table of collision routines at the first contact in the process, without a lock.
/// Here two overlapping boxes make this first contact, and other threads wait until it is done.
void prepare_collisions() {
  [[maybe_unused]] static const bool prepared = [] {
    b2World world(rounded(0.0, 0.0));
    const b2PolygonShape shape = leg_shape();
    for (int i = 0; i < 2; ++i) {
      b2BodyDef definition;
      definition.type = b2_dynamicBody;
      world.CreateBody(&definition)->CreateFixture(&shape, 1.0F);
    }
    world.Step(rounded(1.0 / kStepsPerSecond), 1, 1);
    return true;
  }();
}

}  // namespace

std::string_view to_string(Landing outcome) noexcept {
  switch (outcome) {
    case Landing::rested: return "rested";
    case Landing::crashed: return "crashed";
    case Landing::left: return "left";
    case Landing::timed_out: break;
  }
  return "timed_out";
}

std::vector<GroundVertex> hull_outline() {
  std::vector<GroundVertex> corners;
  for (const auto& [x, y] : kHullPixels) corners.push_back({.x = x * kPixel, .y = y * kPixel});
  return corners;
}

std::vector<GroundVertex> leg_outline() {
  return {{.x = -kLegHalfWidth, .y = -kLegHalfHeight},
          {.x = kLegHalfWidth, .y = -kLegHalfHeight},
          {.x = kLegHalfWidth, .y = kLegHalfHeight},
          {.x = -kLegHalfWidth, .y = kLegHalfHeight}};
}

Mass hull_mass() { return mass_of(hull_shape(), kHullDensity); }

Mass leg_mass() { return mass_of(leg_shape(), kLegDensity); }

void check_weights(std::span<const double> weights, std::string_view field) {
  if (weights.size() != kWeights) {
    throw Error(
        ErrorCode::invalid_value, std::string(field),
        fmt::format("the lander's controller takes {} weights, not {}", kWeights, weights.size()));
  }
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (!std::isfinite(weights[j])) {
      throw Error(ErrorCode::invalid_value, fmt::format("{}[{}]", field, j),
                  fmt::format("{} is not a finite number", weights[j]));
    }
  }
}

/// y_i = 0.33 (h_{i-1} + h_i + h_{i+1}), where the heights h are H/4 next to the pad and uniform on
/// (0, H/2) elsewhere. h_{-1} is the last height.
std::vector<GroundVertex> draw_terrain(const UniformDraws& draws) {
  std::array<double, kGroundDraws> heights = {};
  for (double& height : heights) height = uniform(draws, 0.0, kViewHeight / 2);
  std::fill(heights.begin() + kFirstFlatDraw, heights.begin() + kLastFlatDraw + 1, kPadHeight);
  std::vector<GroundVertex> vertices;
  for (std::size_t i = 0; i < kGroundVertices; ++i) {
    const double before = heights[(i + kGroundDraws - 1) % kGroundDraws];
    vertices.push_back({.x = kViewWidth / (kGroundVertices - 1) * static_cast<double>(i),
                        .y = kSmoothing * (before + heights[i] + heights[i + 1])});
  }
  return vertices;
}

Action choose_action(std::span<const double> w, const Observation& observation) {
  const double x = reading(observation.x);
  const double y = reading(observation.y);
  const double velocity_x = reading(observation.velocity_x);
  const double velocity_y = reading(observation.velocity_y);
  const double target_angle = std::min(std::max(x * w[0] + velocity_x * w[1], -w[2]), w[2]);
  const double target_height = w[3] * std::abs(x);
  double angle_error = (target_angle - reading(observation.angle)) * w[4] -
                       reading(observation.angular_velocity) * w[5];
  double height_error = (target_height - y) * w[6] - velocity_y * w[7];
  if (observation.leg_touches[0] != 0.0 || observation.leg_touches[1] != 0.0) {
    angle_error = w[8];
    height_error = -velocity_y * w[9];
  }
  if (height_error > std::abs(angle_error) && height_error > w[10]) return Action::main_engine;
  if (angle_error < -w[11]) return Action::right_engine;
  if (angle_error > w[11]) return Action::left_engine;
  return Action::none;
}

Episode fly(std::span<const double> weights, const UniformDraws& draws, double push,
            const StepObserver& on_step) {
  assert(weights.size() == kWeights);
  prepare_collisions();
  const std::vector<GroundVertex> ground = draw_terrain(draws);
  const double push_x = uniform(draws, -push, push);
  const double push_y = uniform(draws, -push, push);
  World world(ground, push_x, push_y);

  Episode episode;
  Observation observation;
  const auto advance = [&](Action action) {
    const double along = uniform(draws, -1.0, 1.0);
    const double across = uniform(draws, -1.0, 1.0);
    world.step(action, {along, across});
    observation = world.observe();
  };
  const auto report = [&](Action action) {
    if (!on_step) return;
    on_step({.number = episode.steps,
             .action = action,
             .observation = observation,
             .reward = episode.reward,
             .hull = world.hull_pose(),
             .legs = world.leg_poses()});
  };

  advance(Action::none);  // the push acts before the controller takes over
  report(Action::none);
  double potential = shaping(observation);
  for (episode.steps = 1; episode.steps <= kStepLimit; ++episode.steps) {
    const Action action = choose_action(weights, observation);
    advance(action);
    const double previous = std::exchange(potential, shaping(observation));
    const std::optional<Landing> outcome = ending(world, observation);
    if (!outcome) {
      episode.reward += potential - previous - fuel_cost(action);
      report(action);
      continue;
    }
    episode.reward += *outcome == Landing::rested ? kRestReward : kLossReward;
    episode.outcome = *outcome;
    report(action);
    return episode;
  }
  episode.steps = kStepLimit;
  return episode;
}

}  // namespace oscbo::lander
