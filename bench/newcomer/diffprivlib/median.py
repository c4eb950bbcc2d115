"""How long a visit lasted: the median."""

import pandas as pd
from diffprivlib import tools

visits = pd.read_csv("visits.csv")
print(tools.median(visits["minutes"], epsilon=1, bounds=(0, 180)))
