//! `sandboard build` by the real binary: a pack is replaced as a whole, and only by a valid build.
//! The test engine is written in C because C builds quickly.

use std::env::consts::DLL_SUFFIX;
use std::path::PathBuf;

use sandboard_tests::root;

use crate::cli::{CommandOutput, TestHome};

/// A test home with the source of a C engine, `mine`, and an empty engines folder.
struct Author {
    home: TestHome,
}

impl Author {
    fn new() -> Self {
        let home = TestHome::new();
        std::fs::create_dir_all(home.file("mine")).unwrap();
        std::fs::create_dir_all(home.file("engines")).unwrap();
        let author = Self { home };
        author.write(&author.template());
        author
    }

    fn template(&self) -> String {
        std::fs::read_to_string(root().join("sample-engines/c-minimal/engine.c")).unwrap()
    }

    fn write(&self, text: &str) {
        std::fs::write(self.home.file("mine/engine.c"), text).unwrap();
    }

    /// Writes the template with `from` replaced by `to`.
    fn change(&self, from: &str, to: &str) {
        let text = self.template();
        assert!(text.contains(from), "no {from:?} in the template");
        self.write(&text.replace(from, to));
    }

    fn build(&self, more: &[&str]) -> CommandOutput {
        self.home.run(&[&["build", "mine", "--engines-dir", "engines"], more].concat(), "")
    }

    fn pack(&self, file: &str) -> PathBuf {
        self.home.file("engines/mine").join(file)
    }

    /// The lines of `list` for the engine: id and version.
    fn listed(&self) -> Vec<String> {
        let out = self.home.succeed(&["list", "--engines-dir", "engines"], "");
        let lines = out.lines().filter(|line| line.starts_with("  mine"));
        let words = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        lines.map(words).collect()
    }

    /// The build fails with `expected`, and the installed pack stays unchanged.
    fn check_kept(&self, more: &[&str], expected: &str) {
        let before = std::fs::read(self.pack("mine.wasm")).unwrap();
        let ended = self.build(more);
        assert_eq!(ended.code, Some(1), "{}\n{}", ended.out, ended.err);
        assert!(ended.err.contains(expected), "no {expected:?} in\n{}", ended.err);
        assert_eq!(std::fs::read(self.pack("mine.wasm")).unwrap(), before);
        assert_eq!(self.listed(), ["mine 0.1.0", "mine-native 0.1.0"]);
        let left = std::fs::read_dir(self.home.file("engines")).unwrap().count();
        assert_eq!(left, 1, "the engines folder has only the pack");
    }
}

#[test]
fn only_a_valid_build_replaces_a_pack() {
    let author = Author::new();
    let ended = author.build(&[]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(author.listed(), ["mine 0.1.0", "mine-native 0.1.0"]);

    author.write("this is not C\n");
    author.check_kept(&[], "failed to build");
    let head = "static const sb_description *engine_describe(void) {\n";
    author.change(head, &[head, "  __builtin_trap();\n"].concat());
    author.check_kept(&["--kind", "wasm"], "mine.wasm: trapped");
    author.change(head, &[head, "  for (volatile int i = 0;; i++) {}\n"].concat());
    author.check_kept(&["--kind", "native"], "did not describe itself within 1000 ms");
    author
        .change("const sb_engine_v1 *sandboard_engine_v1(void)", "const sb_engine_v1 *other(void)");
    author.check_kept(
        &["--kind", "native"],
        "does the source have a function `sandboard_engine_v1` that is not static?",
    );
    author.change("#define ENGINE_VERSION \"0.1.0\"", "#define ENGINE_VERSION \"new\"");
    author.check_kept(&[], "is built, but cannot be used");

    author.change("#define ENGINE_VERSION \"0.1.0\"", "#define ENGINE_VERSION \"0.2.0\"");
    let ended = author.build(&["--kind", "wasm"]);
    assert!(ended.out.contains("no longer in the pack: mine-native"), "{}", ended.out);
    assert_eq!(author.listed(), ["mine 0.2.0"]);
}

#[test]
fn a_handwritten_pack_is_not_overwritten() {
    let author = Author::new();
    std::fs::create_dir_all(author.pack("")).unwrap();
    std::fs::write(author.pack("EngineConfigs.xml"), "<EngineConfigs abi=\"1\"/>").unwrap();
    let ended = author.build(&[]);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(
        ended.err.contains("was not built by Sandboard, so it was not changed"),
        "{}",
        ended.err
    );
    assert_eq!(std::fs::read_dir(author.pack("")).unwrap().count(), 1);
}

#[test]
fn only_built_modules_are_reported_as_trusted() {
    let author = Author::new();
    let manifest = format!(
        r#"<EngineConfigs abi="1">
             <Engine id="mine-native" version="3" kind="native" module="mine{DLL_SUFFIX}"><Game id="gomoku"/></Engine>
             <Engine id="twin" version="3" kind="native" module="mine{DLL_SUFFIX}"><Game id="gomoku"/></Engine>
             <Engine id="other" version="3" kind="external" protocol="uci" program="/bin/true"><Game id="gomoku"/></Engine>
           </EngineConfigs>"#
    );
    std::fs::write(author.home.file("mine/EngineConfigs.xml"), manifest).unwrap();
    let ended = author.build(&["--kind", "native"]);
    let expected = "trusted, because built on this machine: mine-native, twin (undo: sandboard untrust mine-native)";
    assert!(ended.out.contains(expected), "{}{}", ended.out, ended.err);
}

#[test]
fn a_manifest_of_the_author_is_installed_with_its_files() {
    let author = Author::new();
    let book = author.home.file("mine/data/book.bin");
    std::fs::create_dir_all(book.parent().unwrap()).unwrap();
    std::fs::write(&book, "").unwrap();
    // The SHA-256 of the empty file.
    let manifest = "<EngineConfigs abi=\"1\">\n<Engine id=\"mine\" version=\"3\" kind=\"wasm\" \
                    module=\"mine.wasm\">\n<Game id=\"gomoku\"/>\n<Asset name=\"book\" \
                    path=\"data/book.bin\" \
                    sha256=\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"/>\n\
                    </Engine>\n</EngineConfigs>\n";
    std::fs::write(author.home.file("mine/EngineConfigs.xml"), manifest).unwrap();
    let ended = author.build(&["--kind", "wasm"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(author.listed(), ["mine 3"]);
    assert!(author.pack("data/book.bin").is_file());
    std::fs::write(&book, "another book").unwrap();
    let ended = author.build(&["--kind", "wasm"]);
    assert!(ended.err.contains("Asset/@sha256: wrong hash"), "{}", ended.err);
    assert_eq!(std::fs::read(author.pack("data/book.bin")).unwrap(), b"");
}
