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
    from privet import errors as errors
    from privet import noise as noise
    from privet.accounting.alternatives import LeastLoss as LeastLoss
    from privet.accounting.alternatives import WorstLoss as WorstLoss
    from privet.accounting.approximate import ApproximateLoss as ApproximateLoss
    from privet.accounting.approximate_concentrated import ApproximateConcentratedLoss as ApproximateConcentratedLoss
    from privet.accounting.bounded_range import BoundedRangeLoss as BoundedRangeLoss
    from privet.accounting.budget import budget as budget
    from privet.accounting.calibrate import Calibrated as Calibrated
    from privet.accounting.calibrate import calibrate as calibrate
    from privet.accounting.calibrate import calibrate_largest as calibrate_largest
    from privet.accounting.calibrate import calibrate_rounds as calibrate_rounds
    from privet.accounting.characteristic import CharacteristicLoss as CharacteristicLoss
    from privet.accounting.characteristic_forms import ApproximateTerm as ApproximateTerm
    from privet.accounting.characteristic_forms import BoundedRangeTerm as BoundedRangeTerm
    from privet.accounting.characteristic_forms import DiscreteLaplaceTerm as DiscreteLaplaceTerm
    from privet.accounting.characteristic_forms import FiniteTerm as FiniteTerm
    from privet.accounting.characteristic_forms import GaussianTerm as GaussianTerm
    from privet.accounting.characteristic_forms import LaplaceTerm as LaplaceTerm
    from privet.accounting.characteristic_term import CharacteristicTerm as CharacteristicTerm
    from privet.accounting.characteristic_term import StatedTerm as StatedTerm
    from privet.accounting.cluster_sampling import ClusterSampling as ClusterSampling
    from privet.accounting.concentrated import ConcentratedLoss as ConcentratedLoss
    from privet.accounting.explain import Explanation as Explanation
    from privet.accounting.forms import ApproximateForm as ApproximateForm
    from privet.accounting.forms import AssertedLoss as AssertedLoss
    from privet.accounting.forms import ConcentratedForm as ConcentratedForm
    from privet.accounting.forms import PureForm as PureForm
    from privet.accounting.forms import RenyiForm as RenyiForm
    from privet.accounting.gaussian import GaussianLoss as GaussianLoss
    from privet.accounting.group import GroupLoss as GroupLoss
    from privet.accounting.laplace import LaplaceLoss as LaplaceLoss
    from privet.accounting.loss import Loss as Loss
    from privet.accounting.optimal import optimal_heterogeneous as optimal_heterogeneous
    from privet.accounting.optimal import optimal_homogeneous as optimal_homogeneous
    from privet.accounting.population import Population as Population
    from privet.accounting.population import PopulationLoss as PopulationLoss
    from privet.accounting.pure import PureLoss as PureLoss
    from privet.accounting.randomized_response import RandomizedResponseLoss as RandomizedResponseLoss
    from privet.accounting.renyi import RenyiLoss as RenyiLoss
    from privet.accounting.repetitions import GeometricRepetitions as GeometricRepetitions
    from privet.accounting.repetitions import NegativeBinomialRepetitions as NegativeBinomialRepetitions
    from privet.accounting.repetitions import PoissonRepetitions as PoissonRepetitions
    from privet.accounting.sampled_gaussian import sampled_gaussian_renyi as sampled_gaussian_renyi
    from privet.accounting.sampling import AmplifiedLoss as AmplifiedLoss
    from privet.accounting.sampling import Poisson as Poisson
    from privet.accounting.sampling import UndirectedLoss as UndirectedLoss
    from privet.accounting.selection_loss import SelectionLoss as SelectionLoss
    from privet.accounting.shuffling import ShuffledLoss as ShuffledLoss
    from privet.accounting.shuffling import Shuffling as Shuffling
    from privet.accounting.simple_sampling import SimpleSampledLoss as SimpleSampledLoss
    from privet.accounting.simple_sampling import SimpleSampling as SimpleSampling
    from privet.accounting.smooth import GeneralisedCauchy as GeneralisedCauchy
    from privet.accounting.smooth import StudentT as StudentT
    from privet.accounting.smooth import calibrate_smooth as calibrate_smooth
    from privet.accounting.sum import SumLoss as SumLoss
    from privet.accounting.tradeoff import TradeoffLoss as TradeoffLoss
    from privet.accounting.truncated_laplace import TruncatedLaplaceLoss as TruncatedLaplaceLoss
    from privet.combinators.compositor import Compositor as Compositor
    from privet.combinators.compositor import ConcurrentCompositor as ConcurrentCompositor
    from privet.combinators.lloyd import Clusters as Clusters
    from privet.combinators.measure_conversion import MeasureConversion as MeasureConversion
    from privet.combinators.odometer import OdometerCompositor as OdometerCompositor
    from privet.combinators.odometer import PrivacyOdometer as PrivacyOdometer
    from privet.combinators.parallel_composition import ParallelComposition as ParallelComposition
    from privet.combinators.privacy_filter import FilterCompositor as FilterCompositor
    from privet.combinators.privacy_filter import PrivacyFilter as PrivacyFilter
    from privet.combinators.private_k_means import PrivateKMeans as PrivateKMeans
    from privet.combinators.private_selection import PrivateSelection as PrivateSelection
    from privet.combinators.sample_and_aggregate import SampleAndAggregate as SampleAndAggregate
    from privet.combinators.sparse_vector_technique import SparseVectorTechnique as SparseVectorTechnique
    from privet.core.exact import exact as exact
    from privet.core.measurement import Measurement as Measurement
    from privet.core.metric import AbsoluteDistance as AbsoluteDistance
    from privet.core.metric import DiscreteDistance as DiscreteDistance
    from privet.core.metric import HammingDistance as HammingDistance
    from privet.core.metric import IdentifierDistance as IdentifierDistance
    from privet.core.metric import InsertDelete as InsertDelete
    from privet.core.metric import PartitionDistance as PartitionDistance
    from privet.core.metric import Parts as Parts
    from privet.core.metric import RangeDistance as RangeDistance
    from privet.core.metric import SymmetricDistance as SymmetricDistance
    from privet.core.metric import VectorDistance as VectorDistance
    from privet.core.queryable import Queryable as Queryable
    from privet.core.space import Space as Space
    from privet.core.space import choice as choice
    from privet.core.space import matrix as matrix
    from privet.core.space import numbers as numbers
    from privet.core.space import persons as persons
    from privet.core.space import records as records
    from privet.core.space import scalar as scalar
    from privet.core.space import scores as scores
    from privet.core.space import vector as vector
    from privet.core.transformation import RandomTransformation as RandomTransformation
    from privet.core.transformation import Transformation as Transformation
    from privet.mechanisms.above_threshold import AboveThreshold as AboveThreshold
    from privet.mechanisms.above_threshold_with_gap import AboveThresholdWithGap as AboveThresholdWithGap
    from privet.mechanisms.bounded_geometric import BoundedGeometric as BoundedGeometric
    from privet.mechanisms.bounds_by_bands import BoundsByBands as BoundsByBands
    from privet.mechanisms.bounds_by_quantiles import BoundsByQuantiles as BoundsByQuantiles
    from privet.mechanisms.exponential import Exponential as Exponential
    from privet.mechanisms.gaussian import Gaussian as Gaussian
    from privet.mechanisms.gumbel_max import GumbelMax as GumbelMax
    from privet.mechanisms.hierarchical_counts import HierarchicalCounts as HierarchicalCounts
    from privet.mechanisms.laplace import Laplace as Laplace
    from privet.mechanisms.most_frequent_item import MostFrequentItem as MostFrequentItem
    from privet.mechanisms.multiple_quantiles import MultipleQuantiles as MultipleQuantiles
    from privet.mechanisms.noisy_max_with_gap import NoisyMaxWithGap as NoisyMaxWithGap
    from privet.mechanisms.noisy_mean import NoisyMean as NoisyMean
    from privet.mechanisms.permute_and_flip import PermuteAndFlip as PermuteAndFlip
    from privet.mechanisms.propose_test_release import ProposeTestRelease as ProposeTestRelease
    from privet.mechanisms.quantile import Quantile as Quantile
    from privet.mechanisms.quantile_interval import QuantileInterval as QuantileInterval
    from privet.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from privet.mechanisms.randomized_response_bits import RandomizedResponseBits as RandomizedResponseBits
    from privet.mechanisms.size_upper_bound import SizeUpperBound as SizeUpperBound
    from privet.mechanisms.smooth_noise import SmoothNoise as SmoothNoise
    from privet.mechanisms.sparse_vector import SparseVector as SparseVector
    from privet.mechanisms.stable_gaussian_histogram import StableGaussianHistogram as StableGaussianHistogram
    from privet.mechanisms.stable_histogram import StableHistogram as StableHistogram
    from privet.mechanisms.top_k import TopK as TopK
    from privet.mechanisms.truncated_laplace import TruncatedLaplace as TruncatedLaplace
    from privet.tables.caps import Caps as Caps
    from privet.tables.codebook import Codebook as Codebook
    from privet.tables.codebook_column import CodebookColumn as CodebookColumn
    from privet.tables.codebook_column import column as column
    from privet.tables.codebook_problem import CodebookInvalid as CodebookInvalid
    from privet.tables.codebook_smartnoise import SmartNoiseMetadata as SmartNoiseMetadata
    from privet.tables.codebook_smartnoise import read_smartnoise as read_smartnoise
    from privet.tables.expressions.term import Term as Term
    from privet.tables.expressions.term import col as col
    from privet.tables.implication import Implication as Implication
    from privet.tables.implication import implied as implied
    from privet.tables.nulls import NullPolicy as NullPolicy
    from privet.tables.nulls import NullsAsCategory as NullsAsCategory
    from privet.tables.nulls import NullsDrawn as NullsDrawn
    from privet.tables.nulls import NullsDrawnFromCategories as NullsDrawnFromCategories
    from privet.tables.nulls import NullsDropped as NullsDropped
    from privet.tables.nulls import NullsReplaced as NullsReplaced
    from privet.tables.query import Query as Query
    from privet.tables.session import Session as Session
    from privet.tables.template import template as template
    from privet.tables.unit import Persons as Persons
    from privet.tables.unit import PrivacyUnit as PrivacyUnit
    from privet.tables.unit import Rows as Rows
    from privet.transforms.ask_stream import AskStream as AskStream
    from privet.transforms.cast import Cast as Cast
    from privet.transforms.clamp import Clamp as Clamp
    from privet.transforms.clamp_categories import ClampCategories as ClampCategories
    from privet.transforms.clamp_norm import ClampNorm as ClampNorm
    from privet.transforms.count import Count as Count
    from privet.transforms.count_by import CountBy as CountBy
    from privet.transforms.count_distinct import CountDistinct as CountDistinct
    from privet.transforms.count_stream import CountStream as CountStream
    from privet.transforms.covariance import Covariance as Covariance
    from privet.transforms.digitize import Digitize as Digitize
    from privet.transforms.drop_nulls import DropNulls as DropNulls
    from privet.transforms.duplicate import Duplicate as Duplicate
    from privet.transforms.endpoint_sums import EndpointSums as EndpointSums
    from privet.transforms.filter import Filter as Filter
    from privet.transforms.group_size import GroupSize as GroupSize
    from privet.transforms.histogram import Histogram as Histogram
    from privet.transforms.impute_categories import ImputeCategories as ImputeCategories
    from privet.transforms.impute_constant import ImputeConstant as ImputeConstant
    from privet.transforms.impute_gaussian import ImputeGaussian as ImputeGaussian
    from privet.transforms.impute_uniform import ImputeUniform as ImputeUniform
    from privet.transforms.information_gain import InformationGain as InformationGain
    from privet.transforms.insert_ones import InsertOnes as InsertOnes
    from privet.transforms.log_bands import LogBands as LogBands
    from privet.transforms.map_stream import MapStream as MapStream
    from privet.transforms.marginals import Marginals as Marginals
    from privet.transforms.mean import Mean as Mean
    from privet.transforms.mode_scores import ModeScores as ModeScores
    from privet.transforms.part_stream import PartStream as PartStream
    from privet.transforms.partition_by_key import PartitionByKey as PartitionByKey
    from privet.transforms.partition_persons import PartitionPersons as PartitionPersons
    from privet.transforms.partition_randomly import PartitionRandomly as PartitionRandomly
    from privet.transforms.poisson_sample import PoissonSample as PoissonSample
    from privet.transforms.quantile_scores import QuantileScores as QuantileScores
    from privet.transforms.query_stream import QueryStream as QueryStream
    from privet.transforms.random_order import RandomOrder as RandomOrder
    from privet.transforms.random_positions import RandomPositions as RandomPositions
    from privet.transforms.raw_moments import RawMoments as RawMoments
    from privet.transforms.resize import Resize as Resize
    from privet.transforms.row_by_row import RowByRow as RowByRow
    from privet.transforms.select import Select as Select
    from privet.transforms.shuffle import Shuffle as Shuffle
    from privet.transforms.simple_sample import SimpleSample as SimpleSample
    from privet.transforms.smooth_median import SmoothMedian as SmoothMedian
    from privet.transforms.smooth_pairs import smooth as smooth
    from privet.transforms.standard_deviation import StandardDeviation as StandardDeviation
    from privet.transforms.stream_space import MonotonicStreamDistance as MonotonicStreamDistance
    from privet.transforms.stream_space import Stream as Stream
    from privet.transforms.stream_space import StreamDistance as StreamDistance
    from privet.transforms.stream_space import StreamDomain as StreamDomain
    from privet.transforms.sum import Sum as Sum
    from privet.transforms.sum_of_outer_products import SumOfOuterProducts as SumOfOuterProducts
    from privet.transforms.sum_of_squared_deviations import SumOfSquaredDeviations as SumOfSquaredDeviations
    from privet.transforms.sum_stream import SumStream as SumStream
    from privet.transforms.summarize import Summarize as Summarize
    from privet.transforms.theil_sen_slopes import TheilSenSlopes as TheilSenSlopes
    from privet.transforms.truncate import Truncate as Truncate
    from privet.transforms.union import Union as Union
    from privet.transforms.unordered import Unordered as Unordered
    from privet.transforms.user_scores import UserScores as UserScores
    from privet.transforms.variance import Variance as Variance
    from privet.transforms.vector_mean import VectorMean as VectorMean
    from privet.transforms.vector_sum import VectorSum as VectorSum

__version__ = "0.1.0"

_HOMES = {
    "privet.accounting.alternatives": ("LeastLoss", "WorstLoss"),
    "privet.accounting.approximate": ("ApproximateLoss",),
    "privet.accounting.approximate_concentrated": ("ApproximateConcentratedLoss",),
    "privet.accounting.bounded_range": ("BoundedRangeLoss",),
    "privet.accounting.budget": ("budget",),
    "privet.accounting.calibrate": ("Calibrated", "calibrate", "calibrate_largest", "calibrate_rounds"),
    "privet.accounting.characteristic": ("CharacteristicLoss",),
    "privet.accounting.characteristic_forms": (
        "ApproximateTerm",
        "BoundedRangeTerm",
        "DiscreteLaplaceTerm",
        "FiniteTerm",
        "GaussianTerm",
        "LaplaceTerm",
    ),
    "privet.accounting.characteristic_term": ("CharacteristicTerm", "StatedTerm"),
    "privet.accounting.cluster_sampling": ("ClusterSampling",),
    "privet.accounting.concentrated": ("ConcentratedLoss",),
    "privet.accounting.explain": ("Explanation",),
    "privet.accounting.forms": ("ApproximateForm", "AssertedLoss", "ConcentratedForm", "PureForm", "RenyiForm"),
    "privet.accounting.gaussian": ("GaussianLoss",),
    "privet.accounting.group": ("GroupLoss",),
    "privet.accounting.laplace": ("LaplaceLoss",),
    "privet.accounting.loss": ("Loss",),
    "privet.accounting.optimal": ("optimal_heterogeneous", "optimal_homogeneous"),
    "privet.accounting.population": ("Population", "PopulationLoss"),
    "privet.accounting.pure": ("PureLoss",),
    "privet.accounting.randomized_response": ("RandomizedResponseLoss",),
    "privet.accounting.renyi": ("RenyiLoss",),
    "privet.accounting.repetitions": ("GeometricRepetitions", "NegativeBinomialRepetitions", "PoissonRepetitions"),
    "privet.accounting.sampled_gaussian": ("sampled_gaussian_renyi",),
    "privet.accounting.sampling": ("AmplifiedLoss", "Poisson", "UndirectedLoss"),
    "privet.accounting.selection_loss": ("SelectionLoss",),
    "privet.accounting.shuffling": ("ShuffledLoss", "Shuffling"),
    "privet.accounting.simple_sampling": ("SimpleSampledLoss", "SimpleSampling"),
    "privet.accounting.smooth": ("GeneralisedCauchy", "StudentT", "calibrate_smooth"),
    "privet.accounting.sum": ("SumLoss",),
    "privet.accounting.tradeoff": ("TradeoffLoss",),
    "privet.accounting.truncated_laplace": ("TruncatedLaplaceLoss",),
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
    "privet.tables.caps": ("Caps",),
    "privet.tables.codebook": ("Codebook",),
    "privet.tables.codebook_column": ("CodebookColumn", "column"),
    "privet.tables.codebook_problem": ("CodebookInvalid",),
    "privet.tables.codebook_smartnoise": ("SmartNoiseMetadata", "read_smartnoise"),
    "privet.tables.expressions.term": ("Term", "col"),
    "privet.tables.implication": ("Implication", "implied"),
    "privet.tables.nulls": (
        "NullPolicy",
        "NullsAsCategory",
        "NullsDrawn",
        "NullsDrawnFromCategories",
        "NullsDropped",
        "NullsReplaced",
    ),
    "privet.tables.query": ("Query",),
    "privet.tables.session": ("Session",),
    "privet.tables.template": ("template",),
    "privet.tables.unit": ("Persons", "PrivacyUnit", "Rows"),
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
