//! Hostile wasm engines, one test for each row of `tests/fixtures/hostile/wasm.tsv`: how the host
//! handles each, with which sentences, and that a concurrent bout in the same process is not
//! disturbed.

/// Defines one test per row of the table.
macro_rules! rows {
    ($($test:ident $row:literal $cases:expr;)*) => {
        /// The row ids that have tests here.
        const ROWS: &[&str] = &[$($row),*];

        $(
            #[test]
            fn $test() {
                let cases: fn(&Harness) = $cases;
                beside_a_concurrent_bout(cases);
            }
        )*
    };
}

mod ends;
mod fair;
mod files;
mod floods;
mod greed;
pub(crate) mod guest;
mod harness;
mod lies;
#[cfg(target_os = "linux")]
pub(crate) mod native;
mod pondering;
#[cfg(target_os = "linux")]
pub(crate) mod process;

use sandboard_engine_wasm::scan::{CAPS, Cap};
use sandboard_tests::root;

use harness::{Harness, beside_a_concurrent_bout};

rows! {
    damaged_files "malformed" files::damaged;
    a_precompiled_module "precompiled" files::precompiled;
    oversized_files "oversized" files::oversized;
    decompression_bombs "bombs" files::bombs;
    disabled_proposals "proposals" files::proposals;
    other_interfaces "border" files::interfaces;
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
    invalid_answers "lies" lies::invalid_answers;
    absurd_answers "absurd-answers" lies::absurd_answers;
    floats "floats" fair::floats;
    resources_of_its_own "resources" floods::resources;
    side_channels "side-channels" fair::side_channels;
    state_of_previous_games "state" fair::state;
}

/// The rows of the table: id, and what the row waits for (`-` for nothing).
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
fn rows_and_tests_correspond() {
    let table = table();
    let ids: Vec<&str> = table.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ROWS);
}

#[test]
fn no_row_waits_for_a_missing_feature() {
    let waits: Vec<_> = table().into_iter().filter(|(_, waits)| waits != "-").collect();
    assert_eq!(waits, []);
}

#[test]
fn the_documented_caps_match_the_code() {
    let page = std::fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let head = "| what | `--cap` | everyday | contest | why |\n|---|---|---|---|---|\n";
    let (_, table) = page.split_once(head).unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let row = |cap: &Cap| {
        let Cap { name, label, everyday, contest, reason, ceiling, .. } = cap;
        let most = ceiling.map_or(String::new(), |(most, _)| format!(", at most {most}"));
        format!("| {label} | `{name}`{most} | {everyday} | {contest} | {reason} |")
    };
    let caps: Vec<String> = CAPS.iter().map(row).collect();
    assert_eq!(table.lines().collect::<Vec<_>>(), caps);
}
