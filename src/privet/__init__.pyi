"""The analyst's names."""

# Written by make names.

from privet import calculus as calculus
from privet import errors as errors
from privet import datasets as datasets
from privet import models as models
from privet import noise as noise
from privet.accounting.losses.loss import Loss as Loss
from privet.accounting.planning.budget import budget as budget
from privet.accounting.planning.explain import explain as explain
from privet.accounting.planning.infinite import InfiniteBudget as InfiniteBudget
from privet.accounting.sampling.population import Population as Population
from privet.accounting.sampling.sampling import Poisson as Poisson
from privet.accounting.sampling.simple_sampling import SimpleSampling as SimpleSampling
from privet.imputation.scheme import MajorityOfNeighbours as MajorityOfNeighbours
from privet.imputation.scheme import MeanOfNeighbours as MeanOfNeighbours
from privet.imputation.scheme import NearestNeighbour as NearestNeighbour
from privet.imputation.smooth_calibration import Guess as Guess
from privet.ledger.ledger import Ledger as Ledger
from privet.tables.aggregates.correlation import correlation as correlation
from privet.tables.aggregates.count import count as count
from privet.tables.aggregates.count_distinct import count_distinct as count_distinct
from privet.tables.aggregates.count_ids import count_ids as count_ids
from privet.tables.aggregates.covariance import covariance as covariance
from privet.tables.aggregates.geometric_mean import geometric_mean as geometric_mean
from privet.tables.aggregates.histogram import histogram as histogram
from privet.tables.aggregates.mean import mean as mean
from privet.tables.aggregates.quantile import maximum as maximum
from privet.tables.aggregates.quantile import median as median
from privet.tables.aggregates.quantile import minimum as minimum
from privet.tables.aggregates.quantile import quantile as quantile
from privet.tables.aggregates.quantile import quantiles as quantiles
from privet.tables.aggregates.standard_deviation import std as std
from privet.tables.aggregates.sum import sum as sum
from privet.tables.aggregates.sum_by_person import sum_by_person as sum_by_person
from privet.tables.aggregates.top_k import mode as mode
from privet.tables.aggregates.top_k import top_k as top_k
from privet.tables.aggregates.variance import variance as variance
from privet.tables.codebook.codebook import Codebook as Codebook
from privet.tables.codebook.column import column as column
from privet.tables.codebook.nulls import NullsAsCategory as NullsAsCategory
from privet.tables.codebook.nulls import NullsDrawn as NullsDrawn
from privet.tables.codebook.nulls import NullsDrawnFromCategories as NullsDrawnFromCategories
from privet.tables.codebook.nulls import NullsDrawnFromGaussian as NullsDrawnFromGaussian
from privet.tables.codebook.nulls import NullsDropped as NullsDropped
from privet.tables.codebook.nulls import NullsReplaced as NullsReplaced
from privet.tables.codebook.problem import CodebookError as CodebookError
from privet.tables.codebook.smartnoise import read_smartnoise as read_smartnoise
from privet.tables.codebook.template import template as template
from privet.tables.columns.auto import auto as auto
from privet.tables.columns.unit import Persons as Persons
from privet.tables.columns.unit import PrivacyUnit as PrivacyUnit
from privet.tables.columns.unit import Rows as Rows
from privet.tables.columns.unit import implied as implied
from privet.tables.custodian.check import check as check
from privet.tables.expressions.term import col as col
from privet.tables.impute.release import ImputedRelease as ImputedRelease
from privet.tables.keys.key_release import KeyRelease as KeyRelease
from privet.tables.keys.private import private as private
from privet.tables.queries.aggregate_query import AggregateQuery as AggregateQuery
from privet.tables.queries.batch import Batch as Batch
from privet.tables.releases.batch_release import BatchRelease as BatchRelease
from privet.tables.releases.release import Release as Release
from privet.tables.rollup.release import RollupRelease as RollupRelease
from privet.tables.session.planner import Planner as Planner
from privet.tables.session.query import Query as Query
from privet.tables.session.session import Session as Session
from privet.tables.sql.answer import SqlRelease as SqlRelease

__version__: str
__all__: list[str]
