//! Tests of parsing openings, and of the errors.

use std::path::Path;

use sandboard_games::gomoku::INFO;

use super::*;

/// The positions of a file's openings, or its faults as `line: reason`.
fn read(variant: &str, text: &str) -> Result<Vec<String>, Vec<String>> {
    let variant = INFO.variant(variant).unwrap();
    let fault = |fault: OpeningFault| format!("{}: {}", fault.line, fault.reason);
    let starts = parse(text, &INFO, &variant)
        .map_err(|faults| faults.into_iter().map(fault).collect::<Vec<_>>())?;
    Ok(starts.into_iter().filter_map(|start| start.position).collect())
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(read("freestyle-5", text).unwrap(), expected, "{text:?}");
}

/// Each expected fault is `line: start of the reason`.
fn check_faults(text: &str, expected: &[&str]) {
    let faults = read("freestyle-5", text).unwrap_err();
    assert_eq!(faults.len(), expected.len(), "{text:?}: {faults:?}");
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(expected), "{text:?}: {fault:?}, not {expected:?}");
    }
}

#[test]
fn moves_and_positions_are_read() {
    check("", &[]);
    check("# nothing\n\n   \n\t# here\n", &[]);
    check("c3", &["5/5/2x2/5/5 w"]);
    check("c3 d3\n", &["5/5/2xo1/5/5 b"]);
    check("  C3\td3  \r\nc3 # a comment\r\n", &["5/5/2xo1/5/5 b", "5/5/2x2/5/5 w"]);
    check("5/5/2x2/5/5 w", &["5/5/2x2/5/5 w"]);
    check("\u{feff}5/5/5/5/5 b\na1 a2 a3", &["5/5/5/5/5 b", "5/5/x4/o4/x4 w"]);
}

#[test]
fn all_invalid_lines_are_reported() {
    check_faults("h8", &["1: is neither a line of moves (`h8` is refused: there is no column h"]);
    check_faults(
        "c3 c3\n# fine\nd4\nzz\n5/5/5/5 b\nc3 d4 e9",
        &[
            "1: move 2 `c3` is refused: ",
            "4: is neither a line of moves (`zz` is refused: ",
            "5: is neither a line of moves (`5/5/5/5` is refused: ",
            "6: move 3 `e9` is refused: there is no row 9",
        ],
    );
    // A position of another board size belongs to another variant.
    check_faults("6/6/6/6/6/6 b", &["1: is neither"]);
    check_faults("a1 b2 a2 b3 a3 b4 a4 b5 a5", &["1: the game is over there: "]);
    check_faults("xxxxx/ooooo/5/5/5 b", &["1: "]);
    check_faults("c3#d3", &["1: is neither"]);
}

#[test]
fn whole_files_are_hashed_or_refused() {
    let variant = INFO.variant("freestyle-5").unwrap();
    let read =
        |bytes: &[u8]| Openings::parse(bytes.to_vec(), Path::new("openings.txt"), &INFO, &variant);
    assert!(read(b"# none\n").unwrap_err().to_string().ends_with("it contains no openings"));
    assert!(read(b"c3\n\xff\n").unwrap_err().to_string().ends_with("line 2 is not UTF-8"));
    let text = read("zz\n".repeat(60).as_bytes()).unwrap_err().to_string();
    assert!(text.contains("openings.txt:50: is neither") && !text.contains(":51:"), "{text}");
    assert!(text.ends_with("openings.txt are invalid") && text.contains("\n10 more lines of"));
    assert!(read(b"abc").is_err());
    let openings = read(b"c3\n").unwrap();
    assert_eq!(openings.starts.len(), 1);
    assert_eq!(openings.sha256, SHA256);
}

/// `printf 'c3\n' | sha256sum`.
const SHA256: &str = "6dcc7ca742b4e97a92a600117169db6861b3750b6d9163d53212724067112186";
