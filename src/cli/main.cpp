#include <exception>

#include <CLI/CLI.hpp>

#include "oscbo/error.hpp"
#include "program.hpp"
#include "terminal.hpp"

namespace {

using oscbo::ErrorCode;

int run(int argc, char** argv) {
  using oscbo::cli::complain;
  try {
    return oscbo::cli::run_program(argc, argv);
  } catch (const oscbo::cli::BrokenPipe&) {
    return oscbo::exit_status(ErrorCode::io);
  } catch (const oscbo::Error& error) {
    complain(oscbo::cli::on_one_line(std::string("oscbo: ") + error.what()));
    return oscbo::exit_status(error.code());
  } catch (const std::exception& error) {
    complain(oscbo::cli::on_one_line(std::string("oscbo: internal error: ") + error.what()));
    return oscbo::exit_status(ErrorCode::internal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  oscbo::cli::prepare_streams();
  return run(argc, argv);
}
