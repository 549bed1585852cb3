//! The parts against slow twins.
