"""Exact noise: every sampler draws from its stated distribution, not from a rounded one.

All randomness comes from :mod:`privet.noise.entropy`; parameters are exact numbers; no floating-point function decides
a draw. Proofs: docs/noise/index.md.
"""

from privet.noise.bernoulli import bernoulli
from privet.noise.bernoulli_exp import bernoulli_exp
from privet.noise.binomial import binomial
from privet.noise.discrete_gaussian import discrete_gaussian
from privet.noise.discrete_laplace import (
    discrete_laplace,
    discrete_laplace_mass,
    discrete_laplace_quantile,
    discrete_laplace_tail,
)
from privet.noise.entropy import Entropy, SystemEntropy, current
from privet.noise.gaussian_sums import discrete_gaussian_mass, discrete_gaussian_quantile, discrete_gaussian_tail
from privet.noise.generalised_cauchy import generalised_cauchy
from privet.noise.geometric import geometric, geometric_mass, geometric_quantile, geometric_tail
from privet.noise.hypergeometric import hypergeometric
from privet.noise.poisson import poisson
from privet.noise.sampling import distinct_keys, shuffle, simple_sample
from privet.noise.spherical_laplace import spherical_laplace
from privet.noise.student_t import student_t
from privet.noise.truncated_negative_binomial import truncated_negative_binomial
from privet.noise.uniform import uniform_below

__all__ = [
    "Entropy",
    "SystemEntropy",
    "bernoulli",
    "bernoulli_exp",
    "binomial",
    "current",
    "discrete_gaussian",
    "discrete_gaussian_mass",
    "discrete_gaussian_quantile",
    "discrete_gaussian_tail",
    "discrete_laplace",
    "discrete_laplace_mass",
    "discrete_laplace_quantile",
    "discrete_laplace_tail",
    "distinct_keys",
    "generalised_cauchy",
    "geometric",
    "geometric_mass",
    "geometric_quantile",
    "geometric_tail",
    "hypergeometric",
    "poisson",
    "shuffle",
    "simple_sample",
    "spherical_laplace",
    "student_t",
    "truncated_negative_binomial",
    "uniform_below",
]
