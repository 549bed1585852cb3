//! Processes that may do next to nothing: they compute, read the files that they are handed,
//! and talk on one channel. Knows nothing of engines.
