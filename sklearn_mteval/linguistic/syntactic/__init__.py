"""Vectors of whole sentences, composed along their constituency trees."""
