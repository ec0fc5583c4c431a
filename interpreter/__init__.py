"""The reference semantics: playing an `ir.Game`."""
