//! Compares the prices with the frozen ones, and checks that every operator has one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::*;

/// All prices, one per line: kind, name, parts.
fn price_list() -> String {
    let mut text = format!("version\tprices\t{PRICES_VERSION}\nunit\tparts\t{PARTS_PER_UNIT}\n");
    for (name, parts) in operators() {
        writeln!(text, "operator\t{name}\t{parts}").unwrap();
    }
    let cost = serde_json::to_value(operator_cost()).unwrap();
    let by_size: BTreeMap<String, u64> = serde_json::from_value(cost["variable"].clone()).unwrap();
    for (name, parts) in by_size.iter().filter(|(name, _)| !name.starts_with("array")) {
        writeln!(text, "sized\t{name}\t{parts}").unwrap();
    }
    for ImportPrice { name, call_parts, input_byte_parts, output_byte_parts, .. } in IMPORT_PRICES {
        writeln!(text, "import\t{name}\t{call_parts}\t{input_byte_parts}\t{output_byte_parts}")
            .unwrap();
    }
    text
}

/// All operators that a module may contain, with their price in the runtime.
fn operators() -> BTreeMap<String, u64> {
    let cost = serde_json::to_value(operator_cost()).unwrap();
    let priced = PRICE_CLASSES.iter().flat_map(|class| class.operators);
    priced.map(|name| (name.to_string(), cost[name].as_u64().unwrap())).collect()
}

#[test]
fn prices_equal_the_frozen_ones() {
    let file = format!("tests/fixtures/fuel/prices-v{PRICES_VERSION}.tsv");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&file);
    let frozen = std::fs::read_to_string(path).unwrap_or_default();
    let current = price_list();
    let differing: Vec<_> = current
        .lines()
        .map(|line| ("now", line))
        .filter(|(_, line)| !frozen.lines().any(|other| other == *line))
        .chain(
            frozen
                .lines()
                .map(|line| ("frozen", line))
                .filter(|(_, line)| !current.lines().any(|other| other == *line)),
        )
        .collect();
    assert!(
        differing.is_empty(),
        "{file} has other prices: {differing:#?}\nRecords depend on the frozen ones. A changed price \
         needs a new PRICES_VERSION and another file beside the old one."
    );
}

#[test]
fn each_operator_has_one_price() {
    let mut seen = BTreeSet::new();
    for class in PRICE_CLASSES {
        for name in class.operators {
            assert!(seen.insert(name), "{name} has two prices");
            assert_eq!(operators()[*name], u64::from(class.parts), "{name}");
        }
    }
}

/// The proposals whose operators a module may contain.
const ALLOWED_PROPOSALS: &[&str] =
    &["mvp", "sign_extension", "saturating_float_to_int", "bulk_memory", "reference_types", "simd"];

macro_rules! proposals {
    ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        &[$((stringify!($op), stringify!($proposal))),*]
    };
}

/// All operators of WebAssembly with their proposals.
const OPERATORS: &[(&str, &str)] = wasmparser::for_each_operator!(proposals);

#[test]
fn exactly_the_allowed_operators_have_a_price() {
    let priced = operators();
    for (name, proposal) in OPERATORS {
        let allowed = ALLOWED_PROPOSALS.contains(proposal) && !EXCEPTIONS.contains(name);
        assert_eq!(priced.contains_key(*name), allowed, "{name} of {proposal}");
    }
    assert!(priced.keys().all(|name| OPERATORS.iter().any(|(known, _)| known == name)));
}

/// Operators of allowed proposals that no valid module contains: `select` of several values.
const EXCEPTIONS: &[&str] = &["TypedSelectMulti"];

#[test]
fn only_operators_without_code_are_free() {
    let free: Vec<_> = operators().into_iter().filter(|(_, parts)| *parts == 0).collect();
    let names: Vec<_> = free.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Block", "Drop", "Else", "End", "Nop", "Unreachable"]);
    // Operators that can start a loop must not be free.
    for name in ["Br", "BrIf", "BrTable", "Call", "CallIndirect", "Loop"] {
        assert!(operators()[name] > 0, "{name} is free");
    }
}

#[test]
fn units_and_parts_are_converted() {
    assert_eq!(parts(3), 180);
    assert_eq!(parts(u64::MAX), PARTS_MAX);
    assert_eq!([0, 59, 60, 61].map(units_floor), [0, 0, 1, 1]);
    assert_eq!([0, 59, 60, 61].map(units_ceil), [0, 1, 1, 2]);
}
