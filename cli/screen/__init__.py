"""The full-screen table: what `hoyle play` shows on a terminal, and `hoyle serve` in a browser."""
