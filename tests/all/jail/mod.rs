//! Jailed processes, made by the real binary.

use std::io::{BufRead, BufReader, Write};

use sandboard_host::jail::probe::Tried;
use sandboard_host::jail::{Inmate, Jail, Order, Role};

use crate::cli::binary;

fn order(role: Role) -> Order {
    Order { role, memory_bytes: 64 << 20, cpu_s: None, file_bytes: 0, files: Vec::new() }
}

/// What came of an act, tried by a probe.
fn try_act(inmate: &mut Inmate, act: &str) -> Tried {
    writeln!(inmate.channel, "{act}").unwrap();
    let mut line = String::new();
    BufReader::new(&inmate.channel).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}

#[test]
fn an_inmate_has_no_sockets() {
    let jail = Jail::start(&binary()).unwrap();
    for role in [Role::Native, Role::Wasm, Role::Compile] {
        let mut inmate = jail.spawn_probe(order(role)).unwrap();
        assert!(try_act(&mut inmate, "socket").refused.is_some(), "{role:?}");
        inmate.end();
    }
}
