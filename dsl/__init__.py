"""From text to IR: reading, parsing, merging variants, checking and lowering rule files."""
