"""The front door: private tables behind one budget."""
