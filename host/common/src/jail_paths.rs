//! Where a jailed program sees its files. Paths only; the jail makes the mounts.

/// The folder of a program's own files, read-only.
pub const PROGRAM_FOLDER: &str = "/own";
/// The folder of files that a program expects where its system's packages install them, read-only.
pub const SHARED_FOLDER: &str = "/usr/share";
pub const PROGRAM_FOLDERS: [&str; 2] = [PROGRAM_FOLDER, SHARED_FOLDER];
