// The information about a problem that users see, from the tables in this directory.
#pragma once

#include <string>

#include "oscbo/problem.hpp"

namespace oscbo {

/// info_of returns the name, domain and meaning of an entry of a table.
template <class Entry>
ProblemInfo info_of(const Entry& entry) {
  return {.name = std::string(entry.name),
          .domain = std::string(entry.domain),
          .meaning = std::string(entry.meaning)};
}

}  // namespace oscbo
