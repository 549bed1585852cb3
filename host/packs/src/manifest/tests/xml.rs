//! Malformed XML, invalid encodings, entities and sizes that are not in `tests/fixtures/manifest`.
//! Faults before a fatal error are still reported, and their number is limited.

use super::super::*;
use super::{GOOD, check, faults};

#[test]
fn faults_before_malformed_xml_are_kept() {
    let bad = GOOD.replacen("author=", "autor=", 1).replacen("data/book.bin\"", "data/book.bin", 1);
    let found = faults(bad.as_bytes());
    assert!(found[0].starts_with("m.xml:3: Engine/@autor: unknown attribute"), "{found:?}");
    assert!(found.iter().any(|fault| fault.starts_with("m.xml:14: ")), "{found:?}");
}

#[test]
fn encodings_other_than_utf_8_are_refused() {
    let mut latin = GOOD.replacen("kind=\"wasm\"", "kind=\"wsam\"", 1).into_bytes();
    let at = GOOD.find("how deep").unwrap();
    latin[at] = 0xe4;
    assert_eq!(
        faults(&latin),
        [
            "m.xml:3: Engine/@kind: `wsam` is not known; did you mean `wasm`?",
            "m.xml:8: is not UTF-8 from here on; nothing after this was read",
        ]
    );
    let utf16: Vec<u8> =
        "\u{feff}<a/>".encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    assert_eq!(faults(&utf16), ["m.xml:1: is UTF-16; save it as UTF-8"]);
}

#[test]
fn entities_are_not_expanded() {
    let refused = "is not allowed; only lt, gt, amp, quot, apos and character references are \
                   supported";
    let laughs: String = (1..10)
        .map(|n| format!("<!ENTITY lol{n} \"{}\">\n", format!("&lol{};", n - 1).repeat(10)))
        .collect();
    let xml = GOOD.replacen(
        "<EngineConfigs",
        &format!("<!DOCTYPE lolz [\n<!ENTITY lol0 \"lol\">\n{laughs}]>\n<EngineConfigs"),
        1,
    );
    let at = |line: &str| xml[..xml.find(line).unwrap()].lines().count() + 1;
    let laughing = xml.replacen("\"Alpha\"", "\"&lol9;\"", 1);
    check(
        &laughing,
        &[
            "m.xml:2: a DOCTYPE is not allowed",
            &format!(
                "m.xml:{}: Engine/@name: entity `&lol9;` {refused}",
                at("  <Engine id=\"alpha\"")
            ),
        ],
    );
    let flood = "&lol;".repeat(1000);
    let found = faults(GOOD.replacen("<Limits", &format!("{flood}<Limits"), 1).as_bytes());
    assert_eq!(found.len(), FAULTS_MAX + 1);
    assert_eq!(found[FAULTS_MAX], "m.xml:7: more than 100 faults; the rest was not read");
}

#[test]
fn too_large_manifests_are_not_read() {
    let mut large = GOOD.as_bytes().to_vec();
    large.resize(10 << 20, b' ');
    assert_eq!(faults(&large), ["m.xml: is 10485760 bytes; a manifest may have at most 1048576"]);
    large.truncate(MANIFEST_BYTES_MAX as usize);
    assert_eq!(faults(&large), [""; 0]);
    // A manifest full of elements has a bounded number of faults of bounded length.
    let wide = format!("<EngineConfigs abi='1'>{}", "<Engine x='1'/>".repeat(60_000));
    let found = faults(wide.as_bytes());
    assert!(found.len() < FAULTS_MAX + 40, "{}", found.len());
    let long = format!("<EngineConfigs {}='1'/>", "x".repeat(1_000_000));
    assert!(faults(long.as_bytes()).iter().all(|fault| fault.len() < 2000));
}
