//! Engines in processes of their own, each in its jail: what the host says to such a
//! worker, what the worker does, and an [`Engine`](crate::engine::Engine) that is one.

pub mod frame;
pub mod message;
