//! Exact play of the last empty squares.
