"""Tests at full strength, minutes each; make test-long runs them, make test their weaker sisters."""
