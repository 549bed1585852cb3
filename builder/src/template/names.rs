//! The names of new engines and games: which are allowed, and the Rust types and titles made of
//! them.

use anyhow::{Result, ensure};

use super::NATIVE_SUFFIX;

/// The longest name, in bytes: an id has at most 64, and the native build adds a suffix.
const NAME_BYTES: usize = 48;

/// Names with another meaning for cargo, Rust, Windows or `--seat`.
const RESERVED_NAMES: &[&str] = &[
    "human",
    "test",
    "core",
    "std",
    "alloc",
    "proc_macro",
    "deps",
    "build",
    "con",
    "prn",
    "aux",
    "nul",
    "com1",
    "com2",
    "com3",
    "com4",
    "com5",
    "com6",
    "com7",
    "com8",
    "com9",
    "lpt1",
    "lpt2",
    "lpt3",
    "lpt4",
    "lpt5",
    "lpt6",
    "lpt7",
    "lpt8",
    "lpt9",
];

/// Types of Rust's prelude, which the type of an engine or game must not hide.
const PRELUDE: &[&str] = &[
    "Box", "Clone", "Copy", "Default", "Drop", "Err", "Fn", "From", "Into", "Iterator", "None",
    "Ok", "Option", "Result", "Self", "Send", "Some", "String", "Sync", "Vec",
];

/// Checks the name of an engine or a game; `owner` is one of these words, with its article. An
/// error says why the name is refused.
pub(crate) fn check_name(name: &str, owner: &str) -> Result<()> {
    let letters =
        name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
    let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    ensure!(
        letters && begins && name.len() <= NAME_BYTES,
        "`{name}` is no name for {owner}: use lower-case letters, digits, `-` and `_`, a letter \
         first, at most {NAME_BYTES} bytes (--dir chooses the folder)"
    );
    ensure!(
        !RESERVED_NAMES.contains(&name)
            && !name.ends_with(NATIVE_SUFFIX)
            && !name.starts_with("sandboard"),
        "`{name}` is a reserved name; choose another one"
    );
    Ok(())
}

/// Converts a name to camel case: `my-engine` becomes `MyEngine`.
pub(super) fn camel(name: &str) -> String {
    words(name).collect()
}

/// Converts a name to a title for people: `my-game` becomes `My Game`.
pub(super) fn title(name: &str) -> String {
    words(name).collect::<Vec<_>>().join(" ")
}

/// The words of a name, each with a capital letter.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(['-', '_']).filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    })
}

/// Refuses a name whose Rust type would hide one of these types.
pub(super) fn check_type(name: &str, used: &[&str]) -> Result<()> {
    let own = camel(name);
    ensure!(
        !PRELUDE.contains(&&*own) && !used.contains(&&*own),
        "`{name}` would be the Rust type `{own}`, which already exists; choose another name"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let check = |name: &str, good: bool| {
            assert_eq!(check_name(name, "an engine").is_ok(), good, "{name}");
        };
        check("mine", true);
        check("my-engine_2", true);
        check("Mine", false);
        check("2mine", false);
        check("-mine", false);
        check("", false);
        check("my engine", false);
        check("human", false);
        check("humane", true);
        check("mine-native", false);
        check(&"a".repeat(48), true);
        check(&"a".repeat(49), false);
    }

    #[test]
    fn types_and_titles_are_made_of_names() {
        let check = |name: &str, type_name: &str, shown: &str| {
            assert_eq!((camel(name).as_str(), title(name).as_str()), (type_name, shown));
        };
        check("mine", "Mine", "Mine");
        check("my-game_2", "MyGame2", "My Game 2");
        check("a--b-", "AB", "A B");
    }

    #[test]
    fn types_of_the_template_are_not_hidden() {
        let check = |name: &str, good: bool| {
            assert_eq!(check_type(name, &["Turn"]).is_ok(), good, "{name}");
        };
        check("turn", false);
        check("turning", true);
        check("vec", false);
        check("self", false);
    }
}
