//! Reads files of openings. Their lines are checked by [`Openings::parse`].

use std::path::Path;

use sandboard_arena_plan::{OPENINGS_BYTES, Openings, OpeningsError};
use sandboard_common::files::read_regular;
use sandboard_games::{GameInfo, Variant};

/// Reads a file. Positions must be of this variant and board size.
pub fn read_openings(
    path: &Path,
    game: &'static GameInfo,
    variant: &Variant,
) -> Result<Openings, OpeningsError> {
    let failed = |source| OpeningsError::Read { path: path.to_owned(), source };
    let bytes = read_regular(path, OPENINGS_BYTES).map_err(failed)?;
    if bytes.len() as u64 > OPENINGS_BYTES {
        let reason = format!("it has more than {OPENINGS_BYTES} bytes");
        return Err(OpeningsError::Refused { path: path.to_owned(), reason });
    }
    Openings::parse(bytes, path, game, variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_games::gomoku::INFO;

    #[test]
    fn a_file_is_read_or_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.txt");
        let variant = INFO.variant("freestyle-5").unwrap();
        let read = || read_openings(&path, &INFO, &variant);
        assert!(matches!(read(), Err(OpeningsError::Read { .. })));
        std::fs::write(&path, "zz\n").unwrap();
        let expected = format!("{}:1: is neither", path.display());
        assert!(read().unwrap_err().to_string().starts_with(&expected));
        std::fs::write(&path, "c3\n").unwrap();
        assert_eq!(read().unwrap().starts.len(), 1);
    }
}
