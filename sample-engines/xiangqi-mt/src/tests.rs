//! The engine without a host.
