"""Runs of `oscbo bench` and their results, for the scripts that write pages of results."""
import csv
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = {"levy5": 16.7, "hartmann3": 0.193, "hartmann6": 0.166}  # standard deviations


def add_arguments(parser, out):
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / out)
    parser.add_argument("--program", default=str(ROOT / "build/release/oscbo"))


def run_grid(arguments, part, tasks, methods, seeds, settings=()):
    """Makes the runs of a part that are missing, and returns its directory."""
    out = arguments.out / part
    words = ["bench", "run", "--tasks", ",".join(tasks), "--methods", ",".join(methods), "--seeds",
             str(seeds), "--jobs", str(arguments.jobs), "--data", str(arguments.data), "--out", str(out)]
    for setting in settings:
        words += ["--set", setting]
    subprocess.run([arguments.program, *words], check=True, stdout=subprocess.DEVNULL)
    return out


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def outcomes(out, column="simple_regret"):
    """Returns {(task, method): values of the column, by seed}."""
    values = {}
    for row in rows_of((out / "outcomes.csv").read_text()):
        values.setdefault((row["task"], row["method"]), []).append(float(row[column]))
    return values


def regrets_at(out, step):
    """Returns {(task, method): simple regrets after that round, by seed}."""
    values = {}
    with open(out / "runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["step"] == str(step):
                values.setdefault((row["task"], row["method"]), []).append(float(row["simple_regret"]))
    return values


def printed(arguments, *words):
    """The rows that a command prints as CSV."""
    command = [arguments.program, "bench", *map(str, words), "--format", "csv"]
    return rows_of(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def number(value):
    return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"


def mean_and_median(values):
    return f"{number(statistics.mean(values))} ({number(statistics.median(values))})"


def markdown(head, rows):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def by_task(values, tasks, methods, cell=mean_and_median, head="task"):
    """A row per task, a column per method."""
    return markdown([head, *methods],
                    [[task, *(cell(values[task, method]) for method in methods)] for task in tasks])


def put_between_marks(page, marks, text):
    """Replaces what stands between two lines of a document."""
    before, rest = page.read_text().split(marks[0])
    after = rest.split(marks[1])[1]
    page.write_text(f"{before}{marks[0]}\n\n{text}\n\n{marks[1]}{after}")
