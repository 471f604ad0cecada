#include "text/strict_json.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.hpp"

namespace oscbo::text {
namespace {

using base::refuse;

/// Follows the events of a parser, and refuses an object that has the same name twice.
class NamesSeen {
 public:
  void follow(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) {
      objects_.emplace_back();
      path_.emplace_back();
    } else if (event == Event::object_end) {
      objects_.pop_back();
      path_.pop_back();
    } else if (event == Event::key) {
      path_.back() = parsed.get<std::string>();
      if (!objects_.back().insert(path_.back()).second) {
        refuse(fmt::format("{}", fmt::join(path_, ".")), "is declared twice");
      }
    }
  }

 private:
  std::vector<std::set<std::string>> objects_;  // names of the open objects, outermost first
  std::vector<std::string> path_;               // the current name in each open object
};

/// Returns the place of a byte, counted from 1, as "line 3, column 7".
std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0, the first line
  return fmt::format("line {}, column {}", line, before.size() - line_begin + 1);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& field) {
  // Copying a value recurses through its levels, so a deeply nested value could overflow the stack.
  constexpr int kDeepest = 16;
  NamesSeen names;
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& parsed) {
      if (depth > kDeepest) {
        refuse(field, fmt::format("is nested too deeply; up to {} levels are accepted", kDeepest));
      }
      names.follow(event, parsed);
      return true;
    });
  } catch (const Json::parse_error& error) {
    refuse(field, "is not valid JSON: see " + place_of(text, error.byte));
  } catch (const Json::out_of_range&) {
    refuse(field, "has a number that is too large");
  }
}

}  // namespace oscbo::text
