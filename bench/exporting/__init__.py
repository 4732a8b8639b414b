"""A run in other tools' formats, and other tools' prompts as arms."""
