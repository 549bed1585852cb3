//! What is admitted of a description.

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
    let checked = checked_description(Description { options, ..Description::default() });
    let said = checked.map(drop).map_err(|fault| fault.sentence);
    assert_eq!(said, expected.map_err(str::to_owned), "{names:?}");
}

#[test]
fn an_option_is_a_word_of_its_own_and_none_of_the_hosts() {
    check(&[], Ok(()));
    check(&["depth", "Depth"], Ok(()));
    check(&["depth", "depth"], Err("describes the option `depth` twice"));
    check(&["two words"], Err("describes an option named `two words`, which is no word"));
    check(&["thread", "Threads", "threads-max"], Ok(()));
    let hosts = "describes the option `threads`, which is the host's own: every engine has it";
    check(&["depth", "threads"], Err(hosts));
    check(&["option"], Ok(()));
    check(&["options"], Err(&hosts.replace("threads", "options")));
}
