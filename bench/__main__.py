"""``python -m bench`` runs every benchmark; ``python -m bench noise`` runs one."""

import argparse

from bench import (
    accounting,
    engines,
    engines_spark,
    imports,
    imputation,
    imputation_errors,
    ledger,
    noise,
    noise_timing,
    startup,
    tables,
    tables_caps,
    tables_coverage,
    tables_error,
    units,
)
from bench.models import accuracy, clusters, intervals, large, speed, wide_bounds, wide_targets
from bench.newcomer import measure

BENCHMARKS = {
    "accounting": (accounting.run, "losses of long compositions, against dp_accounting"),
    "engines": (engines.run, "count and sum of 1 M and 10 M rows on DuckDB, against its plain query"),
    "engines_spark": (engines_spark.run, "count and sum of persons on Spark, against its window query and Tumult"),
    "imputation": (imputation.run, "donors and exact changes of up to 10 M rows, against all pairs"),
    "imputation_errors": (
        imputation_errors.run,
        "errors of imputed means and proportions, against ignoring what is missing",
    ),
    "imports": (imports.run, "how long `import privet` takes, against numpy"),
    "ledger": (ledger.run, "a durable charge with four writers, against the disk's own fsync"),
    "models_adult": (accuracy.run_adult, "models on Adult and wages, against diffprivlib, InterpretML and AdaSSP"),
    "models_bounds": (wide_bounds.run, "models of small data with tighter and wider public bounds"),
    "models_clusters": (clusters.run, "k-means and principal components, against diffprivlib"),
    "models_fresh": (accuracy.run_fresh, "models on data on which nothing was tuned, against the same libraries"),
    "models_held_out": (
        accuracy.run_held_out,
        "the same on four more data sets, listed before the first run on them",
    ),
    "models_intervals": (intervals.run, "how often intervals of coefficients hold the truth, against least squares"),
    "models_large": (large.run, "fits of ten million rows of a file, against the sums of the plain engine"),
    "models_small": (accuracy.run_small, "models on the data of scikit-learn, against the same libraries"),
    "models_speed": (speed.run, "times and memory of fits, against scikit-learn without privacy"),
    "models_targets": (wide_targets.run, "models of numbers with wider bounds of the target"),
    "models_untouched": (
        accuracy.run_untouched,
        "the same on five data sets, listed after all defaults",
    ),
    "newcomer": (measure.run, "lines and seconds to a first answer, against OpenDP, Tumult and diffprivlib"),
    "noise": (noise.run, "noise per second, against OpenDP and plain numpy floats"),
    "noise_timing": (noise_timing.run, "whether the time of a draw tells its value"),
    "startup": (startup.run, "how long a new process takes to open its first session"),
    "tables": (tables.run, "count and sum by group, against OpenDP, SmartNoise, PipelineDP, Tumult and plain DuckDB"),
    "tables_caps": (tables_caps.run, "contribution caps on 10 M rows, against a window query by hand"),
    "tables_coverage": (tables_coverage.run, "how often 95 % intervals of tables hold the exact value"),
    "tables_error": (tables_error.run, "errors of counts, sums and means by group, against the same libraries"),
    "units": (units.run, "units on a million rows, and their errors, against OpenDP and numpy"),
}


def _named(name: str) -> list[str]:
    """Give the benchmark of a name, or all whose names begin with it: ``models`` has no benchmark of its own."""
    return [name] if name in BENCHMARKS else [each for each in BENCHMARKS if each.startswith(f"{name}_")] or [name]


def main() -> None:
    """Read the names and run them in order."""
    listed = "\n".join(f"  {name:12} {what}" for name, (_, what) in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=f"Compare Privet with its peers.\n\nbenchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="name", help="which to run; all by default")
    names = [each for name in parser.parse_args().names for each in _named(name)]
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        BENCHMARKS[name][0]()


if __name__ == "__main__":
    main()
