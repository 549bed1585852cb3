//! `sandboard doctor` on this machine and on one that lacks layers.

use std::process::Command;

use sandboard_jail::Layer;
use serde_json::Value;

use super::jail;
use crate::cli::binary;

/// Runs `doctor`: exit code and output.
fn doctor(arguments: &[&str], without: &[Layer]) -> (Option<i32>, String) {
    let mut command = Command::new(binary());
    command.arg("doctor").args(arguments);
    command.args(without.iter().flat_map(|layer| ["--without", layer.word()]));
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

#[test]
fn the_doctor_lists_the_state_of_every_layer() {
    let (_, text) = doctor(&["--json"], &[]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let jail = jail(&[]);
    let rows = value["layers"].as_array().unwrap();
    assert_eq!(rows.len(), Layer::ALL.len());
    for (layer, row) in Layer::ALL.into_iter().zip(rows) {
        assert_eq!(row["layer"], layer.word());
        assert_eq!(row["in_force"], jail.layers().has(layer), "{row}");
        assert_eq!(row["reason"].is_null(), jail.layers().has(layer), "{row}");
    }
    assert!(value["trials"].as_u64().unwrap() > 300, "three roles and the whole table");
    assert_eq!(value["failed_trials"].as_array().unwrap().len(), 0, "{value}");
}

#[test]
fn contests_need_a_layer_that_closes_files() {
    let neither = [&Layer::NAMESPACES[..], &[Layer::Landlock]].concat();
    let check = |without: &[Layer], expected: i32, words: &[&str]| {
        let minimum = jail(without).layers().meets_minimum();
        let expected = if minimum.is_err() { 1 } else { expected };
        let (code, text) = doctor(&[], without);
        assert_eq!(code, Some(expected), "{text}");
        for words in words {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
    };
    check(&[], 0, &["in force  seccomp", "contests: yes"]);
    check(&Layer::NAMESPACES, 0, &["absent    mount-namespace", "advice: ", "contests: yes"]);
    let words = ["absent    memory-cgroup", "reason: it is disabled", "contests: yes"];
    check(&[Layer::MemoryCgroup], 0, &words);
    check(&[Layer::Landlock], 0, &["absent    landlock", "lsm=", "contests: yes"]);
    check(&neither, 1, &["contests: no; ", "landlock or mount-namespace"]);
}

#[test]
fn the_page_of_the_jail_has_a_row_for_each_layer() {
    let page = std::fs::read_to_string(sandboard_tests::root().join("docs/jail.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let layers: Vec<&str> = rows.map(|(word, _)| word).collect();
    assert_eq!(layers, Layer::ALL.map(Layer::word));
}
