//! Small parts that every crate of the host uses: files written whole or of limited
//! size, file locks, dates,
//! hexadecimal digits, safe printing of untrusted text, ordered parallel work, system clocks.
//! Knows nothing of engines, games or records.
//!
//! Entry points: [`files`] (written whole or not at all), [`lock`], [`ordered_work`], [`text`].
#![deny(unsafe_code)]

pub mod bounded_files;
pub mod bytes;
pub mod date;
pub mod file_modes;
pub mod files;
pub mod hex;
pub mod jail_paths;
pub mod line_reader;
pub mod lock;
pub mod ordered_work;
pub mod private_files;
pub mod suggestions;
pub mod sys;
pub mod text;
