//! Hostile external engines, one test for each row of `tests/fixtures/hostile/process.tsv`: the
//! fault that ends the game, or the system's answers while the program plays on.

pub(crate) mod guest;
mod jailed;
mod rows;

use sandboard_tests::root;

use super::harness::{Harness, beside_a_concurrent_bout};

rows! {
    programs_that_end "ends" rows::ends;
    programs_that_do_not_answer "silence" rows::silence;
    programs_that_ignore_stop "deaf-to-stop" rows::ignored_stop;
    programs_that_are_slow "slow" rows::slow;
    cpu_time_of_all_threads "cpu" rows::cpu;
    memory_beyond_the_cap "memory" rows::memory;
    invalid_answers "lies" rows::invalid_answers;
    unrequested_answers "unasked" rows::unrequested;
    absurd_reports "reports" rows::reports;
    floods_of_lines "floods" rows::floods;
    floods_of_standard_error "stderr" rows::stderr;
    other_processes "processes" jailed::processes;
    other_programs "programs" jailed::programs;
    the_network "network" jailed::network;
    files_of_the_machine "files" jailed::files;
    files_at_the_same_path "places" jailed::shared_paths;
    the_maximum_number_of_files "crowded-places" jailed::maximum_files;
    inherited_resources "heirlooms" jailed::inherited;
    shared_memory "shared-memory" jailed::shared_memory;
}

#[test]
fn rows_and_tests_correspond() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/hostile/process.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let columns = lines.map(|line| line.split('\t').collect::<Vec<_>>()).collect::<Vec<_>>();
    assert!(columns.iter().all(|columns| columns.len() == 4));
    let ids: Vec<&str> = columns.iter().map(|columns| columns[0]).collect();
    assert_eq!(ids, ROWS);
    // Every act of a row exists in the program and is used by a test.
    let cases = [include_str!("process/rows.rs"), include_str!("process/jailed.rs")].concat();
    let sources = ["ends", "lies", "reach"].map(|name| {
        std::fs::read_to_string(root().join(format!("tests/c/program/{name}.c"))).unwrap()
    });
    for act in columns.iter().flat_map(|columns| columns[3].split(' ')) {
        let name = act.split('@').next().unwrap();
        assert!(
            sources.concat().contains(&format!("{{ \"{name}\",")),
            "{act} is not an act of the program"
        );
        assert!(cases.contains(&format!("\"{act}\"")), "{act} is not tested");
    }
}
