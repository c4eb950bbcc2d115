"""Private answers on data with missing values: nearest-neighbour imputation with an exact bound of its influence."""
