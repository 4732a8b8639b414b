"""What real sessions say of a handoff: field evidence beside recall. Observations, never experiments."""
