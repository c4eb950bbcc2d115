"""The columns that an imputation adds to the rows that it reads."""

RESERVED = "privet "
ROW, LACKING = "privet row", "privet lacking"
