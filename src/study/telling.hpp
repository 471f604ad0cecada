// Records what happens to trials after they have been handed out. Each function is one transaction.
// The class Study documents the functions.
#pragma once

#include <span>
#include <string>

#include "study/study_record.hpp"

namespace oscbo::study {

class Telling {
 public:
  /// `record` must outlive this object.
  explicit Telling(const StudyRecord& record) : record_(record) {}

  bool renew(TrialNumber number, const std::string& token, double lease_seconds) const;
  Told tell(TrialNumber number, const std::string& token, const Measurement& measurement,
            const Attributes& attributes) const;
  bool tell_failed(TrialNumber number, const std::string& token, const std::string& reason) const;
  void release(TrialNumber number, const std::string& token) const;
  void give_up(TrialNumber number, const std::string& token, const std::string& reason) const;
  void abandon(TrialNumber number, const std::string& reason) const;

  bool report(TrialNumber number, const std::string& token,
              std::span<const IntermediateValue> values) const;
  void set_attribute(TrialNumber number, const std::string& key, const std::string& value) const;
  void keep_output(TrialNumber number, const ProgramOutput& output) const;

  /// check refuses observations that cannot be added. The overload of `add` that takes a writer
  /// works within the writer's transaction and does not check. The other overloads check first.
  void check(std::span<const Study::Observation> observations) const;
  void add(storage::Writer& writer, std::span<const Study::Observation> observations) const;
  void add(std::span<const Study::Observation> observations) const;
  TrialNumber add(std::span<const double> x, const Measurement& measurement) const;
  void queue(std::span<const double> x) const;
  void end(const std::optional<std::string>& reason) const;

 private:
  void finish(storage::Writer& writer, storage::TrialRow trial,
              const Measurement& measurement) const;
  TrialNumber add_observation(storage::Writer& writer, std::vector<double> x,
                              const Measurement& measurement) const;
  void attach(storage::Writer& writer, TrialNumber number, const std::string& key,
              const std::string& value) const;

  const StudyRecord& record_;
};

}  // namespace oscbo::study
