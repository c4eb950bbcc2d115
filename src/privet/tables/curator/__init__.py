"""The curator: private tables behind one budget, which charges and only then reads."""
