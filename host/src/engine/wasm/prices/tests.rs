//! The prices as they were frozen, and that nothing is left without one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::*;

/// Every price as a line: kind, name, parts.
fn written() -> String {
    let mut text = format!("version\tprices\t{PRICES_VERSION}\nunit\tparts\t{PARTS_PER_UNIT}\n");
    for (name, parts) in operators() {
        writeln!(text, "operator\t{name}\t{parts}").unwrap();
    }
    let cost = serde_json::to_value(operator_cost()).unwrap();
    let sized: BTreeMap<String, u64> = serde_json::from_value(cost["variable"].clone()).unwrap();
    for (name, parts) in sized.iter().filter(|(name, _)| !name.starts_with("array")) {
        writeln!(text, "sized\t{name}\t{parts}").unwrap();
    }
    for ImportPrice { name, call_parts, taken_parts, given_parts, .. } in IMPORTS {
        writeln!(text, "import\t{name}\t{call_parts}\t{taken_parts}\t{given_parts}").unwrap();
    }
    text
}

/// Every operator that a module of ours may hold with its price, as the runtime has it.
fn operators() -> BTreeMap<String, u64> {
    let cost = serde_json::to_value(operator_cost()).unwrap();
    let priced = CLASSES.iter().flat_map(|class| class.operators);
    priced.map(|name| (name.to_string(), cost[name].as_u64().unwrap())).collect()
}

#[test]
fn the_prices_are_those_that_were_frozen() {
    let file = format!("tests/fixtures/fuel/prices-v{PRICES_VERSION}.tsv");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&file);
    let frozen = std::fs::read_to_string(path).unwrap_or_default();
    let written = written();
    let differing: Vec<_> = written
        .lines()
        .map(|line| ("now", line))
        .filter(|(_, line)| !frozen.lines().any(|other| other == *line))
        .chain(
            frozen
                .lines()
                .map(|line| ("frozen", line))
                .filter(|(_, line)| !written.lines().any(|other| other == *line)),
        )
        .collect();
    assert!(
        differing.is_empty(),
        "{file} holds other prices: {differing:#?}\nRecords were made under the frozen ones. A \
         changed price means a new PRICES_VERSION and a file of its own, beside the old one."
    );
}

#[test]
fn each_operator_has_one_price() {
    let mut seen = BTreeSet::new();
    for class in CLASSES {
        for name in class.operators {
            assert!(seen.insert(name), "{name} has two prices");
            assert_eq!(operators()[*name], u64::from(class.parts), "{name}");
        }
    }
}

/// The proposals whose operators our modules may hold.
const ADMITTED: &[&str] =
    &["mvp", "sign_extension", "saturating_float_to_int", "bulk_memory", "reference_types", "simd"];

macro_rules! proposals {
    ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        &[$((stringify!($op), stringify!($proposal))),*]
    };
}

/// Every operator there is, and the proposal that brought it.
const PROPOSALS: &[(&str, &str)] = wasmparser::for_each_operator!(proposals);

#[test]
fn every_admitted_operator_has_a_price_and_no_other() {
    let priced = operators();
    for (name, proposal) in PROPOSALS {
        let admitted = ADMITTED.contains(proposal) && !EXCEPTED.contains(name);
        assert_eq!(priced.contains_key(*name), admitted, "{name} of {proposal}");
    }
    assert!(priced.keys().all(|name| PROPOSALS.iter().any(|(known, _)| known == name)));
}

/// Operators of admitted proposals that no valid module can hold: `select` of several values.
const EXCEPTED: &[&str] = &["TypedSelectMulti"];

#[test]
fn only_what_compiles_to_nothing_is_free() {
    let free: Vec<_> = operators().into_iter().filter(|(_, parts)| *parts == 0).collect();
    let names: Vec<_> = free.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Block", "Drop", "Else", "End", "Nop", "Unreachable"]);
    // What can lead back, and so to more work, least of all.
    for name in ["Br", "BrIf", "BrTable", "Call", "CallIndirect", "Loop"] {
        assert!(operators()[name] > 0, "{name} is free");
    }
}

#[test]
fn units_and_parts_are_turned_into_each_other() {
    assert_eq!(parts(3), 96);
    assert_eq!(parts(u64::MAX), PARTS_MAX);
    assert_eq!([0, 31, 32, 33].map(whole_units), [0, 0, 1, 1]);
    assert_eq!([0, 31, 32, 33].map(units_begun), [0, 1, 1, 2]);
}
