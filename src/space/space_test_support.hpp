// Spaces that the tests of this room share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"
#include "oscbo/error.hpp"
#include "oscbo/space.hpp"
#include "space/region.hpp"

namespace oscbo::space::test {

/// expect_refused checks that `call` throws invalid_value for `field`, with `text` in its message.
inline void expect_refused(const std::function<void()>& call, const std::string& field,
                           const std::string& text) {
  try {
    call();
    ADD_FAILURE() << field << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.field(), field);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

/// Parameters of every kind. Some are conditional, and one of them depends on a conditional
/// parameter.
inline SpaceDeclaration every_kind() {
  return {.parameters = {
              {.name = "temperature", .lower = 20.0, .upper = 120.0},
              {.name = "rate", .lower = 1e-5, .upper = 1e-1, .log = true},
              {.name = "dose", .lower = 0.0, .upper = 1.0, .step = 0.25},
              {.name = "stages", .kind = ParameterKind::integer, .lower = 1.0, .upper = 8.0},
              {.name = "width",
               .kind = ParameterKind::integer,
               .lower = 1.0,
               .upper = 1024.0,
               .log = true},
              {.name = "even",
               .kind = ParameterKind::integer,
               .lower = 0.0,
               .upper = 10.0,
               .step = 2.0},
              {.name = "batch", .kind = ParameterKind::ordinal, .levels = {16.0, 32.0, 256.0}},
              {.name = "grade", .kind = ParameterKind::ordinal, .values = {"low", "mid", "high"}},
              {.name = "solvent",
               .kind = ParameterKind::categorical,
               .values = {"water", "ethanol", "none"}},
              {.name = "stir", .kind = ParameterKind::boolean},
              {.name = "vessel", .kind = ParameterKind::fixed, .levels = {2.5}},
              {.name = "reflux",
               .lower = -1.0,
               .upper = 1.0,
               .when = Condition{"solvent", {"water", "ethanol"}}},
              {.name = "mode",
               .kind = ParameterKind::categorical,
               .values = {"a", "b"},
               .when = Condition{"stir", {"true"}}},
              {.name = "speed",
               .kind = ParameterKind::integer,
               .lower = 1.0,
               .upper = 5.0,
               .when = Condition{"mode", {"b"}}}}};
}

/// random_point returns a point of the domain. Requires constraints that leave one.
inline Coordinates random_point(const Domain& domain, numeric::RandomStream& stream) {
  return *Region(domain).draw(stream);
}

}  // namespace oscbo::space::test
