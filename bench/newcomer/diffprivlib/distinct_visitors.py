"""How many visitors there were."""

import pandas as pd
from diffprivlib.mechanisms import Geometric

visits = pd.read_csv("visits.csv")
print(Geometric(epsilon=1, sensitivity=1).randomise(visits["visitor_id"].nunique()))
