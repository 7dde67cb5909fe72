"""What words tell: alignment with references and competing systems, order, copies, n-grams."""
