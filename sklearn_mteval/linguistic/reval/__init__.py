"""ReVal: similarity of a translation and its reference by an LSTM or Tree-LSTM (2015 paper)."""
