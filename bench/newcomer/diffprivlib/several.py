"""The number of visits, the mean spending and the median stay, in one budget."""

import pandas as pd
from diffprivlib import tools

visits = pd.read_csv("visits.csv")
print(tools.count_nonzero(visits["visitor_id"], epsilon=1 / 3))
print(tools.mean(visits["spending"], epsilon=1 / 3, bounds=(0, 100)))
print(tools.median(visits["minutes"], epsilon=1 / 3, bounds=(0, 180)))
