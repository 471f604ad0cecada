// Study files: TOML is turned into the JSON that study_declaration.cpp reads, and the lines of what
// it complains about are looked up.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "oscbo/study_declaration.hpp"
#include "space/refusal.hpp"
#include "space/strict_json.hpp"

// The headers alone, so that whoever links this library needs no other, and a limit that is enough
// for any study. Some assertions of toml++ 3.3 are wrong: it goes on to refuse what fails them,
// such as "[[[a]]]". With NDEBUG they would be hints to the optimiser, so it is put aside.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 16
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(expression) static_assert(true)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace oscbo {
namespace {

using space::Json;
using space::refuse;

/// Turns a TOML document into JSON, and remembers where everything in it stood.
class TomlReader {
 public:
  /// Throws Error (invalid_value) naming the field that JSON has no value for.
  [[nodiscard]] Json read(const toml::table& document) { return object(document, "", 0); }

  /// The line of a field, or of the nearest thing around it that stands in the document.
  [[nodiscard]] std::size_t line_of(std::string field) const {
    while (!field.empty()) {
      if (const auto found = lines_.find(field); found != lines_.end()) return found->second;
      const std::size_t end = field.find_last_of(".[");
      field.resize(end == std::string::npos ? 0 : end);
    }
    return 1;
  }

 private:
  using Entry = std::pair<const toml::key*, const toml::node*>;

  /// toml++ sorts a table by its keys; parameters are to keep the order in which they stand.
  static std::vector<Entry> in_order(const toml::table& table) {
    std::vector<Entry> entries;
    for (const auto& [key, value] : table) entries.emplace_back(&key, &value);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.first->source().begin < b.first->source().begin;
    });
    return entries;
  }

  Json object(const toml::table& table, const std::string& path, int depth) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) refuse(path, "is nested too deeply");
    Json json = Json::object();
    for (const auto& [key, value] : in_order(table)) {
      const std::string name(key->str());
      const std::string field = path.empty() ? name : path + "." + name;
      lines_.emplace(field, key->source().begin.line);
      if (field == "options" && value->is_table()) {
        json[name] = Json::object();
        add_options(*value->as_table(), "", json[name]);
      } else {
        json[name] = convert(*value, field, depth + 1);
      }
    }
    return json;
  }

  /// In TOML the names of options, kernel.nu = 1.5, are tables in tables, if they are not quoted.
  void add_options(const toml::table& table, const std::string& prefix, Json& options) {
    for (const auto& [key, value] : in_order(table)) {
      const std::string name = prefix + std::string(key->str());
      const std::string field = "options." + name;
      lines_.emplace(field, key->source().begin.line);
      if (std::count(name.begin(), name.end(), '.') > kMostDotsInOptions) {
        refuse(field, "is nested too deeply");
      }
      if (const toml::table* const inner = value->as_table()) {
        add_options(*inner, name + ".", options);
      } else if (options.contains(name)) {
        refuse(field, "is set twice");
      } else {
        options[name] = convert(*value, field, 0);
      }
    }
  }

  Json list(const toml::array& array, const std::string& path, int depth) {
    Json json = Json::array();
    for (const toml::node& value : array) {
      const std::string field = fmt::format("{}[{}]", path, json.size());
      lines_.emplace(field, value.source().begin.line);
      json.push_back(convert(value, field, depth + 1));
    }
    return json;
  }

  Json convert(const toml::node& node, const std::string& field, int depth) {
    if (const auto* const table = node.as_table()) return object(*table, field, depth);
    if (const auto* const array = node.as_array()) return list(*array, field, depth);
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const flag = node.as_boolean()) return flag->get();
    if (const auto* const whole = node.as_integer()) return whole->get();
    if (const auto* const number = node.as_floating_point()) {
      if (std::isfinite(number->get())) return number->get();
      refuse(field, fmt::format("{} is not accepted; use a finite number", number->get()));
    }
    refuse(field, "is a date or time; put quotes around a text");
  }

  static constexpr int kMostDotsInOptions = 16;

  std::map<std::string, std::size_t> lines_;
};

/// toml++ bounds how deep values are nested, but not how many parts the name of one has, and needs
/// stack for each of them.
void refuse_long_names(std::string_view text, const std::string& file) {
  constexpr int kMostDots = 500;
  std::size_t line = 1;
  int dots = 0;
  for (const char byte : text) {
    if (byte == '\n') {
      ++line;
      dots = 0;
    }
    if (byte == '.' && ++dots > kMostDots) {
      refuse(fmt::format("{}:{}", file, line),
             fmt::format("has more than {} dots; break the line", kMostDots));
    }
  }
}

/// "Error while parsing value: ..." says no more than the place does.
std::string toml_complaint(std::string_view description) {
  const std::size_t colon = description.find(": ");
  if (description.starts_with("Error while parsing ") && colon != std::string_view::npos) {
    description.remove_prefix(colon + 2);
  }
  std::string complaint(description);
  if (complaint == "could not determine value type") complaint += "; a text stands in quotes";
  return complaint;
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  refuse_long_names(text, file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const std::size_t line = std::max<std::size_t>(error.source().begin.line, 1);
    refuse(fmt::format("{}:{}", file, line), toml_complaint(error.description()));
  }
}

}  // namespace

StudyDeclaration study_from_toml(std::string_view text, const std::string& file) {
  const toml::table document = parse_toml(text, file);
  TomlReader reader;
  try {
    Json json = reader.read(document);
    if (!json.contains("name")) json["name"] = std::filesystem::path(file).stem().string();
    // The name of a file may be any bytes; what is not UTF-8 is replaced by what no name may have.
    return study_from_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}:{}: {}", file, reader.line_of(error.field()), error.field()),
                error.message());
  }
}

}  // namespace oscbo
