//! Where the store cannot be written: a clear sentence, nothing corrupted, and the arena goes on when it can.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use sqlx::{Connection, SqliteConnection};

use super::Home;

const MATCH: &str =
    "match random-mover random-mover --pairs 400 --seed 2 --budget fuel:1e6/move --dir m --json";

/// Runs `sandboard arena` by a shell that sets things up first.
fn under(home: &Home, before: &str, words: &str) -> (Option<i32>, String) {
    let command = home.command(words);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{before} \"$@\"")).arg("sh");
    shell.arg(command.get_program()).args(command.get_args()).current_dir(home.0.path());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What was kept can be looked at and gone on with, and ends as it would have.
fn check_sound(home: &Home) {
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(shown["state"], "open");
    let kept = home.games("m").len();
    assert!(kept < 800, "{kept}");
    let undisturbed = home.play(&MATCH.replace("--dir m --json", "--dir whole"));
    assert_eq!(home.play("--resume m"), undisturbed);
    assert_eq!(home.games("m"), home.games("whole"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_it_with_a_sentence() {
    let home = Home::new();
    // What is compiled is written, too: now it is there.
    home.play(&MATCH.replace("--pairs 400", "--pairs 1").replace("--dir m --json", "--dir warm"));
    // A file may have 1.5 MiB: the writer of the store is told so in the middle of the match.
    let (code, errors) = under(&home, "trap '' XFSZ; ulimit -f 3000; exec", MATCH);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("cannot write to the store of the arena"), "{errors}");
    assert!(errors.contains("full") && errors.contains("sandboard arena --resume m"), "{errors}");
    assert!(!home.games("m").is_empty());
    check_sound(&home);
}

/// Another program that has the database for itself while `then` goes on, and finds it sound.
fn holding(file: &Path, then: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let url = format!("sqlite://{}", file.display());
    let ask = |connection: &mut SqliteConnection, what: &'static str| {
        runtime.block_on(sqlx::raw_sql(what).execute(connection)).unwrap();
    };
    let mut other = runtime.block_on(SqliteConnection::connect(&url)).unwrap();
    ask(&mut other, "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE");
    then();
    ask(&mut other, "ROLLBACK");
    let sound = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut other);
    let found: String = runtime.block_on(sound).unwrap();
    assert_eq!(found, "ok");
}

#[test]
fn a_store_that_another_program_holds_is_named() {
    let home = Home::new();
    let mut child =
        home.command(MATCH).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    // It plays: some games are kept.
    assert!(told.by_ref().take(20).all(|line| line.is_ok()));
    holding(&home.path("m/arena.db"), || {
        told.for_each(|line| drop(line.unwrap()));
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        for part in ["database is locked", "another program holds it", "sandboard arena --resume m"]
        {
            assert!(errors.contains(part), "{part}: {errors}");
        }
        // Whoever only looks need not wait.
        assert!(!home.games("m").is_empty());
        // Nor does it begin while it could keep nothing.
        let errors = home.fail("--resume m", 1);
        assert!(errors.contains("another program holds it"), "{errors}");
    });
    check_sound(&home);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let part = MATCH.replace("--pairs 400", "--pairs 1");
    home.play(part.trim_end_matches(" --json"));
    let lock = |mode: u32, folder_mode: u32| {
        for entry in std::fs::read_dir(home.path("m")).unwrap() {
            let path = entry.unwrap().path();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let folder = std::fs::Permissions::from_mode(folder_mode);
        std::fs::set_permissions(home.path("m"), folder).unwrap();
    };
    lock(0o444, 0o555);
    // Root may write everything, unless it lets go of that.
    let before = match rustix::process::geteuid().is_root() {
        true => "exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override",
        false => "exec",
    };
    let (code, errors) = under(&home, before, "--resume m");
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("cannot lock m/lock: "), "{errors}");
    // To look at it nothing needs to be written.
    let (code, errors) = under(&home, before, "show m --json");
    assert_eq!(code, Some(0), "{errors}");
    lock(0o644, 0o755);
    home.play("--resume m");
}

#[test]
fn what_is_no_store_is_named() {
    let home = Home::new();
    std::fs::create_dir(home.path("m")).unwrap();
    for (content, expected) in
        [("", "holds no arena"), ("something else that is long enough", "file is not a database")]
    {
        std::fs::write(home.path("m/arena.db"), content).unwrap();
        for words in ["--resume m", "show m"] {
            let errors = home.fail(words, 1);
            assert!(errors.contains(expected), "{content:?}: {words}: {errors}");
        }
    }
    assert_eq!(home.succeed("list ."), "");
}
