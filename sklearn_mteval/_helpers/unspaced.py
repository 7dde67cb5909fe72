"""Scripts that are written without spaces between words."""

# For a class of a regular expression: Thai, Lao, Burmese, Khmer, kana, Chinese characters.
UNSPACED_CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
)
