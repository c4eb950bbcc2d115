"""What a visit cost on average, by restaurant."""

import pandas as pd
from diffprivlib import tools

RESTAURANTS = ["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]
visits = pd.read_csv("visits.csv")
for name in RESTAURANTS:
    chosen = visits.loc[visits["restaurant"] == name, "spending"]
    print(name, tools.mean(chosen, epsilon=1, bounds=(0, 100)))
