"""How tags, chunks and three kinds of trees are written as actions of the machine, and back."""
