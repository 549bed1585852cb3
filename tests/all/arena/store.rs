//! Stores that cannot be written: the error is clear, nothing is corrupted, and the arena resumes
//! when the store is writable again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use sqlx::{Connection, SqliteConnection};

use super::TestHome;

const MATCH: &str =
    "match random-mover random-mover --pairs 400 --seed 2 --budget fuel:1e6/move --dir m --json";

/// Runs `sandboard arena` in a shell that runs `before` first; exit code and standard
/// error.
fn run_in_shell(home: &TestHome, before: &str, words: &str) -> (Option<i32>, String) {
    let command = home.command(words);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{before} \"$@\"")).arg("sh");
    shell.arg(command.get_program()).args(command.get_args()).current_dir(home.0.path());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The stored part can be shown and resumed, and the arena ends as it would have undisturbed.
fn check_sound(home: &TestHome) {
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(shown["state"], "open");
    let stored = home.games("m").len();
    assert!(stored < 800, "{stored}");
    let undisturbed = home.play(&MATCH.replace("--dir m --json", "--dir whole"));
    assert_eq!(home.play("--resume m"), undisturbed);
    assert_eq!(home.games("m"), home.games("whole"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported() {
    let home = TestHome::new();
    // Compiled code is written to disk, too: this run fills the cache.
    home.play(&MATCH.replace("--pairs 400", "--pairs 1").replace("--dir m --json", "--dir warm"));
    // Files are limited to 1.5 MiB, so a write to the store fails during the match.
    let (code, errors) = run_in_shell(&home, "trap '' XFSZ; ulimit -f 3000; exec", MATCH);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("cannot write to the store of the arena"), "{errors}");
    assert!(errors.contains("full") && errors.contains("sandboard arena --resume m"), "{errors}");
    assert!(!home.games("m").is_empty());
    check_sound(&home);
}

/// Runs `then` while another connection holds the database's write lock; then checks the database.
pub(crate) fn while_locked(file: &Path, then: impl FnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let url = format!("sqlite://{}", file.display());
    let execute = |connection: &mut SqliteConnection, sql: &'static str| {
        runtime.block_on(sqlx::raw_sql(sql).execute(connection)).unwrap();
    };
    let mut other = runtime.block_on(SqliteConnection::connect(&url)).unwrap();
    execute(&mut other, "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE");
    then();
    execute(&mut other, "ROLLBACK");
    let sound = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut other);
    let found: String = runtime.block_on(sound).unwrap();
    assert_eq!(found, "ok");
}

#[test]
fn a_store_locked_by_another_program_is_reported() {
    let home = TestHome::new();
    let mut child =
        home.command(MATCH).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The arena is playing: some games are stored.
    assert!(lines.by_ref().take(20).all(|line| line.is_ok()));
    while_locked(&home.path("m/arena.db"), || {
        lines.for_each(|line| drop(line.unwrap()));
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        for part in
            ["database is locked", "another program has locked it", "sandboard arena --resume m"]
        {
            assert!(errors.contains(part), "{part}: {errors}");
        }
        // Reading does not need the lock.
        assert!(!home.games("m").is_empty());
        // The arena does not start while it cannot store games.
        let errors = home.fail("--resume m", 1);
        assert!(errors.contains("another program has locked it"), "{errors}");
    });
    check_sound(&home);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let home = TestHome::new();
    let part = MATCH.replace("--pairs 400", "--pairs 1");
    home.play(part.trim_end_matches(" --json"));
    let set_modes = |mode: u32, folder_mode: u32| {
        for entry in std::fs::read_dir(home.path("m")).unwrap() {
            let path = entry.unwrap().path();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let folder = std::fs::Permissions::from_mode(folder_mode);
        std::fs::set_permissions(home.path("m"), folder).unwrap();
    };
    set_modes(0o444, 0o555);
    // Root may write everything unless it drops this capability.
    let before = match rustix::process::geteuid().is_root() {
        true => "exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override",
        false => "exec",
    };
    let (code, errors) = run_in_shell(&home, before, "--resume m");
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("cannot lock m/lock: "), "{errors}");
    // `show` writes nothing.
    let (code, errors) = run_in_shell(&home, before, "show m --json");
    assert_eq!(code, Some(0), "{errors}");
    set_modes(0o644, 0o755);
    home.play("--resume m");
}

#[test]
fn a_file_that_is_not_a_store_is_reported() {
    let home = TestHome::new();
    std::fs::create_dir(home.path("m")).unwrap();
    for (content, expected) in [
        ("", "is not the folder of an arena"),
        ("something else that is long enough", "file is not a database"),
    ] {
        std::fs::write(home.path("m/arena.db"), content).unwrap();
        for words in ["--resume m", "show m"] {
            let errors = home.fail(words, 1);
            assert!(errors.contains(expected), "{content:?}: {words}: {errors}");
        }
    }
    assert_eq!(home.succeed("list ."), "");
}
