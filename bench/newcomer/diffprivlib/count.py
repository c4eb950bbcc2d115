"""How many visits there were."""

import pandas as pd
from diffprivlib import tools

visits = pd.read_csv("visits.csv")
print(tools.count_nonzero(visits["visitor_id"], epsilon=1))
