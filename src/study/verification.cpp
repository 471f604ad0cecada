// Computes every suggestion of a study again.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "study/log_follower.hpp"
#include "study/looking.hpp"
#include "study/rows.hpp"

namespace oscbo::study {
namespace {

using storage::EventRow;
using storage::SuggestionRow;

/// Follows the log and compares each suggestion with the stored one.
class Verification {
 public:
  Verification(const StudyRecord& record, std::vector<EventRow> log,
               std::vector<SuggestionRow> suggestions)
      : record_(record),
        log_(std::move(log)),
        suggestions_(std::move(suggestions)),
        follower_(record.declaration) {}

  [[nodiscard]] std::size_t size() const { return log_.size(); }

  /// check returns what is wrong with the suggestion of entry i, if it has one.
  std::optional<Study::Mismatch> check(std::size_t i) {
    const EventRow& entry = log_[i];
    if (entry.kind != "ask" || !entry.x) {
      follower_.follow({&entry, 1});
      return std::nullopt;
    }
    const std::int64_t trial = entry.trial.value();
    while (next_ < suggestions_.size() && suggestions_[next_].trial < trial) ++next_;
    if (next_ == suggestions_.size() || suggestions_[next_].trial != trial) {
      follower_.follow({&entry, 1});
      return Study::Mismatch{.number = trial, .what = "has no stored suggestion"};
    }
    const std::string difference = computed_again(entry, suggestions_[next_]);
    if (difference.empty()) return std::nullopt;
    return Study::Mismatch{.number = trial, .what = difference};
  }

 private:
  /// computed_again computes the suggestion again and returns what differs, or an empty text. The
  /// log continues with the stored suggestion.
  std::string computed_again(const EventRow& entry, const SuggestionRow& stored) {
    const std::vector<std::int64_t> pending = follower_.pending();
    const bool is_ours = stored.record.build == this_build();
    const Suggestion again =
        is_ours ? follower_.answer(entry) : LogFollower(follower_).answer(entry);
    std::string difference = difference_of(again, pending, *entry.x, stored);
    if (!is_ours) {
      follower_.follow({&entry, 1});
    } else if (!difference.empty()) {
      follower_ = LogFollower(record_.declaration);
      follower_.follow({log_.data(), static_cast<std::size_t>(&entry - log_.data()) + 1});
    }
    return difference;
  }

  [[nodiscard]] std::string difference_of(const Suggestion& again,
                                          const std::vector<std::int64_t>& pending,
                                          const std::vector<double>& x,
                                          const SuggestionRow& stored) const {
    const double tolerance = stored.record.build == this_build() ? 0.0 : 1e-9;
    if (!are_close(x, again.x, tolerance)) {
      return fmt::format("the point was {}, and is now {}", record_.space.describe(x),
                         record_.space.describe(again.x));
    }
    const SuggestionRow row = suggestion_row(record_.declaration, again, pending);
    if (row.record.pending_seen != stored.record.pending_seen) return "other trials were pending";
    if (row.record.stream_step != stored.record.stream_step)
      return "other random numbers were drawn";
    if (row.predictions.size() != stored.predictions.size()) return "has another prediction";
    for (std::size_t i = 0; i < row.predictions.size(); ++i) {
      const Prediction& now = row.predictions[i].prediction;
      const Prediction& then = stored.predictions[i].prediction;
      if (!are_close(numbers_of(then), numbers_of(now), tolerance)) {
        return fmt::format("predicted {} +- {}, and now {} +- {}", then.mean, then.sd, now.mean,
                           now.sd);
      }
    }
    return {};
  }

  /// numbers_of returns the real numbers of a prediction. The phase and the number of evaluations
  /// say how it was found. They are not compared.
  static std::vector<double> numbers_of(const Prediction& prediction) {
    std::vector<double> numbers;
    for_each_field<Prediction>([&](const auto& field) {
      const auto& value = field.of(prediction);
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, double>) {
        numbers.push_back(value);
      } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
        numbers.push_back(value.value_or(std::nan("")));
      } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
        numbers.insert(numbers.end(), value.begin(), value.end());
      }
    });
    return numbers;
  }

  static bool are_close(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](double u, double v) {
      if (u == v || (std::isnan(u) && std::isnan(v))) return true;
      return std::abs(u - v) <= tolerance * std::max({1.0, std::abs(u), std::abs(v)});
    });
  }

  const StudyRecord& record_;
  std::vector<EventRow> log_;
  std::vector<SuggestionRow> suggestions_;
  std::size_t next_ = 0;  // index of the next suggestion
  LogFollower follower_;
};

}  // namespace

std::vector<Study::Mismatch> Looking::verify(
    const std::function<void(std::size_t, std::size_t)>& progress) const {
  std::vector<EventRow> log;
  std::vector<SuggestionRow> suggestions;
  record_.storage->read([&](storage::Reader& reader) {
    log = reader.events(record_.row.key, 0);
    suggestions = reader.suggestions(record_.row.key, 0);
  });
  Verification verification(record_, std::move(log), std::move(suggestions));
  std::vector<Study::Mismatch> mismatches;
  for (std::size_t i = 0; i < verification.size(); ++i) {
    if (progress) progress(i, verification.size());
    if (auto mismatch = verification.check(i)) mismatches.push_back(std::move(*mismatch));
  }
  return mismatches;
}

}  // namespace oscbo::study
