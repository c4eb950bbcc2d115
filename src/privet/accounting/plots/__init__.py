"""Pictures of a loss: its privacy profile, its trade-off curve, its distribution."""
