//! Bundles by the real binary: written, and verified elsewhere. `lies` has the bundles that say
//! something untrue.

mod arena_lies;
mod contest;
mod contest_lies;
mod forgery;
mod game_lies;
pub(crate) mod lies;

use sandboard_tests::root;
use serde_json::{Value, json};

use crate::cli::{CommandOutput, TestHome};
use forgery::Unpacked;

const ARENA: &str = "autumn";
const OPENINGS: &str = "e5 d4\na1 b2\n";

/// A test home with an arena of three engines and its bundle.
struct Autumn(TestHome);

impl Autumn {
    fn new(more: &[&str]) -> Self {
        let home = TestHome::new();
        std::fs::write(home.file("openings.txt"), OPENINGS).unwrap();
        // Some of the games end by the rules, some by a fault, and some by the number of plies.
        let words = [
            &["arena", "round-robin", "gomoku-simple", "random-mover@fuel:1e7+1e5"][..],
            &["faulty:fault=error:at=4", "--seed", "7", "--variant", "freestyle-9"],
            &["--budget", "fuel:1e6/move", "--plies-max", "10", "--adjudicate", "win=200/2"],
            &["--openings", "openings.txt", "--dir", ARENA, "--json"],
        ];
        home.succeed(&words.concat(), "");
        let words = [&["arena", "bundle", ARENA, "-o", "autumn.zip"][..], more];
        home.succeed(&words.concat(), "");
        Self(home)
    }

    fn verify(&self, bundle: &str, more: &[&str]) -> CommandOutput {
        // Other tests check the jail of this machine.
        let words = ["verify", "--bundle", bundle, "--contest", "--below-minimum"];
        self.0.run(&[&words[..], more].concat(), "")
    }

    /// Verifying the bundle after `change` prints `expected` and exits with `code`.
    #[track_caller]
    fn check(&self, change: impl FnOnce(&Unpacked), code: i32, expected: &str) {
        let unpacked = Unpacked::new(&self.0.file("autumn.zip"), self.0.file("changed"));
        change(&unpacked);
        let ended = self.verify("changed", &[]);
        std::fs::remove_dir_all(&unpacked.0).unwrap();
        let output = format!("{}{}", ended.out, ended.err);
        assert!(output.contains(expected), "{expected:?} is not in\n{output}");
        assert_eq!(ended.code, Some(code), "{output}");
    }
}

#[test]
fn an_honest_bundle_is_verified() {
    let autumn = Autumn::new(&["--title", "Autumn 2026"]);
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(out, "Autumn 2026: verified: 6 games of 1 arena are identical\n");
    // An interpreter in the same jailed processes agrees.
    let interpreted = autumn.verify("autumn.zip", &["--runtime", "wasmi"]);
    assert_eq!((interpreted.code, interpreted.out), (Some(0), out), "{}", interpreted.err);
    let CommandOutput { code, out, .. } =
        autumn.verify("autumn.zip", &["--sample", "25%", "--json"]);
    let sum: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((code, out.lines().count(), &sum["replayed"]), (Some(0), 3, &json!(2)), "{out}");
    autumn.check(|_| (), 0, "6 games of 1 arena are identical");
    // The tools of liars are honest themselves.
    autumn.check(Unpacked::repair, 0, "6 games of 1 arena are identical");
    let packed = autumn.0.file("packed.zip");
    autumn.check(|it| it.pack(&packed), 0, "6 games of 1 arena are identical");
    let CommandOutput { code, out, err } = autumn.verify("packed.zip", &[]);
    assert_eq!(code, Some(0), "{out}{err}");
}

/// A file without a sound index is not a bundle, so it gets no verdict.
#[test]
fn an_unsound_index_is_refused() {
    let autumn = Autumn::new(&[]);
    let check = |place: &str, value: Value, expected: &str| {
        autumn.check(|it| it.value(place, value), 2, expected);
    };
    let format = "bundle.json: `format` is not \"sandboard-bundle\": this is not a bundle";
    check("/format", json!("sandboard-record"), format);
    let version = "bundle.json: `version` is 2, and this host reads version 1";
    check("/version", json!(2), version);
    check("/prize", json!(2), "bundle.json: unknown field `prize`");
    let name = "/arenas/0/setup/players/0/name";
    check(name, json!("random-mover"), "two players of autumn are called `random-mover`");
    check(name, json!(""), "a player of autumn has an empty name");
    check(name, json!(" gomoku-simple"), "is called ` gomoku-simple`, with blanks at an end");
    check(name, json!("gomoku\u{200b}-simple"), "with blanks at an end or hidden characters");
    check("/arenas/0/name", json!("../x"), "`../x` is not a valid name of an arena");
    let twice = "the game pair-000001-1 of autumn is listed twice";
    check("/arenas/0/games/1/name", json!("pair-000001-1"), twice);
}

/// What a reader ignores could decide a game, so nothing in a setup is ignored.
#[test]
fn an_unknown_field_of_a_setup_is_refused() {
    let autumn = Autumn::new(&[]);
    let check = |place: &str, expected: &str| {
        let place = format!("/arenas/0/setup{place}/prize");
        autumn.check(|it| it.value(&place, json!(1)), 2, expected);
    };
    for place in ["", "/settings", "/settings/grace", "/schedule", "/openings", "/players/0"] {
        check(place, "bundle.json: unknown field `prize`");
    }
    check("/players/1/limits", "bundle.json: unknown field `prize`");
    check("/players/1/fuel_meter", "bundle.json: unknown field `prize`");
    // Options have any names; a value that is no text is refused, too.
    check("/players/1/options", "bundle.json: invalid type: integer `1`, expected a string");
}

#[test]
fn an_omitted_module_is_searched_in_engine_folders() {
    let autumn = Autumn::new(&["--without-modules"]);
    let nowhere = autumn.0.file("nothing");
    std::fs::create_dir(&nowhere).unwrap();
    let elsewhere = ["--engines-dir", nowhere.to_str().unwrap()];
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &elsewhere);
    assert_eq!(code, Some(2), "{out}{err}");
    assert!(out.contains(" cannot be verified: its module "), "{out}");
    assert!(out.contains(" is missing: name a folder that has it with --modules"), "{out}");
    let engines = root().join("engines-dir");
    let named = [&elsewhere[..], &["--modules", engines.to_str().unwrap()]].concat();
    let CommandOutput { code, out, err } = autumn.verify("autumn.zip", &named);
    assert_eq!(code, Some(0), "{out}{err}");
    // The default engines folder has the modules, too.
    assert_eq!(autumn.verify("autumn.zip", &[]).code, Some(0));
}

#[test]
fn invalid_bundles_are_reported() {
    let home = TestHome::new();
    let words =
        "arena match random-mover random-mover --pairs 1 --variant freestyle-5 --seed 1 --dir";
    let words: Vec<&str> = words.split(' ').collect();
    home.succeed(&[&words[..], &["timed", "--budget", "1s/move", "--json"]].concat(), "");
    let ended = home.run(&["arena", "bundle", "timed", "-o", "b.zip"], "");
    assert!(
        ended.err.contains("the arena `timed` cannot be replayed bit for bit"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("does not play on fuel"), "{}", ended.err);
    assert!(!home.file("b.zip").exists());
    std::fs::write(home.file("b.zip"), "PK").unwrap();
    let check = |file: &str, expected: &str| {
        let ended = home.run(&["verify", "--bundle", file, "--contest", "--below-minimum"], "");
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains(expected), "{}", ended.err);
    };
    check("b.zip", "b.zip: is truncated or damaged");
    check("nothing.zip", "nothing.zip: ");
    check("timed", "timed: is not a bundle: it holds no bundle.json");
}
