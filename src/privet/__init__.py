"""Privet: a hedge around your data.

Provably private statistics: stable transformations, one mechanism, a loss that adds up. Names load when first used.

>>> import privet as pv
>>> chain = pv.vector(int) >> pv.Clamp(bounds=(0, 10)) >> pv.Sum() >> pv.Laplace(scale=20)
>>> chain.map(2).epsilon()
Fraction(1, 1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet._public import *

__version__ = "0.1.0"

_HOMES = {
    "privet.accounting.losses.alternatives": ("LeastLoss", "WorstLoss"),
    "privet.accounting.losses.approximate": ("ApproximateLoss",),
    "privet.accounting.losses.approximate_concentrated": ("ApproximateConcentratedLoss",),
    "privet.accounting.losses.bounded_range": ("BoundedRangeLoss",),
    "privet.accounting.planning.budget": ("budget",),
    "privet.accounting.planning.calibrate": ("Calibrated", "calibrate", "calibrate_largest", "calibrate_rounds"),
    "privet.accounting.characteristic.loss": ("CharacteristicLoss",),
    "privet.accounting.characteristic.forms": (
        "ApproximateTerm",
        "BoundedRangeTerm",
        "DiscreteLaplaceTerm",
        "FiniteTerm",
        "GaussianTerm",
        "LaplaceTerm",
    ),
    "privet.accounting.characteristic.term": ("CharacteristicTerm", "StatedTerm"),
    "privet.accounting.sampling.cluster_sampling": ("ClusterSampling",),
    "privet.accounting.losses.concentrated": ("ConcentratedLoss",),
    "privet.accounting.losses.explain": ("Explanation",),
    "privet.accounting.losses.forms": ("ApproximateForm", "AssertedLoss", "ConcentratedForm", "PureForm", "RenyiForm"),
    "privet.accounting.losses.gaussian": ("GaussianLoss",),
    "privet.accounting.losses.group": ("GroupLoss",),
    "privet.accounting.planning.infinite": ("InfiniteBudget",),
    "privet.accounting.losses.laplace": ("LaplaceLoss",),
    "privet.accounting.losses.loss": ("Loss",),
    "privet.accounting.planning.optimal": ("optimal_heterogeneous", "optimal_homogeneous"),
    "privet.accounting.sampling.population": ("Population", "PopulationLoss"),
    "privet.accounting.losses.pure": ("PureLoss",),
    "privet.accounting.losses.randomized_response": ("RandomizedResponseLoss",),
    "privet.accounting.losses.renyi": ("RenyiLoss",),
    "privet.accounting.sampling.repetitions": (
        "GeometricRepetitions",
        "NegativeBinomialRepetitions",
        "PoissonRepetitions",
    ),
    "privet.accounting.numerics.sampled_gaussian": ("sampled_gaussian_renyi",),
    "privet.accounting.sampling.sampling": ("AmplifiedLoss", "Poisson", "UndirectedLoss"),
    "privet.accounting.sampling.selection": ("SelectionLoss",),
    "privet.accounting.sampling.shuffling": ("ShuffledLoss", "Shuffling"),
    "privet.accounting.sampling.simple_sampling": ("SimpleSampledLoss", "SimpleSampling"),
    "privet.accounting.planning.smooth": ("GeneralisedCauchy", "StudentT", "calibrate_smooth"),
    "privet.accounting.losses.sparse_vector": ("SparseVectorLoss",),
    "privet.accounting.losses.sum": ("SumLoss",),
    "privet.accounting.losses.tradeoff": ("TradeoffLoss",),
    "privet.accounting.losses.truncated_laplace": ("TruncatedLaplaceLoss",),
    "privet.combinators.compositor": ("Compositor", "ConcurrentCompositor"),
    "privet.combinators.lloyd": ("Clusters",),
    "privet.combinators.measure_conversion": ("MeasureConversion",),
    "privet.combinators.odometer": ("OdometerCompositor", "PrivacyOdometer"),
    "privet.combinators.parallel_composition": ("ParallelComposition",),
    "privet.combinators.privacy_filter": ("FilterCompositor", "PrivacyFilter"),
    "privet.combinators.private_k_means": ("PrivateKMeans",),
    "privet.combinators.private_selection": ("PrivateSelection",),
    "privet.combinators.sample_and_aggregate": ("SampleAndAggregate",),
    "privet.combinators.sparse_vector_technique": ("SparseVectorTechnique",),
    "privet.core.exact": ("exact",),
    "privet.core.measurement": ("Measurement",),
    "privet.core.metric": (
        "AbsoluteDistance",
        "DiscreteDistance",
        "HammingDistance",
        "IdentifierDistance",
        "InsertDelete",
        "PartitionDistance",
        "Parts",
        "RangeDistance",
        "SymmetricDistance",
        "VectorDistance",
    ),
    "privet.core.queryable": ("Queryable",),
    "privet.core.space": ("Space", "choice", "matrix", "numbers", "persons", "records", "scalar", "scores", "vector"),
    "privet.core.transformation": ("RandomTransformation", "Transformation"),
    "privet.imputation.bound_release": ("BoundRelease",),
    "privet.imputation.smooth_calibration": ("Guess", "choose_noise"),
    "privet.imputation.feature_grid": ("Feature", "FeatureGrid"),
    "privet.imputation.imputed_total": ("ImputedTotal",),
    "privet.imputation.influence": ("Influence",),
    "privet.imputation.queries": ("CentredSum", "PlainSum", "Products", "RowCount", "SquaredDeviations"),
    "privet.imputation.scheme": ("CustomScheme", "MajorityOfNeighbours", "MeanOfNeighbours", "NearestNeighbour"),
    "privet.mechanisms.above_threshold": ("AboveThreshold",),
    "privet.mechanisms.above_threshold_with_gap": ("AboveThresholdWithGap",),
    "privet.mechanisms.bounded_geometric": ("BoundedGeometric",),
    "privet.mechanisms.bounds_by_bands": ("BoundsByBands",),
    "privet.mechanisms.bounds_by_quantiles": ("BoundsByQuantiles",),
    "privet.mechanisms.exponential": ("Exponential",),
    "privet.mechanisms.gaussian": ("Gaussian",),
    "privet.mechanisms.gumbel_max": ("GumbelMax",),
    "privet.mechanisms.hierarchical_counts": ("HierarchicalCounts",),
    "privet.mechanisms.laplace": ("Laplace",),
    "privet.mechanisms.most_frequent_item": ("MostFrequentItem",),
    "privet.mechanisms.multiple_quantiles": ("MultipleQuantiles",),
    "privet.mechanisms.noisy_max_with_gap": ("NoisyMaxWithGap",),
    "privet.mechanisms.noisy_mean": ("NoisyMean",),
    "privet.mechanisms.permute_and_flip": ("PermuteAndFlip",),
    "privet.mechanisms.propose_test_release": ("ProposeTestRelease",),
    "privet.mechanisms.quantile": ("Quantile",),
    "privet.mechanisms.quantile_interval": ("QuantileInterval",),
    "privet.mechanisms.randomized_response": ("RandomizedResponse",),
    "privet.mechanisms.randomized_response_bits": ("RandomizedResponseBits",),
    "privet.mechanisms.size_upper_bound": ("SizeUpperBound",),
    "privet.mechanisms.smooth_noise": ("SmoothNoise",),
    "privet.mechanisms.sparse_vector": ("SparseVector",),
    "privet.mechanisms.stable_gaussian_histogram": ("StableGaussianHistogram",),
    "privet.mechanisms.stable_histogram": ("StableHistogram",),
    "privet.mechanisms.top_k": ("TopK",),
    "privet.mechanisms.truncated_laplace": ("TruncatedLaplace",),
    "privet.tables.statistics.contribution": ("Contribution",),
    "privet.tables.aggregates.correlation": ("correlation",),
    "privet.tables.aggregates.count": ("count",),
    "privet.tables.aggregates.count_distinct": ("count_distinct",),
    "privet.tables.aggregates.count_ids": ("count_ids",),
    "privet.tables.aggregates.covariance": ("covariance",),
    "privet.tables.aggregates.histogram": ("histogram",),
    "privet.tables.aggregates.mean": ("mean",),
    "privet.tables.aggregates.quantile": ("maximum", "median", "minimum", "quantile", "quantiles"),
    "privet.tables.aggregates.standard_deviation": ("std",),
    "privet.tables.aggregates.sum": ("sum",),
    "privet.tables.aggregates.sum_by_person": ("sum_by_person",),
    "privet.tables.aggregates.top_k": ("mode", "top_k"),
    "privet.tables.aggregates.variance": ("variance",),
    "privet.tables.columns.auto": ("Auto", "Estimated", "auto"),
    "privet.tables.queries.batch": ("Batch", "BatchRelease"),
    "privet.tables.relations.caps": ("Caps",),
    "privet.tables.codebook.codebook": ("Codebook",),
    "privet.tables.codebook.column": ("CodebookColumn", "column"),
    "privet.tables.codebook.nulls": (
        "NullPolicy",
        "NullsAsCategory",
        "NullsDrawn",
        "NullsDrawnFromCategories",
        "NullsDropped",
        "NullsReplaced",
    ),
    "privet.tables.codebook.problem": ("CodebookInvalid",),
    "privet.tables.codebook.smartnoise": ("SmartNoiseMetadata", "read_smartnoise"),
    "privet.tables.codebook.template": ("template",),
    "privet.tables.expressions.term": ("Term", "col"),
    "privet.tables.columns.implication": ("Implication", "implied"),
    "privet.tables.impute.release": ("ImputedRelease",),
    "privet.tables.nodes.filter_rows": ("FilterRows",),
    "privet.tables.nodes.from_table": ("FromTable",),
    "privet.tables.nodes.group_totals": ("GroupTotals", "Grouping"),
    "privet.tables.nodes.join_persons": ("JoinOwner",),
    "privet.tables.nodes.join_public": ("JoinPublic",),
    "privet.tables.nodes.project_columns": ("ProjectColumns",),
    "privet.tables.nodes.rows_of_groups": ("RowsOfGroups",),
    "privet.tables.nodes.summarize_persons": ("SummarizeOwner",),
    "privet.tables.nodes.union_rows": ("UnionRows",),
    "privet.tables.noise.planner": ("equal_error_weights", "plan_noise"),
    "privet.tables.noise.plan": ("NoisePlan",),
    "privet.tables.relations.public_table": ("PublicTable",),
    "privet.tables.queries.query": ("Query",),
    "privet.tables.queries.aggregate_query": ("Question",),
    "privet.tables.releases.release": ("Release",),
    "privet.tables.rollup.release": ("RollupRelease",),
    "privet.tables.session.session": ("Session",),
    "privet.tables.sql.answer": ("SqlAnswer",),
    "privet.tables.sql.read": ("read_sql",),
    "privet.tables.columns.unit": ("Persons", "PrivacyUnit", "Rows"),
    "privet.transforms.ask_stream": ("AskStream",),
    "privet.transforms.cast": ("Cast",),
    "privet.transforms.clamp": ("Clamp",),
    "privet.transforms.clamp_categories": ("ClampCategories",),
    "privet.transforms.clamp_norm": ("ClampNorm",),
    "privet.transforms.count": ("Count",),
    "privet.transforms.count_by": ("CountBy",),
    "privet.transforms.count_distinct": ("CountDistinct",),
    "privet.transforms.count_stream": ("CountStream",),
    "privet.transforms.covariance": ("Covariance",),
    "privet.transforms.digitize": ("Digitize",),
    "privet.transforms.drop_nulls": ("DropNulls",),
    "privet.transforms.duplicate": ("Duplicate",),
    "privet.transforms.endpoint_sums": ("EndpointSums",),
    "privet.transforms.filter": ("Filter",),
    "privet.transforms.group_size": ("GroupSize",),
    "privet.transforms.histogram": ("Histogram",),
    "privet.transforms.impute_categories": ("ImputeCategories",),
    "privet.transforms.impute_constant": ("ImputeConstant",),
    "privet.transforms.impute_gaussian": ("ImputeGaussian",),
    "privet.transforms.impute_uniform": ("ImputeUniform",),
    "privet.transforms.information_gain": ("InformationGain",),
    "privet.transforms.insert_ones": ("InsertOnes",),
    "privet.transforms.log_bands": ("LogBands",),
    "privet.transforms.map_stream": ("MapStream",),
    "privet.transforms.marginals": ("Marginals",),
    "privet.transforms.mean": ("Mean",),
    "privet.transforms.mode_scores": ("ModeScores",),
    "privet.transforms.part_stream": ("PartStream",),
    "privet.transforms.partition_by_key": ("PartitionByKey",),
    "privet.transforms.partition_persons": ("PartitionPersons",),
    "privet.transforms.partition_randomly": ("PartitionRandomly",),
    "privet.transforms.poisson_sample": ("PoissonSample",),
    "privet.transforms.quantile_scores": ("QuantileScores",),
    "privet.transforms.query_stream": ("QueryStream",),
    "privet.transforms.random_order": ("RandomOrder",),
    "privet.transforms.random_positions": ("RandomPositions",),
    "privet.transforms.raw_moments": ("RawMoments",),
    "privet.transforms.resize": ("Resize",),
    "privet.transforms.row_by_row": ("RowByRow",),
    "privet.transforms.select": ("Select",),
    "privet.transforms.shuffle": ("Shuffle",),
    "privet.transforms.simple_sample": ("SimpleSample",),
    "privet.transforms.smooth_median": ("SmoothMedian",),
    "privet.transforms.smooth_pairs": ("smooth",),
    "privet.transforms.standard_deviation": ("StandardDeviation",),
    "privet.transforms.stream_space": ("MonotonicStreamDistance", "Stream", "StreamDistance", "StreamDomain"),
    "privet.transforms.sum": ("Sum",),
    "privet.transforms.sum_of_outer_products": ("SumOfOuterProducts",),
    "privet.transforms.sum_of_squared_deviations": ("SumOfSquaredDeviations",),
    "privet.transforms.sum_stream": ("SumStream",),
    "privet.transforms.summarize": ("Summarize",),
    "privet.transforms.theil_sen_slopes": ("TheilSenSlopes",),
    "privet.transforms.truncate": ("Truncate",),
    "privet.transforms.union": ("Union",),
    "privet.transforms.unordered": ("Unordered",),
    "privet.transforms.user_scores": ("UserScores",),
    "privet.transforms.variance": ("Variance",),
    "privet.transforms.vector_mean": ("VectorMean",),
    "privet.transforms.vector_sum": ("VectorSum",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
_ROOMS = ("errors", "noise")

__all__ = sorted((*_HOME_OF, *_ROOMS))  # noqa: PLE0605 - a list of names, computed once


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"privet.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(_unknown(name))
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, __all__, n=1, cutoff=0.6) or [
        known for known in __all__ if known.lower() == name.lower()
    ]
    hint = f" Did you mean {close[0]}?" if close else " The public names are listed in dir(privet)."
    return f"privet has no name {name!r}.{hint}"
