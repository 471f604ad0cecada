#include "oscbo/study_declaration.hpp"

namespace oscbo {
namespace {

// A disabled setting has no blank after its '#'. It is valid once the '#' is removed.
constexpr std::string_view kTemplate =
    R"(# A study: what may be varied, how a point is evaluated, and when to stop.
#
# Lines that begin with "# " explain. Settings behind a bare "#" are switched off: remove the "#" to
# use one.

# The name of the study in the database. Left out, it is the name of this file.
name = "reactor"

# "maximize" or "minimize" the value that the program prints.
goal = "maximize"

# Evaluations in all.
budget = 60

# The same seed gives the same suggestions.
#seed = 0

# How points are chosen; `oscbo bench list` lists the others.
#method = "auto"

# Linear conditions between parameters of type float and int. Like everything above, they stand
# before the first [...].
#constraints = ["amount_a + 0.1 stages <= 0.9"]

# Parameters of type float that sum to a constant, as the parts of a mixture do.
#mixtures = [{ parameters = ["amount_a", "amount_b"], sum = 1.0 }]

# --- what may be varied ---------------------------------------------------------------------------

[parameters.temperature]
type = "float"
lower = 20
upper = 120
# Only 20, 20.5, 21, ...
#step = 0.5

[parameters.rate]
type = "float"
lower = 1e-5
upper = 1e-1
# Even in factors: as many values between 0.00001 and 0.0001 as between 0.01 and 0.1.
log = true

[parameters.stages]
type = "int"
lower = 1
upper = 8

# Names without an order.
[parameters.solvent]
type = "categorical"
values = ["water", "ethanol", "none"]

# Active only where another parameter has one of these values.
[parameters.reflux]
type = "float"
lower = 0
upper = 1
when = { solvent = ["water", "ethanol"] }

# Numbers or names in an order.
#[parameters.batch]
#type = "ordinal"
#values = [16, 32, 64]

# True or false.
#[parameters.stir]
#type = "bool"

# The same in every evaluation.
#[parameters.vessel]
#type = "fixed"
#value = 2.5

# For the conditions and the mixture above.
#[parameters.amount_a]
#type = "float"
#lower = 0
#upper = 1

#[parameters.amount_b]
#type = "float"
#lower = 0
#upper = 1

# --- how a point is evaluated ---------------------------------------------------------------------

# The program and its arguments, one by one; there is no shell. {rate} stands for the value of a
# parameter, which is empty where the parameter is not active, {trial} for the number of the
# evaluation, and {{ and }} for braces. An exit status other than 0 says that the evaluation failed.
[program]
command = ["./reactor", "--temperature={temperature}", "--rate={rate}", "--stages={stages}",
           "--solvent={solvent}", "--reflux={reflux}"]

# How the program gets the values:
#   "arguments"    as above
#   "environment"  in variables OSCBO_PARAMETER_rate, ... of the active parameters
#   "file"         in a JSON file; {file} in an argument is its name
#values_by = "arguments"

# Where the value stands in what the program prints:
#   "last_line"  the last line is the number
#   "pattern"    the last match of a regular expression, of which it is the first group:
#                pattern = 'yield: ([-+.e0-9]+)'
#   "json"       the last line is {"value": 0.8, "variance": 0.01, "metrics": {"cost": 25.5}},
#                of which only the value is needed
#value_from = "last_line"

# Limits of one evaluation: its time, and the memory of each of its processes. None if not set.
#seconds = 600
#megabytes = 4096

# Further attempts after one that failed.
#retries = 0

# --- what else is measured ------------------------------------------------------------------------

# A quantity among the metrics, and the values that are acceptable: at least `lower`, at most `upper`.
# It needs value_from = "json".
#[outcomes.cost]
#lower = 0
#upper = 30

# --- when to stop, besides the budget -------------------------------------------------------------

# A rule applies only if it is set.
#[stop]
# Stop once one `oscbo run` has taken this many seconds.
#seconds = 3600
# Stop once a value is at least this good.
#target = 0.95
# Stop after this many evaluations in a row without an improvement.
#without_improvement = 30
# Stop once each of the last five suggestions promises a gain below this, in units of the value.
#expected_gain = 0.001

# Evaluations that are given up early, if the program prints values as it goes, each in a line like
# {"step": 3, "value": 0.5}:
#   "none"
#   "median"   worse than the median of the others at the same step
#   "halving"  at steps 1, factor, factor^2, ...: not among the best share 1 / factor
#[pruning]
#kind = "none"
# Nothing is given up before this step,
#first_step = 1
# nor while fewer others have come that far.
#least_trials = 5
#factor = 3.0

# Settings of the method; `oscbo options` lists them all.
#[options]
#kernel.nu = 2.5
)";

}  // namespace

std::string_view study_template() noexcept { return kTemplate; }

}  // namespace oscbo
