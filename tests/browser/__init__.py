"""What only a browser or a notebook server can tell: ``make test-browser`` installs both and runs these tests."""
