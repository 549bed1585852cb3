//! Tests with small modules: similar ones, near misses, and arbitrary bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fingerprint::Fingerprint;
use super::sample::Sample;
use super::*;
use crate::store::Submission;
use sandboard_contest_rules::State;

/// A component of one core module with this text.
fn component(text: &str) -> Vec<u8> {
    wat::parse_str(format!("(component (core module {text}))")).unwrap()
}

/// A function whose steps depend on the number.
fn function(name: &str, number: u64, constant: i32) -> String {
    const STEPS: [&str; 8] =
        ["i32.add", "i32.sub", "i32.mul", "i32.and", "i32.or", "i32.xor", "i32.shl", "i32.rotl"];
    let mut text = format!("(func {name} (param i32 i32) (result i32) local.get 0");
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..40 {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let step = STEPS[(state >> 61) as usize];
        text += match (state >> 60) & 1 {
            0 => format!(" i32.const {constant} {step}"),
            _ => format!(" local.get 1 {step}"),
        }
        .as_str();
    }
    text + ")"
}

/// Functions of one author, with their own numbers.
fn functions(author: u64, count: u64, constant: i32) -> String {
    (0..count).map(|index| function("", author * 1_000 + index, constant)).collect()
}

fn print(text: &str) -> Fingerprint {
    Fingerprint::of(&component(text)).unwrap()
}

/// Checks what two entries share, given other entries and the house engines: the share in percent
/// (the number of hashes per function varies a little), whether they are identical, and whether
/// they are flagged.
#[track_caller]
fn check(a: &str, b: &str, others: &[&str], house: &str, expected: (u32, bool, bool)) {
    let prints: Vec<Fingerprint> = [a, b].iter().chain(others).map(|text| print(text)).collect();
    let candidates: Vec<Candidate<'_>> = prints
        .iter()
        .zip(1..)
        .map(|(fingerprint, owner)| Candidate { owner, fingerprint })
        .collect();
    let found = Baseline::new([&print(house)]).similar_pairs(&candidates);
    let found = found.iter().find(|it| it.pair == [0, 1]);
    let measured = found.map_or((0, false, false), |it| {
        ((it.share * 100.0).round() as u32, it.identical, it.is_flagged())
    });
    let is_near =
        measured.0.abs_diff(expected.0) <= if expected.0.is_multiple_of(100) { 0 } else { 2 };
    assert!(is_near && (measured.1, measured.2) == (expected.1, expected.2), "{found:?}");
}

#[test]
fn quick_changes_do_not_hide_a_copy() {
    let mine = functions(1, 60, 7);
    check(&mine, &mine, &[], "", (100, true, true));
    // Other numbers: the same code, but not the same program.
    check(&mine, &functions(1, 60, 8), &[], "", (100, false, true));
    // Names, custom sections, and exports.
    let named = format!("(@custom \"by\" \"me\") {} (export \"first\" (func 0))", mine);
    check(&mine, &named, &[], "", (100, true, true));
    // Texts.
    let texts = |text| format!("(memory 1) (data (i32.const 0) \"{text}\") {mine}");
    check(&texts("rows"), &texts("rowdy"), &[], "", (100, false, true));
    // Order, and functions that are never called.
    let reversed: String = (0..60).rev().map(|it| function("", 1_000 + it, 7)).collect();
    check(&mine, &reversed, &[], "", (100, false, true));
    check(&mine, &format!("{mine}{}", functions(9, 300, 1)), &[], "", (100, false, true));
    // Different code.
    check(&mine, &functions(2, 60, 7), &[], "", (0, false, false));
}

#[test]
fn code_that_many_entries_have_does_not_count() {
    let with = |author, shared: &str| format!("{shared}{}", functions(author, 20, 7));
    let shared = functions(5, 40, 7);
    let check_shared = |others: &[&str], house: &str, expected| {
        check(&with(1, &shared), &with(2, &shared), others, house, expected);
    };
    // Two thirds of the code are the same: a copy, unless the house or all others have it, too.
    check_shared(&[], "", (67, false, true));
    check_shared(&[], &shared, (0, false, false));
    let others: Vec<String> = (11..20).map(|author| with(author, &shared)).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    check_shared(&others, "", (17, false, false));
    check_shared(&others[..1], "", (51, false, false));
    // Further copies do not hide a copy.
    let mine = functions(1, 60, 7);
    check(&mine, &functions(1, 60, 8), &[&mine, &mine, &mine], "", (100, false, true));
}

#[test]
fn short_entries_have_no_share() {
    let grams = |text: &str| print(text).grams.hashes.len();
    let (little, enough) = (functions(1, 15, 7), functions(1, 25, 7));
    assert!(grams(&little) < OWN_HASHES_MIN && grams(&enough) >= OWN_HASHES_MIN);
    check(&little, &functions(1, 15, 8), &[], "", (0, false, false));
    check(&enough, &functions(1, 25, 8), &[], "", (100, false, true));
    check(&little, &little, &[], "", (0, true, true));
    // A house engine unchanged, and with other numbers.
    let house = functions(3, 60, 7);
    check(&house, &functions(3, 60, 8), &[], &house, (0, false, false));
    assert_eq!(Baseline::new([&print(&house)]).share(&print(&functions(3, 60, 8))), 1.0);
    assert_eq!(Baseline::default().share(&print("")), 0.0);
}

#[test]
fn versions_of_one_owner_are_not_compared_and_count_once() {
    let mine = print(&functions(1, 60, 7));
    let theirs = print(&functions(1, 60, 8));
    let of = |owner, fingerprint| Candidate { owner, fingerprint };
    let all = [of(4, &mine), of(4, &mine), of(9, &theirs)];
    let found = Baseline::default().similar_pairs(&all);
    let pairs: Vec<[usize; 2]> = found.iter().map(|it| it.pair).collect();
    assert_eq!(pairs, [[0, 2], [1, 2]]);
    assert!(found.iter().all(|it| it.share == 1.0 && !it.identical && it.is_flagged()));
    assert_eq!((found[0].functions_shared, found[0].functions), (60, 60));
}

#[test]
fn the_most_similar_pair_of_two_entrants_is_flagged() {
    let entry = |number, entrant: &str| Submission {
        number,
        entrant: entrant.into(),
        sha256: String::new(),
        bytes: 1,
        submitted_ms: number,
        state: State::Accepted,
        report: None,
        fingerprint: None,
        judged_ms: None,
    };
    let house = functions(3, 60, 7);
    let copy = format!("{}{house}", functions(1, 60, 8));
    let texts = [functions(1, 60, 7), functions(2, 60, 7), functions(1, 60, 7), copy];
    let prints: BTreeMap<i64, Fingerprint> =
        (1..).zip(texts.iter().map(|text| print(text))).collect();
    let entries = [entry(1, "ann"), entry(2, "eve"), entry(3, "ann"), entry(4, "bob")];
    let baseline = Baseline::new([&print(&house)]);
    let found = flags(&baseline, &entries, &prints);
    let expected = Flag {
        entries: [1, 4],
        names: ["ann v1".into(), "bob v1".into()],
        share_percent: 100,
        identical: false,
        functions_shared: 60,
        functions: 60,
        house_percent: [0, 50],
    };
    assert_eq!(found.len(), 1);
    assert!((45..=55).contains(&found[0].house_percent[1]), "{found:?}");
    let house_percent = found[0].house_percent;
    assert_eq!(found[0], Flag { house_percent, ..expected });
    // An entry without a fingerprint is left out.
    let prints = prints.into_iter().filter(|(number, _)| *number != 4).collect();
    assert_eq!(flags(&baseline, &entries, &prints), []);
}

#[test]
fn samples_are_compared_up_to_the_smaller_limit() {
    let cut = Sample::new(vec![9, 3, 3, 7, 5], 3);
    assert_eq!((cut.up_to, &*cut.hashes), (7, &[3, 5, 7][..]));
    let whole = Sample::new(vec![9, 3, 7], 3);
    assert_eq!((whole.up_to, &*whole.hashes), (u32::MAX, &[3, 7, 9][..]));
    assert_eq!(whole.within(cut.up_to), [3, 7]);
    // A stored sample, unchanged and edited.
    let text = serde_json::to_string(&cut).unwrap();
    assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), cut);
    let edited: Sample = serde_json::from_str(r#"{"up_to":7,"hashes":[9,7,3,7]}"#).unwrap();
    assert_eq!(edited, Sample { up_to: 7, hashes: vec![3, 7] });
}

#[test]
fn invalid_components_are_refused_with_the_offset() {
    let check = |bytes: &[u8], expected: &str| {
        let error =
            Fingerprint::of(bytes).map(|_| String::new()).unwrap_or_else(|it| it.to_string());
        assert!(error.contains(expected), "{error}");
    };
    let whole = component(&function("", 1, 7));
    check(&whole, "");
    check(b"no entry", "is not valid WebAssembly: at byte 0: ");
    check(&whole[..whole.len() - 20], "is not valid WebAssembly: at byte ");
}

/// The smallest hash of every window, computed as the paper defines it.
fn winnow_by_definition(steps: &[u64]) -> Vec<u32> {
    let grams: Vec<u32> = steps.windows(fingerprint::GRAM).map(fingerprint::gram).collect();
    let window = fingerprint::WINDOW.min(grams.len());
    let smallest = |all: &[u32]| all.iter().copied().min().unwrap_or(0);
    let mut kept: Vec<u32> = grams.windows(window.max(1)).map(smallest).collect();
    kept.dedup();
    kept
}

proptest! {
    #[test]
    fn winnowing_matches_its_definition(steps in proptest::collection::vec(0_u64..5, 0..200)) {
        let mut kept = Vec::new();
        fingerprint::winnow(&steps, &mut kept);
        prop_assert_eq!(kept, winnow_by_definition(&steps));
    }

    #[test]
    fn any_bytes_are_refused_or_have_a_fingerprint(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = component(&functions(1, 3, 7));
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(end.index(bytes.len()) + 1);
        if let Ok(print) = Fingerprint::of(&bytes) {
            let kept = serde_json::to_string(&print).unwrap();
            prop_assert_eq!(serde_json::from_str::<Fingerprint>(&kept).unwrap(), print);
        }
    }
}
