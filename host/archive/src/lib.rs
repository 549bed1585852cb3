//! ZIP archives. Reads those of strangers: checks every name, type and size when an archive is
//! opened, and every byte when a file is read. Writes archives that this and other readers accept.
//! Knows nothing of what the files hold.
//!
//! Invariant: nothing in an archive is run, and no path of one is passed to the system.
//!
//! Entry points: [`Archive`] reads, [`ZipWriter`] writes.
#![forbid(unsafe_code)]

mod archive;
mod directory;
mod extract;
#[cfg(any(test, feature = "test-support"))]
pub mod fixtures;
mod names;
mod relative_path;
mod zip_writer;

#[cfg(test)]
mod tests;

pub use archive::{Archive, Source};
pub use extract::ExtractError;
pub use names::ArchiveFile;
pub use relative_path::{RELATIVE_PATH_BYTES_MAX, check_relative_path};
pub use zip_writer::ZipWriter;

/// The largest compression ratio (unpacked by packed size) of a file with more than
/// [`RATIO_FREE_BYTES`].
pub const RATIO_MAX: u64 = 200;

/// The unpacked size up to which the ratio of a file is not limited, in bytes.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;

/// The longest path in an archive, in bytes. Below a cache folder it must be short enough for every
/// system.
pub const PATH_BYTES_MAX: usize = 240;

/// The most names in the path of a file.
pub const PATH_DEPTH_MAX: usize = 8;

/// The limits of an archive.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// The most entries, folders included.
    pub entries: usize,
    /// The largest archive, in bytes.
    pub archive_bytes: u64,
    /// The largest unpacked size of one file, in bytes.
    pub file_bytes: u64,
    /// The largest unpacked size of all files together, in bytes.
    pub unpacked_bytes: u64,
}
