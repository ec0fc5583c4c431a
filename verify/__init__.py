"""From IR to verdicts. Only this package may import the solver."""
