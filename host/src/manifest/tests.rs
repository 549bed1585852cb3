//! Every fault of a manifest beside the good one that differs by one thing.

use std::path::Path;

use super::*;

/// A manifest with nothing wrong; line numbers below count from its first line.
pub(super) const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<EngineConfigs abi="1">
  <Engine id="alpha" name="Alpha" author="A. Author" version="0.1.0" kind="wasm"
          module="alpha.wasm"
          sha256="000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f">
    <Game id="gomoku" variants="freestyle"/>
    <Limits memory_bytes="67108864" start_ms="1000" log_bytes="65536"/>
    <Option name="depth" about="how deep" kind="whole" min="1" max="64" default="8"/>
    <Option name="greed" kind="real" min="-1.5" max="1.5" default="0.25" tunable="true"/>
    <Option name="book" kind="toggle" default="true"/>
    <Option name="style" kind="pick" values="calm wild" default="calm"/>
    <Option name="motto" kind="text" max_bytes="16" default=""/>
    <Set name="depth" value="6"/>
    <Asset name="book" path="data/book.bin"
           sha256="000102030405060708090A0B0C0D0E0F000102030405060708090A0B0C0D0E0F"/>
  </Engine>
  <!-- a second one, of the same module -->
  <Engine id="beta" version="2.0-rc.1" kind="wasm" module="alpha.wasm">
    <Game id="gomoku"/>
  </Engine>
</EngineConfigs>
"#;

pub(super) fn faults(xml: &[u8]) -> Vec<String> {
    let manifest = parse(Path::new("m.xml"), xml);
    manifest.all_faults().iter().map(PackFault::to_string).collect()
}

/// `xml` has just these faults, in this order.
pub(super) fn check(xml: &str, wanted: &[&str]) {
    let found = faults(xml.as_bytes());
    assert_eq!(found, wanted, "in\n{xml}");
}

/// The good manifest with `from`, which is in it once or more, replaced where it
/// is first, has just these faults.
pub(super) fn twin(from: &str, to: &str, wanted: &[&str]) {
    assert!(GOOD.contains(from), "{from} is not in the good manifest");
    check(&GOOD.replacen(from, to, 1), wanted);
}

#[test]
fn a_good_one_is_understood() {
    check(GOOD, &[]);
    let manifest = parse(Path::new("m.xml"), GOOD.as_bytes());
    let [alpha, beta] = &manifest.engines[..] else { panic!("{manifest:?}") };
    assert_eq!((alpha.id.as_str(), alpha.line, alpha.name.as_str()), ("alpha", 3, "Alpha"));
    assert_eq!(alpha.module, Some(Located { line: 4, text: "alpha.wasm".into() }));
    assert_eq!(alpha.limits.start_ms, Some(1000));
    assert_eq!(alpha.options.len(), 5);
    assert!(alpha.options[1].tunable && !alpha.options[0].tunable);
    assert_eq!(
        alpha.options[3].kind,
        sandboard_abi::Kind::Pick(vec!["calm".into(), "wild".into()])
    );
    assert_eq!(alpha.presets, [("depth".to_owned(), "6".to_owned())]);
    assert_eq!((alpha.assets[0].path.line, alpha.assets[0].sha256.line), (14, 15));
    assert_eq!(alpha.games[0].variants, ["freestyle"]);
    let all: Vec<&str> = sandboard_games::game("gomoku")
        .unwrap()
        .variants
        .iter()
        .map(|variant| variant.id)
        .collect();
    assert_eq!(beta.games[0].variants, all, "no variants named: all of them");
    assert_eq!((beta.name.as_str(), beta.author.as_str()), ("beta", ""));
}

#[test]
fn what_is_allowed_around_it() {
    for (from, to) in [
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", ""),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "\u{feff}<?xml version='1.0'?>"),
        ("\"A. Author\"", "'A. &quot;&#65;&quot; &amp; B'"),
        ("abi=\"1\"", "abi=\"1\" xmlns:xsi='x' xsi:noNamespaceSchemaLocation='engines.xsd'"),
        ("<!-- a second", "<?an-editor note?><!-- a second"),
        ("<Set", "\r\n\t<Set"),
    ] {
        twin(from, to, &[]);
    }
}

#[test]
fn attributes() {
    twin(
        "module=",
        "modul=",
        &[
            "m.xml:3: Engine/@module: missing; it is required; is `modul` it?",
            "m.xml:4: Engine/@modul: unknown attribute; did you mean `module`?",
        ],
    );
    twin(" version=\"0.1.0\"", "", &["m.xml:3: Engine/@version: missing; it is required"]);
    twin(
        "author=",
        "colour=",
        &["m.xml:3: Engine/@colour: unknown attribute; known here: id, version, name, author, \
           kind, module, sha256"],
    );
    twin(
        "author=\"A. Author\"",
        "memory_bytes=\"1\"",
        &["m.xml:3: Engine/@memory_bytes: unknown attribute; it is one of `Limits`"],
    );
    twin(
        "module=\"alpha.wasm\"",
        "module=\"alpha.wasm\"\n id=\"alpha\"",
        &["m.xml:5: Engine/@id: stands here a second time; the first is in line 3"],
    );
    twin("id=\"alpha\"", "id=alpha", &["m.xml:3: Engine/@id: its value must stand in quotes"]);
    twin("id=\"alpha\"", "id", &["m.xml:3: Engine/@id: needs `=` and a value"]);
    twin("\" name=", "\"name=", &["m.xml:3: Engine/@name: needs a space before it"]);
    twin("\"A. Author\"", "\"A<B\"", &["m.xml:3: Engine/@author: holds `<`; write `&lt;`"]);
    let many: String = (0..40).map(|number| format!(" xmlns:a{number}='x'")).collect();
    twin(
        "abi=\"1\"",
        &format!("abi=\"1\"{many}"),
        &["m.xml:2: EngineConfigs: has more than 32 attributes"],
    );
}

#[test]
fn values() {
    let id = "an id: lower-case letters, digits, `-`, `_`, `.`; a letter or digit first; 1 to 64 \
              bytes";
    let long = "x".repeat(65);
    for wrong in ["Alpha", "al pha", "", "-alpha", "älpha", &long] {
        let fault = format!("m.xml:3: Engine/@id: `{wrong}` is not {id}");
        twin("id=\"alpha\"", &format!("id=\"{wrong}\""), &[&fault]);
    }
    twin("id=\"alpha\"", &format!("id=\"{}\"", "x".repeat(64)), &[]);
    twin(
        "\"alpha\"",
        "\"human\"",
        &["m.xml:3: Engine/@id: `human` means something else to `--seat`"],
    );
    for wrong in ["one", "1.0-2", "1 0"] {
        let fault = format!(
            "m.xml:3: Engine/@version: `{wrong}` is not a version: a digit first, then letters, \
             digits, `.`, `_`, `+`, and `-` where no digit follows; 1 to 256 bytes"
        );
        twin("0.1.0", wrong, &[&fault]);
    }
    twin(
        "\"Alpha\"",
        "\"\u{202e}&#27;\"",
        &[
            "m.xml:3: Engine/@name: `\\u{202e}\\u{1b}` is not free of control and direction characters",
        ],
    );
    let label = "y".repeat(257);
    twin("Alpha", &label, &["m.xml:3: Engine/@name: is 257 bytes long; 256 is the most"]);
    twin(
        "\"wasm\"",
        "\"wsam\"",
        &["m.xml:3: Engine/@kind: `wsam` is not known; did you mean `wasm`?"],
    );
    twin(
        "000102",
        "00010",
        &[
            "m.xml:5: Engine/@sha256: `00010030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f` \
         is not 64 hexadecimal digits",
        ],
    );
    for wrong in ["0", "-1", "2147483649", "64k", ""] {
        let fault = format!(
            "m.xml:7: Limits/@memory_bytes: `{wrong}` is not a whole number from 65536 to \
             2147483648"
        );
        twin("67108864", wrong, &[&fault]);
    }
}

#[test]
fn paths() {
    for (path, why) in [
        ("../alpha.wasm", "leaves the pack: no `..` is allowed"),
        ("a/../../alpha.wasm", "leaves the pack: no `..` is allowed"),
        ("/etc/passwd", "is absolute: it leaves the pack"),
        ("C:/alpha.wasm", "is absolute: it leaves the pack"),
        ("a\\alpha.wasm", "holds `\\`; write `/` between folders, on every system"),
        ("./alpha.wasm", "is not plain: write `folder/file`"),
        ("a//alpha.wasm", "is not plain: write `folder/file`"),
        ("a/", "is not plain: write `folder/file`"),
    ] {
        let fault = format!("m.xml:4: Engine/@module: `{path}` {why}");
        twin("\"alpha.wasm\"", &format!("\"{path}\""), &[&fault]);
        let fault = format!("m.xml:14: Asset/@path: `{path}` {why}");
        twin("data/book.bin", path, &[&fault]);
    }
    twin("\"alpha.wasm\"", "\"\"", &["m.xml:4: Engine/@module: is empty; it must name a file"]);
    twin(
        "\"alpha.wasm\"",
        "\"alpha.cwasm\"",
        &["m.xml:4: Engine/@module: a precompiled `.cwasm` is never loaded; name the `.wasm`"],
    );
    twin("\"alpha.wasm\"", "\"..alpha..wasm\"", &[]);
}

#[test]
fn options() {
    let fault = |attribute: &str, why: &str| format!("m.xml:8: Option/@{attribute}: {why}");
    for (from, to, attribute, why) in [
        ("default=\"8\"", "default=\"65\"", "default", "`65` is not a whole number from 1 to 64"),
        ("default=\"8\"", "default=\"0\"", "default", "`0` is not a whole number from 1 to 64"),
        ("default=\"8\"", "default=\"\"", "default", "`` is not a whole number from 1 to 64"),
        ("min=\"1\"", "min=\"65\"", "min", "65 is above max, which is 64"),
        ("min=\"1\"", "min=\"0.5\"", "min", "`0.5` is not a whole number"),
        ("min=\"1\"", "min=\"NaN\"", "min", "`NaN` is not a number"),
        ("min=\"1\" ", "", "min", "missing; kind `whole` needs it"),
        ("max=\"64\"", "max=\"64\" values=\"a\"", "values", "means nothing for kind `whole`"),
        ("kind=\"whole\"", "kind=\"hole\"", "kind", "`hole` is not known; did you mean `whole`?"),
    ] {
        twin(from, to, &[&fault(attribute, why)]);
    }
    twin("default=\"8\"", "default=\"64\"", &[]);
    twin(
        "default=\"0.25\"",
        "default=\"1.75\"",
        &["m.xml:9: Option/@default: `1.75` is not a number from -1.5 to 1.5"],
    );
    twin("max=\"1.5\"", "max=\"inf\"", &["m.xml:9: Option/@max: `inf` is not a number"]);
    twin(
        "default=\"true\"",
        "default=\"yes\"",
        &["m.xml:10: Option/@default: `yes` is not `true` or `false`"],
    );
    twin(
        "default=\"calm\"",
        "default=\"clam\"",
        &["m.xml:11: Option/@default: `clam` is not one of calm, wild"],
    );
    twin("\"calm wild\"", "\"calm wild calm\"", &["m.xml:11: Option/@values: names `calm` twice"]);
    twin(
        "\"16\" default=\"\"",
        "\"2\" default=\"abc\"",
        &["m.xml:12: Option/@default: `abc` is not a text of at most 2 bytes"],
    );
    twin(
        "name=\"greed\"",
        "name=\"depth\"",
        &["m.xml:9: Option/@name: `depth` is the option in line 8 already"],
    );
    twin(
        "Set name=\"depth\"",
        "Set name=\"dept\"",
        &["m.xml:13: Set/@name: no option `dept`; did you mean `depth`?"],
    );
    twin(
        "value=\"6\"",
        "value=\"65\"",
        &["m.xml:13: Set/@value: `65` is not a whole number from 1 to 64"],
    );
    twin(
        "<Set",
        "<Set name=\"depth\" value=\"5\"/><Set",
        &["m.xml:13: Set/@name: `depth` is set in this engine twice"],
    );
    // Without any Option only the module knows, so any Set may be right.
    twin("<Game id=\"gomoku\"/>", "<Game id=\"gomoku\"/><Set name=\"x\" value=\"y\"/>", &[]);
}

#[test]
fn games_and_assets() {
    twin(
        "\"gomoku\"",
        "\"gomku\"",
        &["m.xml:6: Game/@id: no game `gomku` here; did you mean `gomoku`?"],
    );
    twin(
        "\"freestyle\"",
        "\"freestile\"",
        &["m.xml:6: Game/@variants: gomoku has no variant `freestile`; did you mean `freestyle`?"],
    );
    twin("\"freestyle\"", "\"freestyle-15\"", &[]);
    twin(
        "\"freestyle\"",
        "\"\"",
        &["m.xml:6: Game/@variants: `` is not one or more words with spaces between, none twice"],
    );
    twin(
        "<Limits",
        "<Game id=\"gomoku\"/><Limits",
        &["m.xml:7: Game/@id: `gomoku` stands in this engine twice"],
    );
    twin("    <Game id=\"gomoku\"/>\n", "", &["m.xml:18: Engine: needs at least 1 `Game`"]);
    twin("path=\"data/book.bin\"", "", &["m.xml:14: Asset/@path: missing; it is required"]);
    twin(
        "  </Engine>",
        "<Asset name='book' path='b' sha256='000102030405060708090A0B0C0D0E0F000102030405060708090A0B0C0D0E0F'/></Engine>",
        &["m.xml:16: Asset/@name: `book` is an asset of this engine already"],
    );
}

#[test]
fn nesting_and_counts() {
    twin("<Limits", "<Limit", &["m.xml:7: Limit: unknown element; did you mean `Limits`?"]);
    twin("<Limits", "<Limits/><Limits", &["m.xml:7: Limits: Engine has more than 1 of these"]);
    twin(
        "<Limits",
        "<Engine/><Limits",
        &["m.xml:7: Engine: does not belong in `Engine`, but in `EngineConfigs`"],
    );
    twin(
        "<Set name=\"depth\" value=\"6\"/>",
        "<Set name=\"depth\" value=\"6\"><x y='z'>t</x></Set>",
        &["m.xml:13: x: unknown element; `Set` holds none"],
    );
    twin("<Limits", "words<Limits", &["m.xml:7: Engine: `words` is not used here"]);
    twin("<Limits", "<![CDATA[words]]><Limits", &["m.xml:7: Engine: text is not used here"]);
    twin(
        "id=\"beta\"",
        "id=\"alpha\"",
        &["m.xml:18: Engine/@id: `alpha` is the id of the engine in line 3 already"],
    );
    check(
        "<EngineConfigs abi='1'></EngineConfigs>",
        &["m.xml:1: EngineConfigs: needs at least 1 `Engine`"],
    );
    check("<Engines/>", &["m.xml:1: Engines: a manifest begins with `<EngineConfigs abi=\"…\">`"]);
    check("\n\n", &["m.xml:3: holds no `EngineConfigs` element"]);
    check("", &["m.xml:1: holds no `EngineConfigs` element"]);
    let deep = "<x>".repeat(100);
    check(
        &deep,
        &[
            "m.xml:1: x: a manifest begins with `<EngineConfigs abi=\"…\">`",
            "m.xml:1: malformed XML: elements stand more than 16 deep inside each other; nothing after \
         this was read",
        ],
    );
    let engine = "<Engine id='e' version='1' kind='wasm' module='m'><Game id='gomoku'/></Engine>";
    let many: String = (0..66).map(|n| engine.replace("'e'", &format!("'e{n}'"))).collect();
    check(
        &format!("<EngineConfigs abi='1'>{many}</EngineConfigs>"),
        &["m.xml:1: Engine: EngineConfigs has more than 64 of these"],
    );
}

#[test]
fn the_border_number() {
    twin(
        "abi=\"1\"",
        "abi=\"2\"",
        &["m.xml:2: EngineConfigs/@abi: built for border ABI 2; this host speaks ABI 1"],
    );
    twin(" abi=\"1\"", "", &["m.xml:2: EngineConfigs/@abi: missing; it is required"]);
    twin(
        "abi=\"1\"",
        "abi=\"one\"",
        &["m.xml:2: EngineConfigs/@abi: `one` is not a whole number from 0 to 4294967295"],
    );
}

#[test]
fn the_reference_in_the_docs_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manifest.md");
    let docs = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let (begin, end) = ("<!-- begin: reference -->\n", "<!-- end: reference -->");
    let written = docs.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).unwrap().0;
    let wanted = reference();
    assert_eq!(written.trim(), wanted.trim(), "put this into docs/manifest.md:\n{wanted}");
    let example =
        docs.split_once("```xml\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    check(example, &[]);
}
