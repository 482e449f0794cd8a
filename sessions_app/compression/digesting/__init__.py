"""How old messages are told in few words without a model: what is found in them, how it is written and read back."""
