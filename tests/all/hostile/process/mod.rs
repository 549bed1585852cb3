//! Programs that mean harm, one row of `tests/fixtures/hostile/process.tsv` after the other:
//! how the game ends and in which words, or what the system answered while it was played on.

pub mod guest;
mod jailed;
mod rows;

use sandboard_tests::root;

use super::room::{Room, beside_a_bout};

rows! {
    programs_that_end "ends" rows::ends;
    programs_that_do_not_answer "silence" rows::silence;
    programs_that_are_deaf_to_stop "deaf-to-stop" rows::deaf_to_stop;
    programs_that_are_slow "slow" rows::slow;
    cpu_time_of_all_threads "cpu" rows::cpu;
    memory_beyond_the_cap "memory" rows::memory;
    answers_that_are_none "lies" rows::lies;
    answers_to_nothing "unasked" rows::unasked;
    reports_that_are_absurd "reports" rows::reports;
    floods_of_lines "floods" rows::floods;
    floods_of_standard_error "stderr" rows::stderr;
    other_processes "processes" jailed::processes;
    other_programs "programs" jailed::programs;
    the_network "network" jailed::network;
    files_of_the_machine "files" jailed::files;
    files_at_the_same_place "places" jailed::places;
    as_many_files_as_may_be "crowded-places" jailed::crowded_places;
    what_is_inherited "heirlooms" jailed::heirlooms;
}

#[test]
fn every_row_has_its_cases_and_every_case_its_row() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/hostile/process.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let columns = lines.map(|line| line.split('\t').collect::<Vec<_>>()).collect::<Vec<_>>();
    assert!(columns.iter().all(|columns| columns.len() == 4));
    let ids: Vec<&str> = columns.iter().map(|columns| columns[0]).collect();
    assert_eq!(ids, ROWS);
    // Every act that is named is one of the program's, and is tried here.
    let cases = [include_str!("rows.rs"), include_str!("jailed.rs")].concat();
    let sources = ["ends", "lies", "reach"].map(|name| {
        std::fs::read_to_string(root().join(format!("tests/c/program/{name}.c"))).unwrap()
    });
    for act in columns.iter().flat_map(|columns| columns[3].split(' ')) {
        let name = act.split('@').next().unwrap();
        assert!(sources.concat().contains(&format!("{{ \"{name}\",")), "{act} is no act");
        assert!(cases.contains(&format!("\"{act}\"")), "{act} is not tried");
    }
}
