//! Arenas whose store is a PostgreSQL database: played, shown, killed and resumed by their folder
//! like any other arena.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use sandboard_builder::postgres::{PASSWORD, PASSWORD_USER, Server, create_database};
use sandboard_tests::data_variables;
use serde_json::Value;

use super::{TestHome, without_run_details};

const MATCH: &str =
    "match random-mover random-mover --pairs 400 --seed 2 --budget fuel:1e6/move --json";
/// A match too long for a test to finish.
const LONG_MATCH: &str =
    "match random-mover random-mover --pairs 99999 --seed 2 --budget fuel:1e6/move --json";

/// Starts a match and waits until some of its games are stored.
fn start(
    home: &TestHome,
    words: &str,
    url: &str,
) -> (Child, std::io::Lines<BufReader<ChildStdout>>) {
    let mut command = home.command(&format!("{words} --dir m --store {url}"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(output.by_ref().take(20).all(|line| line.is_ok()));
    (child, output)
}

/// The error output of an arena that stops before its end.
fn wait_for_failure(child: Child, output: std::io::Lines<BufReader<ChildStdout>>) -> String {
    output.for_each(drop);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    errors
}

/// The stored part can be shown and resumed, and the arena ends as it would have undisturbed.
fn check_sound(home: &TestHome) {
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(shown["state"], "open");
    let stored = home.games("m").len();
    assert!((1..800).contains(&stored), "{stored}");
    let undisturbed = home.play(&MATCH.replace("--json", "--dir whole"));
    assert_eq!(home.play("--resume m"), undisturbed);
    assert_eq!(home.games("m"), home.games("whole"));
}

#[test]
fn an_arena_in_a_database_is_opened_by_its_folder() {
    let home = TestHome::new();
    let url = create_database().unwrap();
    let words = "match random-mover random-mover --pairs 4 --seed 7 --budget fuel:1e6/move --dir";
    let view = home.play(&format!("{words} m --store {url}"));
    assert_eq!(view, home.play(&format!("{words} file")));
    // A second arena in the same database.
    home.play(&format!("{words} other --store {url}").replace("--seed 7", "--seed 8"));
    let mut files: Vec<_> =
        std::fs::read_dir(home.path("m")).unwrap().map(|it| it.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["lock", "store.url"]);
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(without_run_details(shown), view);
    assert_eq!(home.games("m"), home.games("file"));
    assert_ne!(home.games("m"), home.games("other"));
    let moves = |dir: &str| {
        let record = home.record(dir, "pair-000001-1");
        let plies = record["plies"].as_array().unwrap();
        plies.iter().map(|ply| ply["move"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(moves("m"), moves("file"));
    assert_eq!(home.succeed("list .").lines().count(), 3);
    assert_eq!(home.succeed("stop m"), "the arena is not being played\n");
    assert_eq!(home.play("--resume m"), view);
    // Other commands that take an arena's folder or one of its games.
    let other = |words: &str| {
        let mut command = home.command("");
        command = Command::new(command.get_program());
        command.envs(data_variables(home.0.path())).current_dir(home.0.path());
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
    // No second arena starts in the folder.
    for more in ["", &format!(" --store {url}")] {
        let again = home.fail(&format!("{words} m{more}"), 1);
        assert!(again.contains("holds an arena already"), "{again}");
    }
    let again = home.fail(&format!("{words} file --store {url}"), 1);
    assert!(again.contains("holds an arena already"), "{again}");
}

#[test]
fn a_killed_host_resumes_where_it_stopped() {
    let home = TestHome::new();
    let (mut child, output) = start(&home, MATCH, &create_database().unwrap());
    child.kill().unwrap();
    output.for_each(drop);
    child.wait().unwrap();
    check_sound(&home);
}

#[test]
fn a_killed_database_server_is_reported_and_the_store_stays_consistent() {
    let home = TestHome::new();
    let mut server = Server::start().unwrap();
    let url = server.create_database().unwrap();
    let (child, output) = start(&home, MATCH, &url);
    server.kill().unwrap();
    let errors = wait_for_failure(child, output);
    assert!(errors.contains("sandboard arena --resume m"), "{errors}");
    let advice =
        ["is it still running", "is it running", "is the server running", "the server ends"];
    assert!(advice.iter().any(|part| errors.contains(part)), "{errors}");
    for words in ["show m", "--resume m"] {
        let errors = home.fail(words, 1);
        assert!(errors.contains("is the server running"), "{words}: {errors}");
    }
    server.restart().unwrap();
    check_sound(&home);
}

#[test]
fn a_running_arena_is_locked_in_every_folder() {
    let home = TestHome::new();
    let (child, output) = start(&home, LONG_MATCH, &create_database().unwrap());
    // A thread reads the output; otherwise the arena would block on a full pipe.
    let output = std::thread::spawn(|| output.for_each(drop));
    // A second folder of the same arena, as on another machine.
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
    output.join().unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    for dir in ["m", "elsewhere"] {
        assert_eq!(home.succeed(&format!("stop {dir}")), "the arena is not being played\n");
    }
}

#[test]
fn database_errors_name_the_database_and_hide_the_password() {
    let home = TestHome::new();
    let mut server = Server::start().unwrap();
    let name = server.create_database().unwrap().rsplit_once('/').unwrap().1.to_owned();
    let guarded =
        |password: &str, name: &str| server.url(&format!("{PASSWORD_USER}:{password}"), name);
    let begin = "match random-mover random-mover --pairs 2 --seed 7 --budget fuel:1e6/move --dir";
    let check = |url: &str, code: i32, expected: &str| {
        let errors = home.fail(&format!("{begin} wrong --store {url}"), code);
        assert!(errors.contains(expected), "{url}: {errors}");
        assert!(!errors.contains("secret") && !errors.contains(PASSWORD), "{errors}");
        assert!(!home.path("wrong/store.url").exists());
    };
    check("club.db", 2, "--store needs the URL of a database");
    check("postgres://u:1/secret@h/c", 2, "in a password / is written %2F");
    check("postgres://u:secret@h/c?sslmode=require", 2, "does not support TLS");
    check(&guarded("secret", &name), 1, "password authentication failed");
    check(&guarded(PASSWORD, "nowhere"), 1, "createdb nowhere");
    check(&guarded(PASSWORD, &name), 1, "lacks the privilege");
    server.run_sql(&name, &format!("ALTER DATABASE {name} OWNER TO {PASSWORD_USER}")).unwrap();
    let output = home.succeed(&format!("{begin} m --json --store {}", guarded(PASSWORD, &name)));
    assert!(!output.contains(PASSWORD));
    let stored = std::fs::read_to_string(home.path("m/store.url")).unwrap();
    assert!(stored.starts_with("postgres://guarded@") && !stored.contains(PASSWORD), "{stored}");
    let errors = home.fail("--resume m", 1);
    assert!(errors.contains("PGPASSWORD"), "{errors}");
    // The folder names the database, so the password is sent only to the host in PGHOST.
    let show = || {
        let mut command = home.command("show m");
        command.env("PGPASSWORD", PASSWORD);
        command
    };
    for host in ["", "elsewhere"] {
        let refused = show().env("PGHOST", host).output().unwrap();
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && errors.contains("only if PGHOST is"), "{errors}");
    }
    let host = stored.split(['@', '/']).nth(3).unwrap().replace("%2F", "/");
    let shown = show().env("PGHOST", host).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
}
