//! Compares docs/authoring.md with the implementation: its code with the files it is taken from,
//! its numbers and sentences with the host.

mod claims;
mod security;
mod steps;

use sandboard_tests::root;

/// The text of docs/authoring.md.
fn guide() -> String {
    read("docs/authoring.md")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fenced block: the info string and the lines inside.
struct Block {
    info: String,
    text: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut parts = markdown.split("\n```").skip(1);
    while let Some(opened) = parts.next() {
        let (info, text) = opened.split_once('\n').expect("a fence ends its line");
        blocks.push(Block { info: info.to_owned(), text: format!("{text}\n") });
        parts.next();
    }
    blocks
}

/// The text of the block with this info string.
fn block(info: &str) -> String {
    let found = blocks(&guide()).into_iter().find(|block| block.info == info);
    found.unwrap_or_else(|| panic!("no block of the guide says `{info}`")).text
}

#[test]
fn blocks_are_found_by_their_fences() {
    let found = blocks("a\n```rust,file=x.rs\nfn x() {}\n\n}\n```\nb\n```sh\nls\n```\n");
    let found: Vec<_> = found.iter().map(|b| (b.info.as_str(), b.text.as_str())).collect();
    assert_eq!(found, [("rust,file=x.rs", "fn x() {}\n\n}\n"), ("sh", "ls\n")]);
}

#[test]
fn code_of_the_guide_is_in_the_named_files() {
    let blocks = blocks(&guide());
    for block in &blocks {
        let Some(path) = block.info.strip_prefix("rust,file=") else {
            assert!(!block.info.starts_with("rust"), "no file is named for\n{}", block.text);
            continue;
        };
        assert!(read(path).contains(&block.text), "{path} does not hold\n{}", block.text);
    }
    for step in steps::STEPS {
        let info = format!("rust,file=sdk/examples/{step}.rs");
        assert!(blocks.iter().any(|block| block.info == info), "{step} is not shown");
    }
}
