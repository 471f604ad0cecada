// The commands of the program. Each `add_` function declares a command, its options and its action.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "table.hpp"

namespace oscbo::cli {

void add_demo(CLI::App& program);
void add_bench(CLI::App& program);
void add_options(CLI::App& program);

void add_new(CLI::App& program);
/// `after_mark` holds the arguments after "--": a program and its arguments.
void add_run(CLI::App& program, const std::vector<std::string>& after_mark);
void add_worker(CLI::App& program, const std::vector<std::string>& after_mark);

void add_ask(CLI::App& program);
void add_tell(CLI::App& program);
void add_queue(CLI::App& program);
void add_best(CLI::App& program);
void add_predict(CLI::App& program);
void add_trials(CLI::App& program);
void add_output(CLI::App& program);
void add_status(CLI::App& program);
void add_calibration(CLI::App& program);
void add_replay(CLI::App& program);
void add_importance(CLI::App& program);
void add_explain(CLI::App& program);
void add_export(CLI::App& program);
void add_import(CLI::App& program);
void add_delete(CLI::App& program);

void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

void add_bench_list(CLI::App& bench);
void add_bench_space(CLI::App& bench);
void add_bench_eval(CLI::App& bench);
void add_bench_run(CLI::App& bench);
void add_bench_calibration(CLI::App& bench);
void add_bench_report(CLI::App& bench);
void add_bench_paper(CLI::App& bench);
void add_bench_trace(CLI::App& bench);
void add_bench_theory(CLI::App& bench);
void add_bench_lander(CLI::App& bench);
void add_bench_latency(CLI::App& bench);

/// add_format declares --format with table, json and csv, and also markdown if `with_markdown`.
void add_format(CLI::App& command, std::string& name, bool with_markdown = false);

/// add_results declares the folder of results that a command reads.
void add_results(CLI::App& command, std::string& directory);

/// add_seed declares --seed.
void add_seed(CLI::App& command, std::uint64_t& seed);

/// add_settings declares the repeatable --set name=value.
void add_settings(CLI::App& command, std::vector<std::string>& settings);

/// add_data declares --data, the directory of the tables behind some tasks. It defaults to the
/// environment variable OSCBO_DATA.
void add_data(CLI::App& command, std::string& directory);

}  // namespace oscbo::cli
