"""How many visits each restaurant had."""

import pandas as pd
from diffprivlib import tools

RESTAURANTS = ["Bella", "Corner", "Harbour", "Lotus", "Mill", "Olive", "Station"]
visits = pd.read_csv("visits.csv")
places = pd.Categorical(visits["restaurant"], categories=RESTAURANTS).codes
counts, _ = tools.histogram(places, epsilon=1, bins=len(RESTAURANTS), range=(0, len(RESTAURANTS)))
print(dict(zip(RESTAURANTS, counts, strict=True)))
