// The named fields of a JSON object, asked for one by one; what is wrong with one is said by its
// path.
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

/// The whole numbers that a field accepts, both ends included.
struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;

  /// check throws Error (invalid_value) naming the field.
  template <class Whole>
  void check(Whole number, const std::string& field) const {
    if (std::cmp_less(number, least) || std::cmp_greater(number, most)) {
      refuse(std::to_string(number), field);
    }
  }

  /// refuse throws what `check` does, for anything that is not in the range.
  [[noreturn]] void refuse(const std::string& text, const std::string& field) const;
};

/// Every function throws Error (invalid_value) naming the field. The object must outlive it.
class Fields {
 public:
  Fields(const Json& object, std::string path);

  /// accept_only refuses all other fields. Called before one is required, so that a misspelt name
  /// is called that rather than missing.
  void accept_only(std::initializer_list<std::string_view> names) const;

  /// field returns the path of a field: "parameters.rate.lower".
  [[nodiscard]] std::string field(const std::string& name) const;

  [[nodiscard]] const Json* find(const std::string& name) const;
  [[nodiscard]] const Json& required(const std::string& name) const;
  [[nodiscard]] const Json& list(const std::string& name) const;

  /// These return nothing where the field is not there.
  [[nodiscard]] std::optional<double> number(const std::string& name) const;
  [[nodiscard]] std::optional<std::int64_t> whole(const std::string& name, WholeRange range) const;

  /// These leave their argument alone where the field is not there.
  void read_number(const std::string& name, double& number) const;
  void read_flag(const std::string& name, bool& flag) const;
  void read_text(const std::string& name, std::string& text) const;

  /// read_word reads one of these words, each written as to_string writes it.
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
