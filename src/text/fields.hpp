// Typed access to the named fields of a JSON object. Errors name the path of the field.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "text/strict_json.hpp"

namespace oscbo::text {

/// The integers that a field accepts, from `least` to `most` inclusive.
struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;

  /// check throws Error (invalid_value) naming the field if the number is outside the range.
  template <class Whole>
  void check(Whole number, const std::string& field) const {
    if (std::cmp_less(number, least) || std::cmp_greater(number, most)) {
      refuse(std::to_string(number), field);
    }
  }

  /// refuse throws the error of `check` for a value that is not in the range. `text` is the value
  /// as the message shows it.
  [[noreturn]] void refuse(const std::string& text, const std::string& field) const;
};

/// If a field has a value of the wrong kind, or a required field is missing, the functions throw
/// Error (invalid_value) naming the field. The JSON object must outlive Fields.
class Fields {
 public:
  Fields(const Json& object, std::string path);

  /// accept_only refuses fields that `names` does not list. Call it before `required`, so that a
  /// misspelt name is reported as unknown rather than as missing.
  void accept_only(std::initializer_list<std::string_view> names) const;

  /// field returns the path of a field: "parameters.rate.lower".
  [[nodiscard]] std::string field(const std::string& name) const;

  [[nodiscard]] const Json* find(const std::string& name) const;
  [[nodiscard]] const Json& required(const std::string& name) const;
  [[nodiscard]] const Json& list(const std::string& name) const;

  /// number and whole return nothing if the field is absent.
  [[nodiscard]] std::optional<double> number(const std::string& name) const;
  [[nodiscard]] std::optional<std::int64_t> whole(const std::string& name, WholeRange range) const;

  /// read_number, read_flag, read_text and read_word leave their last argument unchanged if the
  /// field is absent.
  void read_number(const std::string& name, double& number) const;
  void read_flag(const std::string& name, bool& flag) const;
  void read_text(const std::string& name, std::string& text) const;

  /// read_word reads one of `words`, each spelt as to_string returns it.
  template <class Word, std::size_t count>
  void read_word(const std::string& name, const std::array<Word, count>& words, Word& word) const {
    std::array<std::string_view, count> texts;
    std::transform(words.begin(), words.end(), texts.begin(),
                   [](Word known) { return to_string(known); });
    if (const auto position = word_position(name, texts)) word = words[*position];
  }

 private:
  [[nodiscard]] std::optional<std::size_t> word_position(
      const std::string& name, std::span<const std::string_view> words) const;

  const Json& object_;
  std::string path_;
};

}  // namespace oscbo::text
