//! Names of options in a description.

use sandboard_abi::OptionSpec;

use super::*;

fn check(names: &[&str], expected: Result<(), &str>) {
    let option = |name: &&str| OptionSpec {
        name: (*name).to_owned(),
        about: String::new(),
        kind: Kind::Whole(1, 8),
        initial: "1".into(),
        tunable: false,
    };
    let options = names.iter().map(option).collect();
    let description = Description { options, ..Description::default() };
    let validated = validate_description(description, &Games::default());
    let result = validated.map(drop).map_err(|fault| fault.sentence);
    assert_eq!(result, expected.map_err(str::to_owned), "{names:?}");
}

#[test]
fn option_names_are_valid_unique_and_not_reserved() {
    check(&[], Ok(()));
    check(&["depth", "Depth"], Ok(()));
    check(&["depth", "depth"], Err("describes the option `depth` twice"));
    let invalid = "describes an option with the invalid name `two words`: use letters, digits, \
                   `-`, `_` and `.`";
    check(&["two words"], Err(invalid));
    check(&["thread", "Threads", "threads-max"], Ok(()));
    let reserved = "describes the option `threads`, which the host defines for every engine";
    check(&["depth", "threads"], Err(reserved));
    check(&["option"], Ok(()));
    check(&["options"], Err(&reserved.replace("threads", "options")));
}
