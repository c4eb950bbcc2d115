"""Forms of loss and budgets. Each mechanism returns a loss; nothing here names a mechanism's class."""
