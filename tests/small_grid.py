"""The grids on which the tests run the decks of flows: small ones, in which their forced waves still are."""
from pathlib import Path

GRIDS = {"inputs/kolm": ["-generate_points", "48,48"],
         "inputs/hit": ["-grid_points", "8,8,8", "-generate_points", "12,12,12", "-start_peak", "1"]}


def small_grid(deck):
    return [] if deck.endswith("smoke.yaml") else GRIDS.get(str(Path(deck).parent), [])
