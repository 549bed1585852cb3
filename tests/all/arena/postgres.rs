//! An arena whose store is a database of PostgreSQL: played, looked at, killed and gone on with as any other, by its folder.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use sandboard_forge::postgres::{GUARDED, PASSWORD, Server, database};
use serde_json::Value;

use super::{Home, same};

const MATCH: &str =
    "match random-mover random-mover --pairs 400 --seed 2 --budget fuel:1e6/move --json";
/// One that no test sees the end of.
const LONG_MATCH: &str =
    "match random-mover random-mover --pairs 99999 --seed 2 --budget fuel:1e6/move --json";

/// A match that is being played: of its games some are kept.
fn begun(home: &Home, words: &str, url: &str) -> (Child, std::io::Lines<BufReader<ChildStdout>>) {
    let mut command = home.command(&format!("{words} --dir m --store {url}"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(told.by_ref().take(20).all(|line| line.is_ok()));
    (child, told)
}

/// What is wrong with an arena that ends before its end.
fn failed(child: Child, told: std::io::Lines<BufReader<ChildStdout>>) -> String {
    told.for_each(drop);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    errors
}

/// What was kept can be looked at and gone on with, and ends as it would have.
fn check_sound(home: &Home) {
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(shown["state"], "open");
    let kept = home.games("m").len();
    assert!((1..800).contains(&kept), "{kept}");
    let undisturbed = home.play(&MATCH.replace("--json", "--dir whole"));
    assert_eq!(home.play("--resume m"), undisturbed);
    assert_eq!(home.games("m"), home.games("whole"));
}

#[test]
fn an_arena_in_a_database_is_found_by_its_folder() {
    let home = Home::new();
    let url = database().unwrap();
    let words = "match random-mover random-mover --pairs 4 --seed 7 --budget fuel:1e6/move --dir";
    let view = home.play(&format!("{words} m --store {url}"));
    assert_eq!(view, home.play(&format!("{words} file")));
    // Another one in the same database.
    home.play(&format!("{words} other --store {url}").replace("--seed 7", "--seed 8"));
    let mut files: Vec<_> =
        std::fs::read_dir(home.path("m")).unwrap().map(|it| it.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["lock", "store.url"]);
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(same(shown), view);
    assert_eq!(home.games("m"), home.games("file"));
    assert_ne!(home.games("m"), home.games("other"));
    let moves = |dir: &str| {
        let record = home.record(dir, "pair-000001-1");
        let plies = record["plies"].as_array().unwrap();
        plies.iter().map(|ply| ply["move"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(moves("m"), moves("file"));
    assert_eq!(home.succeed("list .").lines().count(), 3);
    assert_eq!(home.succeed("stop m"), "nobody plays it\n");
    assert_eq!(home.play("--resume m"), view);
    // Commands that take a folder, or a game of one.
    let other = |words: &str| {
        let mut command = home.command("");
        command = Command::new(command.get_program());
        command.env("SANDBOARD_HOME", home.0.path()).current_dir(home.0.path());
        command.env("SANDBOARD_ENGINES", sandboard_tests::root().join("engines-dir"));
        let output = command.args(words.split_whitespace()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(other("replay m/pair-000001-1 --ply 3").contains("of m/pair-000001-1"));
    assert_eq!(other("verify m").lines().count(), other("verify file").lines().count());
    other("convert m g-%d.sgf");
    assert!(home.path("g-8.sgf").is_file());
    // In its folder nothing else begins.
    for more in ["", &format!(" --store {url}")] {
        let again = home.fail(&format!("{words} m{more}"), 1);
        assert!(again.contains("holds an arena already"), "{again}");
    }
    let again = home.fail(&format!("{words} file --store {url}"), 1);
    assert!(again.contains("holds an arena already"), "{again}");
}

#[test]
fn a_killed_host_goes_on_where_it_was() {
    let home = Home::new();
    let (mut child, told) = begun(&home, MATCH, &database().unwrap());
    child.kill().unwrap();
    told.for_each(drop);
    child.wait().unwrap();
    check_sound(&home);
}

#[test]
fn a_database_server_that_is_killed_is_named_and_nothing_is_half_kept() {
    let home = Home::new();
    let mut server = Server::start().unwrap();
    let url = server.database().unwrap();
    let (child, told) = begun(&home, MATCH, &url);
    server.kill().unwrap();
    let errors = failed(child, told);
    assert!(errors.contains("sandboard arena --resume m"), "{errors}");
    let told = ["is it still running", "is it running", "is the server running", "the server ends"];
    assert!(told.iter().any(|part| errors.contains(part)), "{errors}");
    for words in ["show m", "--resume m"] {
        let errors = home.fail(words, 1);
        assert!(errors.contains("is the server running"), "{words}: {errors}");
    }
    server.begin().unwrap();
    check_sound(&home);
}

#[test]
fn who_plays_an_arena_holds_it_in_whatever_folder() {
    let home = Home::new();
    let (child, told) = begun(&home, LONG_MATCH, &database().unwrap());
    // It waits for whoever reads what it tells.
    let told = std::thread::spawn(|| told.for_each(drop));
    // As another machine has it.
    std::fs::create_dir(home.path("elsewhere")).unwrap();
    std::fs::copy(home.path("m/store.url"), home.path("elsewhere/store.url")).unwrap();
    for dir in ["m", "elsewhere"] {
        let busy = home.fail(&format!("--resume {dir}"), 1);
        assert!(busy.contains("is being played by another process"), "{busy}");
        let shown: Value =
            serde_json::from_str(&home.succeed(&format!("show {dir} --json"))).unwrap();
        assert_eq!(shown["state"], "running");
    }
    assert!(home.succeed("stop elsewhere").contains("games in play are finished"));
    told.join().unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    for dir in ["m", "elsewhere"] {
        assert_eq!(home.succeed(&format!("stop {dir}")), "nobody plays it\n");
    }
}

#[test]
fn what_is_no_database_is_named_and_no_password() {
    let home = Home::new();
    let mut server = Server::start().unwrap();
    let name = server.database().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let guarded = |password: &str, name: &str| server.url(&format!("{GUARDED}:{password}"), name);
    let begin = "match random-mover random-mover --pairs 2 --seed 7 --budget fuel:1e6/move --dir";
    let check = |url: &str, code: i32, expected: &str| {
        let errors = home.fail(&format!("{begin} wrong --store {url}"), code);
        assert!(errors.contains(expected), "{url}: {errors}");
        assert!(!errors.contains("secret") && !errors.contains(PASSWORD), "{errors}");
        assert!(!home.path("wrong/store.url").exists());
    };
    check("club.db", 2, "--store takes the URL of a database");
    check("postgres://u:1/secret@h/c", 2, "in a password / is written %2F");
    check("postgres://u:secret@h/c?sslmode=require", 2, "no TLS");
    check(&guarded("secret", &name), 1, "password authentication failed");
    check(&guarded(PASSWORD, "nowhere"), 1, "createdb nowhere");
    check(&guarded(PASSWORD, &name), 1, "needs the right");
    server.run_sql(&name, &format!("ALTER DATABASE {name} OWNER TO {GUARDED}")).unwrap();
    let told = home.succeed(&format!("{begin} m --json --store {}", guarded(PASSWORD, &name)));
    assert!(!told.contains(PASSWORD));
    let kept = std::fs::read_to_string(home.path("m/store.url")).unwrap();
    assert!(kept.starts_with("postgres://guarded@") && !kept.contains(PASSWORD), "{kept}");
    let asked = home.fail("--resume m", 1);
    assert!(asked.contains("PGPASSWORD"), "{asked}");
    let shown = home.command("show m").env("PGPASSWORD", PASSWORD).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
}
