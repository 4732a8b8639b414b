"""What stands around a model call that may cost money: guard, journal, retries, schedule, prices, locks."""
