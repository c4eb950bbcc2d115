"""Eight first tasks on a CSV file of restaurant visits, one short program for each library and task."""
