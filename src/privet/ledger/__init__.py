"""The ledger: privacy budgets that survive restarts, crashes and several processes."""
