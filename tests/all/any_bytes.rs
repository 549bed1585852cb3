//! Arbitrary input bytes: runs every check of `sandboard_tests::any_bytes` on the files of
//! `tests/fixtures/fuzz` and on random edits of them. Coverage is the task of libFuzzer (`cargo
//! xtask fuzz`); each run here takes seconds and tries other inputs.

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::Index;
use sandboard_tests::any_bytes::sections::{self, Change};
use sandboard_tests::any_bytes::{self, TARGETS};
use sandboard_tests::root;

use crate::hostile::guest::Guest;

fn folder(target: &str) -> PathBuf {
    root().join("tests/fixtures/fuzz").join(target)
}

/// The files of a folder with their names, in order.
fn files(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_fixture_passes_its_check() {
    for (target, check) in TARGETS {
        let files = files(&folder(target));
        assert!(!files.is_empty(), "{target} has no fixture");
        for (name, bytes) in files {
            assert!(bytes.len() <= 64 * 1024, "{target}/{name} is large: find a smaller one");
            eprintln!("{target}/{name}");
            check(&bytes);
        }
    }
}

#[test]
fn fixture_folders_and_fuzz_programs_match_the_targets() {
    let named: Vec<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut folders: Vec<String> = std::fs::read_dir(folder(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut sorted = named.clone();
    sorted.sort();
    assert_eq!(folders, sorted);
    for name in named {
        let program = root().join("tests/fuzz/targets").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&program).unwrap();
        let call = format!("any_bytes::{}(", name.replace('-', "_"));
        assert!(text.contains(&call), "{} does not call {call}…)", program.display());
    }
}

/// Inputs to edit: the target's fixtures, and for `manifest` also the parser's fixtures.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let more = match target {
        "manifest" => files(&root().join("tests/fixtures/manifest/good")),
        _ => Vec::new(),
    };
    files(&folder(target)).into_iter().chain(more).map(|(_, bytes)| bytes).collect()
}

/// An edit of a byte string.
#[derive(Clone, Debug)]
enum Edit {
    Set(Index, u8),
    Cut(Index, u8),
    Copy(Index, u8, Index),
    Insert(Index, Vec<u8>),
}

fn edit(words: &'static [&'static str]) -> impl Strategy<Value = Edit> {
    let place = any::<Index>;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (place(), any::<u8>()).prop_map(|(at, length)| Edit::Cut(at, length)),
        (place(), any::<u8>(), place()).prop_map(|(from, length, to)| Edit::Copy(from, length, to)),
        (place(), proptest::collection::vec(any::<u8>(), 1..6))
            .prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (place(), proptest::sample::select(words))
            .prop_map(|(at, word)| Edit::Insert(at, word.as_bytes().to_vec())),
    ]
}

fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    let part = |at: &Index, length: &u8, bytes: &[u8]| {
        let from = at.index(bytes.len() + 1);
        from..(from + usize::from(*length)).min(bytes.len())
    };
    for edit in edits {
        match edit {
            Edit::Set(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Edit::Set(..) => (),
            Edit::Cut(at, length) => drop(bytes.drain(part(at, length, &bytes))),
            Edit::Copy(from, length, to) => {
                let copied = bytes[part(from, length, &bytes)].to_vec();
                let to = to.index(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            Edit::Insert(at, more) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, more.iter().copied());
            }
        }
    }
    bytes
}

/// The words that inputs of a target are made of.
fn words(target: &str) -> &'static [&'static str] {
    match target {
        "manifest" => {
            &["<Engine", "/>", "</", "id=\"", "\"", "&#x41;", "<!--", "]]>", "max=\"", "é"]
        }
        "record" => &["null", "-1", "[]", "{}", "\"\"", "1e999", "18446744073709551615", ","],
        "formats" => {
            const WORDS: &[&str] = &[
                "(;",
                ";B[",
                "]",
                ")",
                "C[",
                "Piskvorky 15x15, 0:0, 0\n",
                "1,1,0\n",
                "h8 ",
                "\\",
                ":",
                "f5",
                "--",
                "BO[4 ",
                "-----OX--XO-----",
                " X;",
                "/1.5",
                "TY[8]",
                ";)",
            ];
            WORDS
        }
        "session" => {
            const WORDS: &[&str] = &[
                "\n!\n",
                "\n!resign\n",
                "\n!fault\n",
                "\n~29990 h8 a1\n",
                "go ",
                "go infinite\n",
                "stop\n",
                "position startpos moves ",
                " fen ",
                "banmoves ",
                "setoption name ",
                "isready\n",
                "START 15\n",
                "BEGIN\n",
                "BOARD\n",
                "SWAP2BOARD\n",
                "DONE\n",
                "TAKEBACK ",
                "INFO rule ",
                "genmove b\n",
                "play w ",
                "undo\n",
                "boardsize ",
                "set game ",
                "move ",
                "ping 1\n",
                "99999999999999999999",
                "-1 ",
                "7,7\n",
                "h8 ",
            ];
            WORDS
        }
        "moves" => &["\n", "\n<", "a1\n", "h8\n", " ", "/", "15", "b", "w", "pass\n", "é"],
        _ => {
            &["null", "{\"Ok\":", "{\"Err\":", "[", "]", "}", "\u{0}\u{0}\u{0}", ",", "-1", "1e400"]
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases, ..ProptestConfig::default() }
}

/// A test over edited seeds of one target.
macro_rules! edited_seeds {
    ($($test:ident $target:literal $cases:literal $check:path;)*) => {$(
        #[test]
        fn $test() {
            let some = (
                proptest::sample::select(seeds($target)),
                proptest::collection::vec(edit(words($target)), 0..6),
            );
            let mut runner = proptest::test_runner::TestRunner::new(config($cases));
            let result = runner.run(&some, |(seed, edits)| {
                $check(&edited(seed, &edits));
                Ok(())
            });
            result.unwrap_or_else(|error| panic!("{error}"));
        }
    )*};
}

edited_seeds! {
    edited_manifests "manifest" 400 any_bytes::manifest;
    edited_records "record" 400 any_bytes::record;
    edited_games "moves" 150 any_bytes::moves;
    edited_game_files "formats" 400 any_bytes::formats;
    edited_sessions "session" 400 any_bytes::session;
    edited_messages_from_engine_processes "from-engine-process" 400 any_bytes::from_engine_process;
    edited_messages_to_engine_processes "to-engine-process" 400 any_bytes::to_engine_process;
    components_with_edited_bytes "component" 60 any_bytes::component;
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn messages_of_random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        any_bytes::messages(&bytes);
    }
}

/// The component of a sound engine in WebAssembly text, and c-minimal's.
fn components() -> Vec<Vec<u8>> {
    vec![Guest::sound().bytes()]
}

fn change() -> impl Strategy<Value = Change> {
    (any::<u8>(), any::<u16>(), any::<u16>(), any::<u8>()).prop_map(|(kind, section, at, byte)| {
        Change { kind, section: section.into(), at: at.into(), byte }
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn components_with_edited_sections(
        component in proptest::sample::select(components()),
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        let changed = changes.iter().fold(component, |bytes, it| sections::changed(&bytes, *it));
        any_bytes::component(&changed);
    }
}

#[test]
fn split_sections_join_to_the_same_component() {
    let component = Guest::sound().bytes();
    let (header, parts) = sections::split(&component).unwrap();
    assert_eq!(sections::join(&header, &parts), component);
    assert!(parts.iter().any(|section| section.id == 1), "the component contains a module");
    // A component cut in the middle cannot be split.
    assert_eq!(sections::split(&component[..component.len() - 1]), None);
    assert_eq!(sections::split(b"\0asm"), None);
    // Sections of a module and of a component can both be changed.
    for kind in [5, 0x85] {
        let change = Change { kind, section: 0, at: 3, byte: 0xff };
        assert_ne!(sections::changed(&component, change), component, "{kind}");
    }
}
