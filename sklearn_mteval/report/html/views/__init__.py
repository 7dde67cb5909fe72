"""What notebooks show of each kind of object: plain values, of which forms are made."""
