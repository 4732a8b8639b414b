"""Compactions in a row, and handoffs written early: where a conversation is cut, what each window holds, how stale."""
