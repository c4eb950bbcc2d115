"""The tasks of a newcomer with Tumult Analytics, on a local Spark."""
