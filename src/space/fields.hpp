// The named fields of a JSON object, asked for one by one; what is wrong with one is said by its
// path.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "space/strict_json.hpp"

namespace oscbo::space {

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

  /// These leave their argument alone where the field is not there.
  void read_number(const std::string& name, double& number) const;
  void read_flag(const std::string& name, bool& flag) const;

 private:
  const Json& object_;
  std::string path_;
};

}  // namespace oscbo::space
