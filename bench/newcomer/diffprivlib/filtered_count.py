"""How many visits cost more than 50."""

import pandas as pd
from diffprivlib import tools

visits = pd.read_csv("visits.csv")
print(tools.count_nonzero(visits["spending"] > 50, epsilon=1))
