//! What comes of each act in a worker: how the game ends and in which words, or what the
//! system answered to each step while the engine played on.

use super::cell::{Cell, LATE, START_MS};

/// It crashes in every call alike.
fn crashes(cell: &Cell, acts: &[&str], why: &str) {
    acts.iter().for_each(|act| cell.loses(act, why));
}

pub fn signals(cell: &Cell) {
    let segv = "crash: was killed by SIGSEGV";
    crashes(cell, &["segv", "segv@start", "segv@played", "segv@taken-back", "segv@think"], segv);
    crashes(cell, &["wild-move", "wild-line", "wild-moves-of-line", "wild-report"], segv);
    // It is not dropped but killed: what it would do then never happens.
    cell.plays("segv@drop", "");
    cell.loses("long-move", "protocol: sent a move of 4294967295 bytes; at most 64 are admitted");
    cell.loses("stack-overflow", segv);
    cell.loses("fpe", "crash: was killed by SIGFPE");
    cell.loses("ill", "crash: was killed by SIGILL");
    cell.loses("kill-self", "crash: was killed by SIGKILL");
    assert_eq!(cell.plays("bus", ""), ["memfd: ENOSYS"]);
    // Stopped is late.
    cell.loses("stop-self", LATE);
}

pub fn abort(cell: &Cell) {
    crashes(cell, &["abort", "abort@start"], "crash: was killed by SIGABRT");
    cell.plays("abort@drop", "");
}

pub fn exit(cell: &Cell) {
    let why = "crash: ended its process before it answered (exit status 0)";
    crashes(cell, &["exit-0", "exit-at-once", "exit-0@start"], why);
    cell.plays("exit-0@drop", "");
    // The process lives on, and nobody in it answers.
    cell.loses("exit-thread", LATE);
    // The C library aborts, or the thread is gone first.
    cell.loses("pthread-exit", "crash: ");
}

pub fn loops(cell: &Cell) {
    crashes(cell, &["loop", "deaf-loop", "sleep", "deadlock"], LATE);
    cell.loses("loop@start", &format!("timeout: did not answer within {START_MS} ms"));
    cell.loses("loop@played", "timeout: did not answer within 1000 ms");
    cell.loses("loop@taken-back", "timeout: did not answer within 1000 ms");
    cell.loses("loop@think", "timeout: did not stop within 500 ms when told to");
    cell.plays("loop@drop", "");
}

pub fn processes(cell: &Cell) {
    assert_eq!(cell.plays("fork-bomb", ""), ["fork: EPERM after 0"]);
    let ways = ["fork", "clone", "clone that shares memory", "unshared child"];
    let refused: Vec<String> = ways.iter().map(|way| format!("{way}: EPERM")).collect();
    let mut refused: Vec<&str> = refused.iter().map(String::as_str).collect();
    refused.insert(2, "clone3: ENOSYS");
    assert_eq!(cell.plays("leave-processes", ""), refused);
}

pub fn memory(cell: &Cell) {
    // The cap is 64 MiB; beside it there is room for libraries and stacks, and no more.
    let logged = cell.plays("eat-memory", "");
    let mebi = number_before("ENOMEM", &logged, "MiB: ENOMEM after ");
    assert!((64..=256).contains(&mebi), "{logged:?}");
    cell.loses("eat-memory-blindly", "crash: was killed by SIGSEGV");
    assert_eq!(cell.plays("eat-memory-of-files", ""), ["memfd: ENOSYS"]);
    let logged = cell.plays("eat-memory-of-pipes", "");
    assert!(logged[0].starts_with("pipes: E"), "{logged:?}");
    let logged = cell.plays("reserve-memory", "");
    assert_eq!(logged, ["reserved bytes: ENOMEM after 1073741824"]);
    assert_eq!(cell.plays("lock-memory", ""), ["mlock: EPERM"]);
    // Near miss: what is within the cap it may have.
    assert_eq!(cell.plays("eat-memory", "32"), ["MiB: enough after 32"]);
}

/// The number in the line that begins so.
fn number_before(what: &str, logged: &[String], start: &str) -> u64 {
    let line = logged.iter().find_map(|line| line.strip_prefix(start));
    line.and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("no {what} in {logged:?}"))
}

pub fn descriptors(cell: &Cell) {
    let logged = cell.plays("eat-files", "");
    assert!(number_before("EMFILE", &logged, "descriptors: EMFILE after ") < 100, "{logged:?}");
    // The worker finds out by itself that nobody hears it, and ends.
    cell.loses("close-files", "crash: was killed by SIGABRT");
    cell.loses("replace-files", "crash: ended its process before it answered (exit status 1)");
}

pub fn words(cell: &Cell) {
    // It is read and thrown away but for the end; beyond the bound nobody takes it.
    for act in ["flood-stdout", "flood-stderr"] {
        let logged = cell.plays(act, "");
        assert!(logged[0].starts_with("bytes: EAGAIN after "), "{act}: {logged:?}");
        assert_eq!(cell.plays(act, "1"), ["bytes: enough after 1048576"]);
    }
    assert_eq!(cell.plays("escape-stderr", ""), ["stderr: allowed"]);
    // The protocol is not there.
    assert_eq!(cell.plays("forge-stdout", ""), ["frame: allowed", "line: allowed"]);
    // On the channel itself it can answer for itself, and does not get away with the time.
    cell.resigns("forge-answer");
    let what = "protocol: its worker answered what was not asked: ";
    cell.loses("forge-other", what);
    cell.loses(
        "forge-length",
        "protocol: its worker sent a message of 4294967295 bytes; at most 4194304 are admitted",
    );
    cell.loses("forge-garbage", "protocol: its worker sent a message that is none: ");
    cell.loses("forge-nesting", "protocol: its worker sent a message that is none: ");
    // It waits for the rest, and then the engine writes to a file that it was handed.
    cell.loses("forge-half", "crash: was killed by SIGXFSZ");
    // That it is ready it may say as often as it likes; what ends it is the same file.
    cell.loses("forge-ready", "crash: was killed by SIGXFSZ");
    cell.plays("read-everywhere", "");
    cell.plays("flood-log", "20000");
}

pub fn handlers(cell: &Cell) {
    // What it hides from itself is hidden: its own affair.
    for (act, hidden) in [
        ("hide-crash", "crash: hidden"),
        ("hide-stack-overflow", "stack overflow: hidden"),
        ("hide-abort", "abort: hidden"),
    ] {
        let logged = cell.plays(act, "");
        assert_eq!(logged.last().map(String::as_str), Some(hidden), "{act}");
    }
    cell.loses("crash-for-ever", LATE);
}

pub fn threads(cell: &Cell) {
    // They burn on between its moves, and end with the game.
    assert_eq!(cell.plays("threads-stay", "2"), ["threads: enough after 2"]);
    cell.plays("threads-stay@drop", "2");
    let logged = cell.plays("thread-bomb", "");
    assert!(number_before("EAGAIN", &logged, "threads: EAGAIN after ") < 5000, "{logged:?}");
    cell.is_charged_for_its_threads();
    // Whether it comes to speak before the game is over is chance.
    let said = cell.plays("talk-later", "");
    assert!(said.iter().all(|said| said == "said outside a call"), "{said:?}");
}

pub fn unwinding(cell: &Cell) {
    // The abort and the end of the thread race; either way it is over.
    cell.throws(&["crash: was killed by SIGABRT", "crash: ended its own thread"]);
}

pub fn marks(cell: &Cell) {
    cell.leaves_no_mark("change-process");
    cell.leaves_no_mark("lower-limits");
    cell.leaves_no_mark("alarm-soon");
    let raised = cell.plays("raise-limits", "");
    for limit in ["descriptors", "address space", "file size", "core"] {
        assert!(raised.contains(&format!("{limit}: EPERM")), "{limit}: {raised:?}");
    }
    for step in cell.plays("push-ahead", "") {
        assert!(step.ends_with(": EPERM"), "{step}");
    }
}

pub fn reach(cell: &Cell) {
    let own = std::process::id().to_string();
    for (act, at) in [
        ("reach-processes", own.as_str()),
        ("really-kill-parent", ""),
        ("really-kill-named", &own),
        ("really-trace-me", ""),
        ("reach-network", ""),
        ("reach-unix", "/tmp/socket"),
        ("reach-ipc", ""),
    ] {
        cell.is_refused(act, at, &["EPERM", "ENOSYS"]);
    }
    cell.is_refused("reach-kernel", "", &["EPERM", "ENOSYS", "EINVAL"]);
    // The program is not even there to be opened.
    cell.is_refused("exec", "", &["EPERM", "ENOSYS"]);
    // What a just-in-time compiler needs, inside its own process.
    assert_eq!(cell.plays("make-code", ""), ["page to write and run: allowed"]);
    reads_and_writes_nothing(cell);
    finds_nothing_of_others(cell);
}

/// But for its root, in which there is nothing of anybody.
fn reads_and_writes_nothing(cell: &Cell) {
    let others = tempfile::NamedTempFile::new().expect("a file");
    let path = others.path().to_str().expect("a path in UTF-8");
    for step in cell.plays("read-files", path) {
        let root = ["read /: ", "read .: ", "read ..: "].iter().any(|root| step.starts_with(root));
        assert!(root || step == "HOME: unset" || !step.ends_with(": allowed"), "{step}");
    }
    for step in cell.plays("write-files", path) {
        assert!(!step.ends_with(": allowed"), "{step}");
    }
    assert!(others.path().exists());
    for step in cell.plays("climb-out", "") {
        // Its own standard input and output it may open again, and finds nothing behind.
        assert!(!step.starts_with("up from") || !step.ends_with(": allowed"), "{step}");
    }
}

fn finds_nothing_of_others(cell: &Cell) {
    for step in cell.plays("list-environment", "") {
        assert!(!step.starts_with("variable"), "{step}");
    }
    let libraries = cell.plays("list-libraries", "");
    assert!(libraries.iter().any(|library| library.contains("libc.so")), "{libraries:?}");
    for library in libraries {
        let known = ["(program)", "/lib", "/usr/lib", "/own/", "/proc/self/fd/", "linux-vdso"];
        assert!(known.iter().any(|known| library.contains(known)), "{library}");
    }
    let handed = cell.plays("list-files", "");
    assert!(handed.len() < 16, "{handed:?}");
    cell.next_game_is_sound();
}

pub fn border(cell: &Cell) {
    for (number, why) in [
        (1, "load: has a table of 8 bytes; 72 are needed"),
        (2, "load: is built for border ABI 3; this host speaks ABI 1"),
        (3, "load: has no function `think` in its table"),
        (4, "load: returns NULL instead of its table"),
        (5, "load: has no symbol sandboard_engine_v1"),
        (6, "protocol: describes itself in a struct that is too small"),
        (7, "protocol: describes itself as NULL"),
        (8, "crash: was killed by SIGSEGV"),
        (9, "protocol: describes itself with a list of 4294967295; at most 256 are admitted"),
        (10, "crash: was killed by SIGSEGV"),
    ] {
        cell.is_not_loaded(&format!("broken:{number}"), why);
    }
    cell.is_not_loaded("load:segv", "crash: was killed by SIGSEGV");
    cell.is_not_loaded(
        "load:exit-0",
        "crash: ended its process before it answered (exit status 0)",
    );
    cell.is_not_loaded("load:close-files", "crash: was killed by SIGABRT");
    cell.is_not_loaded("describe:segv", "crash: was killed by SIGSEGV");
    for early in ["load:loop", "entry:loop"] {
        cell.is_not_loaded(early, &format!("timeout: did not answer within {START_MS} ms"));
    }
    cell.is_not_loaded("describe:loop", "timeout: did not describe itself within 1000 ms");
    // In the jail already while it is loaded.
    for early in ["load:reach-kernel", "load:write-files"] {
        let steps = cell.plays_early(early);
        assert!(
            !steps.is_empty() && steps.iter().all(|step| !step.ends_with(": allowed")),
            "{steps:?}"
        );
    }
}

pub fn slow_start(cell: &Cell) {
    // 300 ms of starting are not on the clock of a move of 150 ms, and too long for 200 ms.
    cell.starts_slowly("slow@start");
    cell.starts_slowly("load:slow");
    cell.starts_slowly("entry:slow");
}
