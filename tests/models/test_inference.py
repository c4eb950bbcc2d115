"""The noise of moments, as the standard errors of a regression reckon with it."""

import numpy as np

from privet.models.inference import _Moments, _squared_noise


def test_products_off_the_diagonal_have_half_the_variance() -> None:
    found = _Moments(products=np.zeros((3, 3)), noise=7.0).variances()
    assert np.allclose(found, 49 * (np.eye(3) + (1 - np.eye(3)) * (99 / 140) ** 2))


def test_the_mean_of_noise_times_a_matrix_times_noise() -> None:
    """20,000 symmetric matrices; an entry of the mean errs by about 0.05, where the smallest is 3."""
    source = np.random.default_rng(3)
    variances = np.array([[4.0, 2.0, 1.0], [2.0, 3.0, 2.0], [1.0, 2.0, 5.0]])
    inner = np.array([[2.0, 1.5, -3.0], [1.5, 3.0, 2.0], [-3.0, 2.0, 4.0]])
    lower = np.tril(source.normal(size=(20_000, 3, 3)) * np.sqrt(variances))
    drawn = lower + np.swapaxes(np.tril(lower, -1), 1, 2)
    assert np.abs((drawn @ inner @ drawn).mean(axis=0) - _squared_noise(variances, inner)).max() < 1
