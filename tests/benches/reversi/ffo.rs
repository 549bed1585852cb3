//! FFO 40 to 44, solved exactly from scratch by one thread (or `threads=2`): seconds, nodes and
//! nodes per second. The program is an example of the engine's crate, built like released engines.
//! The bars are three times the times of Edax 4.5.6 in a build for AVX-512 on the project's
//! reference machine.

use std::process::Command;

use sandboard_tests::root;
use serde_json::Value;

use crate::parts::setting;
use crate::table::{Bar, Table};

/// Edax's times per problem, in seconds.
const EDAX: [(&str, f64); 5] =
    [("ffo40", 0.16), ("ffo41", 0.35), ("ffo42", 0.41), ("ffo43", 1.67), ("ffo44", 0.40)];

pub(crate) fn measure(table: &mut Table) {
    let threads = setting("threads", "1");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--package", "reversi-ponder", "--example", "ffo"])
        .args(["--", "json", &format!("threads={threads}")])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the example `ffo` failed: {errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    let (mut seconds, mut nodes, mut solved) = (0.0, 0.0, 0.0);
    for (line, (id, edax)) in text.lines().zip(EDAX) {
        let found: Value = serde_json::from_str(line).expect("a line of JSON");
        assert_eq!(found["id"], *id, "problems in order");
        let took = found["seconds"].as_f64().expect("a number");
        table.add(format!("{id}, {threads} thread(s)"), took, "s", Some(Bar::AtMost(3.0 * edax)));
        seconds += took;
        nodes += found["nodes"].as_f64().expect("a number");
        solved += f64::from(u8::from(found["solved"] == true));
    }
    table.add("solved", solved, "of 5", Some(Bar::AtLeast(5.0)));
    table.add("all", seconds, "s", Some(Bar::AtMost(8.97)));
    table.add("nodes", nodes / 1e6, "M", None);
    table.add("nodes a second", nodes / seconds / 1e6, "M", Some(Bar::AtLeast(25.0)));
}
