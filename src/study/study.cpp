#include "oscbo/study.hpp"

#include <utility>

#include <fmt/format.h>

#include "study/asking.hpp"
#include "study/insight.hpp"
#include "study/log_follower.hpp"
#include "study/looking.hpp"
#include "study/retired_options.hpp"
#include "study/rows.hpp"
#include "study/stop_rules.hpp"
#include "study/study_record.hpp"
#include "study/telling.hpp"

namespace oscbo {

using storage::Reader;
using storage::StudyRow;
using storage::Writer;
using study::LogFollower;

// --- the store -----------------------------------------------------------------------------------

StudyStore::StudyStore(const std::filesystem::path& file, Mode mode)
    : storage_(storage::open_sqlite(file, mode == Mode::create)) {}

std::vector<std::string> StudyStore::names() const {
  std::vector<std::string> names;
  storage_->read([&](Reader& reader) {
    for (const StudyRow& row : reader.studies()) names.push_back(row.name);
  });
  return names;
}

void StudyStore::remove(const std::string& name) {
  storage_->write(
      [&](Writer& writer) { writer.remove_study(study::find_study(writer, name).key); });
}

// --- a study -------------------------------------------------------------------------------------

std::optional<bool> StudyTrial::covered() const {
  if (!y() || !prediction()) return std::nullopt;
  return is_covered(make_forecast(*prediction(), *y()));
}

struct Study::Impl {
  explicit Impl(study::StudyRecord what)
      : record(std::move(what)), asking(record), telling(record), looking(record) {}

  static std::unique_ptr<Impl> of(const StudyStore& store, const StudyRow& row) {
    const auto [declaration, is_noisy] = study::read_stored(row.declaration);
    return std::make_unique<Impl>(study::StudyRecord{.storage = store.storage(),
                                                     .row = row,
                                                     .declaration = declaration,
                                                     .space = Space(declaration.space),
                                                     .is_noisy = is_noisy});
  }

  study::StudyRecord record;
  study::Asking asking;
  study::Telling telling;
  study::Looking looking;
};

Study Study::create(const StudyStore& store, const StudyDeclaration& declaration,
                    std::span<const Observation> observations) {
  check(declaration);
  const StudyDeclaration pinned = with_weights(declaration);
  const StudyRow row{
      .name = pinned.name, .declaration = oscbo::to_json(pinned), .build = study::this_build()};
  // Errors that only the optimizer detects must appear before anything is stored.
  static_cast<void>(LogFollower(pinned));
  std::unique_ptr<Impl> impl = Impl::of(store, row);
  impl->telling.check(observations);
  store.storage()->write([&](Writer& writer) {
    if (writer.study(row.name)) {
      throw Error(
          ErrorCode::conflict, "name",
          fmt::format("there is a study '{}' already; choose another name, or delete that one",
                      row.name));
    }
    impl->record.row.key = writer.add(row);
    impl->telling.add(writer, observations);
  });
  return Study(std::move(impl));
}

Study Study::open(const StudyStore& store, const std::string& name) {
  StudyRow row;
  store.storage()->read([&](Reader& reader) { row = study::find_study(reader, name); });
  return Study(Impl::of(store, row));
}

Study::Study(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

const StudyDeclaration& Study::declaration() const { return impl_->record.declaration; }
const Space& Study::space() const { return impl_->record.space; }
std::optional<StudySuggestion> Study::ask(const AskRequest& request) {
  return impl_->asking.ask(request);
}
bool Study::renew(TrialNumber number, const std::string& token, double lease_seconds) {
  return impl_->telling.renew(number, token, lease_seconds);
}
Told Study::tell(TrialNumber number, const std::string& token, const Measurement& measurement,
                 const Attributes& attributes) {
  return impl_->telling.tell(number, token, measurement, attributes);
}
bool Study::tell_failed(TrialNumber number, const std::string& token, const std::string& reason) {
  return impl_->telling.tell_failed(number, token, reason);
}
void Study::release(TrialNumber number, const std::string& token) {
  impl_->telling.release(number, token);
}
bool Study::report(TrialNumber number, const std::string& token,
                   std::span<const IntermediateValue> values) {
  return impl_->telling.report(number, token, values);
}
void Study::give_up(TrialNumber number, const std::string& token, const std::string& reason) {
  impl_->telling.give_up(number, token, reason);
}
void Study::set_attribute(TrialNumber number, const std::string& key, const std::string& value) {
  impl_->telling.set_attribute(number, key, value);
}
void Study::keep_output(TrialNumber number, const ProgramOutput& output) {
  impl_->telling.keep_output(number, output);
}
std::optional<StopReason> Study::stop_reason(double run_seconds) const {
  return impl_->looking.stop_reason(run_seconds);
}
std::optional<std::string> Study::budget_used_up() const {
  return study::budget_used_up(declaration().budget, counts());
}
std::optional<std::string> Study::failing(const std::string& last) const {
  return study::failing(counts(), last);
}
void Study::end(const std::optional<std::string>& reason) { impl_->telling.end(reason); }
std::optional<std::string> Study::ended() const { return impl_->looking.ended(); }
std::vector<Study::Report> Study::reports() const { return impl_->looking.reports(); }
std::vector<Study::Attribute> Study::attributes() const { return impl_->looking.attributes(); }
std::vector<ProgramOutput> Study::outputs(TrialNumber number) const {
  return impl_->looking.outputs(number);
}
TrialNumber Study::add(std::span<const double> x, const Measurement& measurement) {
  return impl_->telling.add(x, measurement);
}
void Study::add(std::span<const Observation> observations) { impl_->telling.add(observations); }
void Study::abandon(TrialNumber number, const std::string& reason) {
  impl_->telling.abandon(number, reason);
}
void Study::queue(std::span<const double> x) { impl_->telling.queue(x); }
std::optional<StudyTrial> Study::best_observed() const { return impl_->looking.best_observed(); }
StudyCounts Study::counts() const { return impl_->looking.counts(); }
std::vector<StudyTrial> Study::trials(std::optional<std::int64_t> last) const {
  return impl_->looking.trials(last);
}
StudyTrial Study::trial(TrialNumber number) const { return impl_->looking.trial(number); }
Study::Explanation Study::explain(TrialNumber number) const {
  return impl_->looking.explain(number);
}
std::string Study::to_json() const { return impl_->looking.to_json(); }
CalibrationReport Study::calibration(std::size_t quantity) const {
  return impl_->looking.calibration(quantity);
}
std::vector<Study::Mismatch> Study::verify(
    const std::function<void(std::size_t, std::size_t)>& progress) const {
  return impl_->looking.verify(progress);
}

// --- what the model says -------------------------------------------------------------------------

Study::Best Study::best() {
  const bool has_no_model = !has_model(config_of(declaration()));
  if (has_no_model) {
    if (auto trial = best_observed()) return {.trial = std::move(*trial)};
  }
  std::optional<Best> best;
  impl_->asking.with_model([&](LogFollower& follower) {
    Optimizer& optimizer = follower.optimizer();
    const Recommendation recommendation =
        impl_->record.is_noisy ? optimizer.recommendation_by_mean() : optimizer.recommendation();
    const std::vector<std::vector<double>> point = {recommendation.trial.x};
    best = Best{.trial = trial(follower.number_of(recommendation.trial.id)),
                .by = recommendation.by,
                .is_acceptable = recommendation.is_acceptable};
    if (optimizer.rounds() == 0 && recommendation.by == RecommendedBy::observed) return;
    best->prediction = optimizer.predict(point).front();
  });
  return std::move(*best);
}

std::vector<Prediction> Study::predict(std::span<const std::vector<double>> points,
                                       std::size_t quantity) {
  std::vector<Prediction> predictions;
  impl_->asking.with_model([&](LogFollower& follower) {
    predictions = follower.optimizer().predict_quantity(quantity, points);
  });
  return predictions;
}

std::vector<Study::Importance> Study::importance() {
  constexpr int kSamples = 512;
  std::vector<double> lengthscales;
  const auto mean_at = [&](const std::vector<std::vector<double>>& points) {
    std::vector<double> means;
    for (const Prediction& prediction : predict(points)) {
      means.push_back(prediction.mean);
      lengthscales = study::lengthscales_of(declaration(), prediction);
    }
    return means;
  };
  const std::vector<double> shares =
      study::shares_of_variance(space(), mean_at, kSamples, declaration().seed);
  const std::vector<double> weights = study::by_lengthscale(space(), lengthscales);
  std::vector<Importance> result;
  for (std::size_t k = 0; k < space().dimension(); ++k) {
    result.push_back({.parameter = space().declaration().parameters[k].name,
                      .share = shares[k],
                      .sensitivity = weights[k]});
  }
  return result;
}

}  // namespace oscbo
