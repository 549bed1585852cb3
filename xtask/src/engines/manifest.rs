//! Reduces the `EngineConfigs.xml` of the sample engines to those that were built. The lines of an
//! engine stay as they are written.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The manifest of the sample engines, relative to the root.
pub(crate) const FILE: &str = "sample-engines/EngineConfigs.xml";

/// The element that describes an engine.
const ENGINE: &str = "Engine";

/// The manifest with only the engines whose module is in `modules`. Comments are left out: they are
/// about the whole folder. A module without an engine is an error, because no player could choose
/// it.
pub(crate) fn filter(manifest: &str, modules: &BTreeSet<String>) -> Result<String> {
    let Engines { root, root_name, mut engines } = read(manifest)?;
    engines.retain(|(_, module)| modules.contains(module));
    for module in modules {
        ensure!(
            engines.iter().any(|(_, named)| named == module),
            "no engine in {FILE} has the module `{module}`: add one"
        );
    }
    let engines: String = engines.iter().map(|(text, _)| format!("  {text}\n")).collect();
    Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{root}\n{engines}</{root_name}>\n"))
}

/// The modules that the engines of a manifest are loaded from.
pub(super) fn modules(manifest: &str) -> Result<BTreeSet<String>> {
    Ok(read(manifest)?.engines.into_iter().map(|(_, module)| module).collect())
}

/// The parts of a manifest.
struct Engines<'a> {
    /// The start tag of the element with the engines, and its name.
    root: &'a str,
    root_name: String,
    /// The text and the module of each engine.
    engines: Vec<(&'a str, String)>,
}

fn read(manifest: &str) -> Result<Engines<'_>> {
    let mut engines = Vec::new();
    let mut root = None;
    let mut start = None;
    let mut reader = Reader::from_str(manifest);
    loop {
        let before = reader.buffer_position() as usize;
        let event = reader.read_event().with_context(|| {
            format!("EngineConfigs.xml is no XML after byte {before}: correct it, then try again")
        })?;
        let text = &manifest[before..reader.buffer_position() as usize];
        match event {
            Event::Start(tag) if tag.name().as_ref() == ENGINE => {
                start = Some((before, module_of(&tag)?));
            }
            Event::Start(tag) if root.is_none() => {
                root = Some((text, tag.name().as_ref().to_owned()));
            }
            Event::Empty(tag) if tag.name().as_ref() == ENGINE => {
                engines.push((text, module_of(&tag)?));
            }
            Event::End(tag) if tag.name().as_ref() == ENGINE => {
                let (before, module) = start.take().context("an `Engine` ends without a start")?;
                engines.push((&manifest[before..reader.buffer_position() as usize], module));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let (root, root_name) = root.context("EngineConfigs.xml has no element with engines")?;
    Ok(Engines { root, root_name, engines })
}

/// The file that an engine is loaded from.
fn module_of(tag: &BytesStart<'_>) -> Result<String> {
    let attribute = tag.try_get_attribute("module")?;
    let attribute =
        attribute.context("an engine of EngineConfigs.xml has no attribute `module`")?;
    Ok(attribute.normalized_value(XmlVersion::Explicit1_0)?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- <Engine id="comment" module="comment.wasm"/> -->
<EngineConfigs abi="1">
  <Engine id="a" name="A"
          kind="wasm" module="a.wasm">
    <Game id="gomoku"/>
  </Engine>
  <Engine id="a-native" kind="native" module="a.so">
    <Game id="gomoku"/>
  </Engine>

  <!-- For tests. -->
  <Engine id="short" module="b&amp;c.wasm"/>
  <Engine id="a-again" module="a.wasm"><Game id="reversi"/></Engine>
</EngineConfigs>
"#;

    const A: &str = "  <Engine id=\"a\" name=\"A\"\n          kind=\"wasm\" module=\"a.wasm\">\n    \
                     <Game id=\"gomoku\"/>\n  </Engine>\n";
    const AGAIN: &str =
        "  <Engine id=\"a-again\" module=\"a.wasm\"><Game id=\"reversi\"/></Engine>\n";
    const SHORT: &str = "  <Engine id=\"short\" module=\"b&amp;c.wasm\"/>\n";

    fn filtered(manifest: &str, modules: &[&str]) -> Result<String> {
        filter(manifest, &modules.iter().map(|module| module.to_string()).collect())
    }

    #[test]
    fn only_engines_with_a_module_of_the_release_stay() {
        let check = |modules: &[&str], expected: &[&str]| {
            let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<EngineConfigs abi=\"1\">\n";
            let expected = format!("{head}{}</EngineConfigs>\n", expected.concat());
            assert_eq!(filtered(MANIFEST, modules).expect("a manifest"), expected, "{modules:?}");
        };
        check(&["a.wasm"], &[A, AGAIN]);
        check(&["b&c.wasm"], &[SHORT]);
        check(&["b&c.wasm", "a.wasm"], &[A, SHORT, AGAIN]);
        check(&[], &[]);
    }

    #[test]
    fn a_module_without_an_engine_is_an_error() {
        let check = |modules: &[&str], expected: &str| {
            let error = filtered(MANIFEST, modules).expect_err("an error").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&["a.wasm", "d.wasm"], "module `d.wasm`: add one");
        // An engine in a comment is none, and a module is its whole name.
        check(&["comment.wasm"], "`comment.wasm`");
        check(&["a"], "`a`");
        check(&["b&amp;c.wasm"], "`b&amp;c.wasm`");
    }

    #[test]
    fn damaged_manifests_are_errors() {
        let check = |manifest: &str, expected: &str| {
            let error = format!("{:#}", filtered(manifest, &[]).expect_err("an error"));
            assert!(error.contains(expected), "{error}");
        };
        check("", "has no element");
        check("<EngineConfigs/>", "has no element with engines");
        check("<EngineConfigs><Engine id=\"a\"/></EngineConfigs>", "no attribute `module`");
        check("<EngineConfigs><Engine module=\"a\"></EngineConfigs>", "no XML after byte 34");
    }

    #[test]
    fn the_manifest_names_the_sample_engines() {
        let file = crate::workspace::own_root().join(FILE);
        let manifest = std::fs::read_to_string(file).expect("a manifest");
        let text = filtered(&manifest, &["gomoku-alpha.wasm", "c-minimal.wasm"]).expect("filtered");
        let check =
            |part: &str, expected: bool| assert_eq!(text.contains(part), expected, "{part}");
        check("id=\"gomoku-alpha\"", true);
        check("id=\"c-minimal\"", true);
        check("-native", false);
        check("faulty", false);
        check("<!--", false);
        let modules = modules(&manifest).expect("a manifest");
        let check = |name: &str, expected: bool| assert_eq!(modules.contains(name), expected);
        check("gomoku-alpha.wasm", true);
        check("gomoku-alpha.so", true);
        check("gomoku-alpha", false);
    }
}
