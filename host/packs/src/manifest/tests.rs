//! Parsing of a valid manifest, and the generated schema and reference. Manifests with faults are
//! in `tests/fixtures/manifest`.

mod random;
mod xml;

use std::path::Path;

use super::*;

/// A valid manifest. Line numbers in the tests refer to it.
pub(super) const GOOD: &str = include_str!("../../../../tests/fixtures/manifest/good/full.xml");

pub(super) fn faults(xml: &[u8]) -> Vec<String> {
    let manifest = parse(Path::new("m.xml"), xml, &Games::default());
    manifest.all_faults().iter().map(PackFault::to_string).collect()
}

/// Checks that `xml` has exactly these faults, in this order.
pub(super) fn check(xml: &str, wanted: &[&str]) {
    let found = faults(xml.as_bytes());
    assert_eq!(found, wanted, "in\n{xml}");
}

#[test]
fn a_valid_manifest_is_parsed() {
    check(GOOD, &[]);
    let manifest = parse(Path::new("m.xml"), GOOD.as_bytes(), &Games::default());
    let [alpha, beta] = &manifest.engines[..] else { panic!("{manifest:?}") };
    assert_eq!((alpha.id.as_str(), alpha.line, alpha.name.as_str()), ("alpha", 3, "Alpha"));
    assert_eq!(alpha.module, Some(LocatedText { line: 4, text: "alpha.wasm".into() }));
    assert_eq!(alpha.limits.start_ms, Some(1000));
    assert_eq!(alpha.purpose, Purpose::Play, "the default");
    assert_eq!(alpha.options.len(), 5);
    assert!(alpha.options[1].tunable && !alpha.options[0].tunable);
    assert_eq!(
        alpha.options[3].kind,
        sandboard_abi::Kind::Pick(vec!["calm".into(), "wild".into()])
    );
    assert_eq!(alpha.presets, [("depth".to_owned(), "6".to_owned())]);
    assert_eq!((alpha.assets[0].path.line, alpha.assets[0].sha256.line), (14, 15));
    assert_eq!(alpha.games[0].variants, ["freestyle"]);
    let all: Vec<&str> = Games::default()
        .find("gomoku")
        .unwrap()
        .variants
        .iter()
        .map(|variant| variant.id)
        .collect();
    assert_eq!(beta.games[0].variants, all, "without `variants`, all of them");
    assert_eq!((beta.name.as_str(), beta.author.as_str()), ("beta", ""));
}

#[test]
fn an_engine_for_tests_is_no_opponent() {
    let check = |attribute: &str, expected: Purpose| {
        let xml = GOOD.replacen("kind=\"wasm\"", &format!("kind=\"wasm\"{attribute}"), 1);
        let manifest = parse(Path::new("m.xml"), xml.as_bytes(), &Games::default());
        assert_eq!(manifest.all_faults(), [], "{attribute}");
        let purposes: Vec<Purpose> = manifest.engines.iter().map(|it| it.purpose).collect();
        assert_eq!(purposes, [expected, Purpose::Play], "{attribute}");
    };
    check("", Purpose::Play);
    check(" purpose=\"play\"", Purpose::Play);
    check(" purpose=\"test\"", Purpose::Test);
}

/// Checks that the part of `docs/<name>` between the texts that `around` returns is `wanted`. With
/// UPDATE=1 in the environment, writes that part first.
fn check_docs(name: &str, wanted: &str, around: fn(&str) -> (&str, &str)) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let docs = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let (before, after) = around(&docs);
    let new = format!("{before}{wanted}{after}");
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &new).unwrap();
    } else {
        let how = "UPDATE=1 cargo test -p sandboard-packs --lib manifest::";
        assert!(docs == new, "docs/{name} is out of date; run this twice: {how}");
    }
    new
}

#[test]
fn the_schema_in_the_docs_is_up_to_date() {
    check_docs("EngineConfigs.xsd", &xsd(), |_| ("", ""));
}

#[test]
fn the_reference_in_the_docs_is_up_to_date() {
    let docs = check_docs("manifest.md", &reference(), |docs| {
        let (begin, end) = ("<!-- begin: reference -->\n", "<!-- end: reference -->");
        let begin = docs.find(begin).unwrap() + begin.len();
        (&docs[..begin], &docs[docs.find(end).unwrap()..])
    });
    let example =
        docs.split_once("```xml\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    check(example, &[]);
}

#[test]
fn the_reference_covers_the_whole_table() {
    let text = reference();
    for element in SCHEMA {
        let (_, section) = text.split_once(&format!("### `{}`\n", element.name)).unwrap();
        let section = section.split("\n### ").next().unwrap();
        let words = section.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(element.about), "{}", element.name);
        for attribute in element.attributes {
            let absent = match (attribute.required, attribute.default) {
                (true, _) => "**required**",
                (false, "") => "depends on `kind`",
                (false, default) => default,
            };
            let AttributeSpec { name, value, about, .. } = attribute;
            let row = format!("\n| `{name}` | {value} | {absent} | {about} |\n");
            assert!(section.contains(&row), "{row}");
        }
    }
}
