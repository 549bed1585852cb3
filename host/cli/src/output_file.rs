//! Checks the files that commands write. A typing error in the name must not destroy another file:
//! a command replaces a file only with one of the same kind.

use std::path::Path;

use anyhow::Result;
use sandboard_bundle::Bundle;
use sandboard_common::files::read_regular;

use crate::usage;

/// How many bytes at the start of a file are searched for the sign of its kind.
const HEAD_BYTES: u64 = 1024;

/// A kind of file that commands write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// The record of a bout.
    Record,
    /// A bundle of arenas.
    Bundle,
    /// A report as an HTML page.
    Html,
    /// The table of an arena's players.
    StandingsCsv,
    /// The table of an arena's games.
    GamesCsv,
    /// A list of openings.
    Openings,
    /// Bridge deals in PBN.
    Pbn,
    /// A page for `man`.
    ManualPage,
}

impl FileKind {
    /// The kind in messages.
    fn name(self) -> &'static str {
        match self {
            FileKind::Record => "a record",
            FileKind::Bundle => "a bundle",
            FileKind::Html => "a report of Sandboard",
            FileKind::StandingsCsv => "a table of an arena's players",
            FileKind::GamesCsv => "a table of an arena's games",
            FileKind::Openings => "a list of openings",
            FileKind::Pbn => "a PBN file",
            FileKind::ManualPage => "a manual page of Sandboard",
        }
    }

    /// Whether an existing file is of this kind. A file that cannot be read is not.
    fn is(self, path: &Path) -> bool {
        let sign = match self {
            FileKind::Bundle => return Bundle::open(path).is_ok(),
            FileKind::Record => sandboard_bout::record::FORMAT,
            FileKind::Html => "<meta name=\"generator\" content=\"Sandboard\" />",
            FileKind::StandingsCsv => "place,player,engine,version,",
            FileKind::GamesCsv => "game,pair_from_1,round_from_1,opening_from_1,",
            FileKind::Openings => "# found by: sandboard arena openings",
            FileKind::Pbn => "% PBN",
            FileKind::ManualPage => "\n.TH sandboard",
        };
        let has_sign = |head: &[u8]| head.windows(sign.len()).any(|part| part == sign.as_bytes());
        read_regular(path, HEAD_BYTES).is_ok_and(|head| has_sign(&head))
    }
}

/// Checks that a command may write a file: its folder exists, and what is there already is an empty
/// file or one of the same kind. `option` is the name of the option in the usage error.
pub(crate) fn ensure_replaceable(option: &str, path: &Path, kind: FileKind) -> Result<()> {
    let shown = path.display();
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(usage(format!("{option}: folder {} does not exist", folder.display())));
    }
    let Ok(found) = path.metadata() else { return Ok(()) };
    if found.is_dir() {
        return Err(usage(format!("{option} needs a file, and {shown} is a folder")));
    }
    if !found.is_file() {
        return Err(usage(format!("{option}: {shown} is not a regular file")));
    }
    if found.len() == 0 || kind.is(path) {
        return Ok(());
    }
    let kind = kind.name();
    Err(usage(format!("{option}: {shown} exists and is not {kind}; it is not overwritten")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_same_kind_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        let check = |content: Option<&str>, kind: FileKind, expected: Result<(), &str>| {
            drop(std::fs::remove_file(&file));
            if let Some(content) = content {
                std::fs::write(&file, content).unwrap();
            }
            let found = ensure_replaceable("--out", &file, kind).map_err(|error| error.to_string());
            match (&found, expected) {
                (Ok(()), Ok(())) => (),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                _ => panic!("{content:?} {kind:?}: {found:?}"),
            }
        };
        let kinds = [
            (FileKind::Record, "{\"format\":\"sandboard-record\"", "not a record"),
            (FileKind::Html, "<!DOCTYPE html>\n<p>mine</p>", "not a report of Sandboard"),
            (FileKind::StandingsCsv, "place,player,engine,version,x", "not a table of"),
            (FileKind::ManualPage, ".ds Aq \\(aq\n.TH sandboard-play 1", "not a manual page"),
            (FileKind::GamesCsv, "game,pair_from_1,round_from_1,opening_from_1,x", "not a table"),
            (
                FileKind::Openings,
                "# 5 openings\n# found by: sandboard arena openings",
                "not a list",
            ),
            (FileKind::Pbn, "% PBN 2.1\r\n", "not a PBN file"),
            (FileKind::Bundle, "PK\x03\x04", "not a bundle"),
        ];
        for (kind, content, refusal) in kinds {
            check(None, kind, Ok(()));
            check(Some(""), kind, Ok(()));
            check(Some("my only copy"), kind, Err(refusal));
            let own = !matches!(kind, FileKind::Html | FileKind::Bundle);
            check(Some(content), kind, if own { Ok(()) } else { Err(refusal) });
            for (other, content, _) in kinds.iter().filter(|(other, ..)| *other != kind) {
                assert_ne!(*other, kind);
                check(Some(content), kind, Err(refusal));
            }
        }
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, expected: &str| {
            let error = ensure_replaceable("--out", path, FileKind::Record).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        check(folder.path(), "is a folder");
        check(&folder.path().join("none/file"), "does not exist");
        check(Path::new("/dev/null"), "is not a regular file");
    }
}
