"""What was spent, in all and on average."""

import pandas as pd
from diffprivlib import tools

visits = pd.read_csv("visits.csv")
print(tools.sum(visits["spending"], epsilon=0.5, bounds=(0, 100)))
print(tools.mean(visits["spending"], epsilon=0.5, bounds=(0, 100)))
