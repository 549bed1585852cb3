//! Engines that mean harm, one row of `tests/fixtures/hostile/wasm.tsv` after
//! the other: what the host does about each, in the words of the report, and
//! that a bout next door never notices. What would wait for something
//! that is not built yet is named in its last column.

/// A test for each row of the table.
macro_rules! rows {
    ($($test:ident $row:literal $cases:expr;)*) => {
        /// The rows that have cases here.
        const ROWS: &[&str] = &[$($row),*];

        $(
            #[test]
            fn $test() {
                let cases: fn(&Room) = $cases;
                beside_a_bout(cases);
            }
        )*
    };
}

mod ends;
mod fair;
mod files;
mod floods;
mod greed;
pub mod guest;
mod lies;
#[cfg(target_os = "linux")]
pub mod native;
mod pondering;
#[cfg(target_os = "linux")]
pub mod process;
mod room;

use sandboard_host::engine::wasm::scan::{CAPS, Cap};
use sandboard_tests::root;

use room::{Room, beside_a_bout};

rows! {
    files_that_are_damaged "malformed" files::damaged;
    a_precompiled_module "precompiled" files::precompiled;
    files_with_too_much_in_them "oversized" files::oversized;
    files_that_blow_up "bombs" files::bombs;
    proposals_that_are_off "proposals" files::proposals;
    another_border "border" files::border;
    the_start_section "begin" ends::begin;
    loops_in_each_call "loops" ends::loops;
    realloc_and_post_return "realloc-and-post-return" ends::realloc_and_post_return;
    traps_in_each_call "traps" ends::traps;
    growth "growth" greed::growth;
    recursion "recursion" greed::recursion;
    bulk_memory "bulk-memory" greed::bulk_memory;
    a_host_call_past_the_deadline "slow-host-call" floods::slow_host_call;
    floods_of_host_calls "call-flood" floods::calls;
    floods_of_logs "log-flood" floods::logs;
    lies_at_the_border "lies" lies::lies;
    answers_that_are_absurd "absurd-answers" lies::absurd;
    floats "floats" fair::floats;
    floods_of_handles "handles" floods::handles;
    side_channels "side-channels" fair::side_channels;
    state_of_an_earlier_game "state" fair::state;
}

/// The rows of the table: id, and what of it waits.
fn table() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("tests/fixtures/hostile/wasm.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), 4, "{line}");
        (columns[0].to_owned(), columns[3].to_owned())
    };
    lines.map(row).collect()
}

#[test]
fn every_row_has_its_cases_and_every_case_its_row() {
    let table = table();
    let ids: Vec<&str> = table.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ROWS);
}

#[test]
fn nothing_waits() {
    let waits: Vec<_> = table().into_iter().filter(|(_, waits)| waits != "-").collect();
    assert_eq!(waits, []);
}

#[test]
fn the_caps_are_as_the_page_says() {
    let page = std::fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let head = "| what | `--cap` | everyday | contest | why |\n|---|---|---|---|---|\n";
    let (_, table) = page.split_once(head).unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let row = |cap: &Cap| {
        let Cap { word, name, everyday, contest, why, ceiling, .. } = cap;
        let most = ceiling.map_or(String::new(), |(most, _)| format!(", at most {most}"));
        format!("| {name} | `{word}`{most} | {everyday} | {contest} | {why} |")
    };
    let caps: Vec<String> = CAPS.iter().map(row).collect();
    assert_eq!(table.lines().collect::<Vec<_>>(), caps);
}
