"""The compiled loop of exact sums."""

from sklearn_mteval._helpers.compiled import compiled


@compiled
def add_exactly(bits, parts):
    """Add rows of float64's bits, int64 (n_rows, n_sums), to the parts (67, n_sums) of sums."""
    for row in range(bits.shape[0]):
        for k in range(bits.shape[1]):
            number = bits[row, k]
            exponent = (number >> 52) & 0x7FF
            whole = number & 0xFFFFFFFFFFFFF
            if exponent == 0:  # zero, or a subnormal number, which has no hidden bit
                if whole == 0:
                    continue
                exponent = 1
            else:
                whole |= 0x10000000000000
            # The number is whole * 2^(exponent - 1075), and 2^exponent = 2^(32 place) 2^shift.
            # No more than 63 bits are needed: 32 + 31 of the lower half, 21 + 31 of the upper.
            place, shift = exponent >> 5, exponent & 31
            low, high = (whole & 0xFFFFFFFF) << shift, (whole >> 32) << shift
            first, second, third = low & 0xFFFFFFFF, (low >> 32) + (high & 0xFFFFFFFF), high >> 32
            if number < 0:
                first, second, third = -first, -second, -third
            parts[place, k] += first
            parts[place + 1, k] += second
            parts[place + 2, k] += third
