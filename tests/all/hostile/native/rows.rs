//! The acts in an engine process: the fault that ends the game, or the system's result of each step
//! while the engine plays on.

use super::harness::{NativeHarness, OVERRUN, START_MS};

/// Each of these acts loses by the same fault.
fn crashes(harness: &NativeHarness, acts: &[&str], why: &str) {
    acts.iter().for_each(|act| harness.loses(act, why));
}

pub(super) fn signals(harness: &NativeHarness) {
    let segv = "crash: was killed by SIGSEGV";
    crashes(harness, &["segv", "segv@start", "segv@played", "segv@taken-back", "segv@think"], segv);
    crashes(harness, &["wild-move", "wild-line", "wild-moves-of-line", "wild-report"], segv);
    // The process is killed, so `drop` is never called.
    harness.plays("segv@drop", "");
    harness
        .loses("long-move", "protocol: sent a move of 4294967295 bytes; at most 64 are admitted");
    harness.loses("stack-overflow", segv);
    harness.loses("fpe", "crash: was killed by SIGFPE");
    harness.loses("ill", "crash: was killed by SIGILL");
    harness.loses("kill-self", "crash: was killed by SIGKILL");
    assert_eq!(harness.plays("bus", ""), ["memfd: ENOSYS"]);
    // A stopped process exceeds its time.
    harness.loses("stop-self", OVERRUN);
}

pub(super) fn abort(harness: &NativeHarness) {
    crashes(harness, &["abort", "abort@start"], "crash: was killed by SIGABRT");
    harness.plays("abort@drop", "");
}

pub(super) fn exit(harness: &NativeHarness) {
    let why = "crash: ended its process before it answered (exit status 0)";
    crashes(harness, &["exit-0", "exit-at-once", "exit-0@start"], why);
    harness.plays("exit-0@drop", "");
    // The process continues without the thread that answers.
    harness.loses("exit-thread", OVERRUN);
    // The C library aborts, or the thread exits first.
    harness.loses("pthread-exit", "crash: ");
}

pub(super) fn loops(harness: &NativeHarness) {
    crashes(harness, &["loop", "deaf-loop", "sleep", "deadlock"], OVERRUN);
    harness.loses("loop@start", &format!("timeout: did not answer within {START_MS} ms"));
    harness.loses("loop@played", "timeout: did not answer within 1000 ms");
    harness.loses("loop@taken-back", "timeout: did not answer within 1000 ms");
    harness.loses("loop@think", "timeout: did not stop within 500 ms after a stop request");
    harness.plays("loop@drop", "");
}

pub(super) fn processes(harness: &NativeHarness) {
    assert_eq!(harness.plays("fork-bomb", ""), ["fork: EPERM after 0"]);
    let ways = ["fork", "clone", "clone that shares memory", "unshared child"];
    let refused: Vec<String> = ways.iter().map(|way| format!("{way}: EPERM")).collect();
    let mut refused: Vec<&str> = refused.iter().map(String::as_str).collect();
    refused.insert(2, "clone3: ENOSYS");
    assert_eq!(harness.plays("leave-processes", ""), refused);
}

pub(super) fn memory(harness: &NativeHarness) {
    // The cap is 64 MiB, plus some room for libraries and stacks.
    let logged = harness.plays("eat-memory", "");
    let mebi = number_before("ENOMEM", &logged, "MiB: ENOMEM after ");
    assert!((64..=256).contains(&mebi), "{logged:?}");
    harness.loses("eat-memory-blindly", "crash: was killed by SIGSEGV");
    assert_eq!(harness.plays("eat-memory-of-files", ""), ["memfd: ENOSYS"]);
    let logged = harness.plays("eat-memory-of-pipes", "");
    assert!(logged[0].starts_with("pipes: E"), "{logged:?}");
    // No limit would count it: not in a move, and not in a constructor.
    let refused = ["shared MiB: EPERM after 0"];
    assert_eq!(harness.plays("eat-shared-memory", ""), refused);
    assert_eq!(harness.plays_early("load:eat-shared-memory"), refused);
    let logged = harness.plays("reserve-memory", "");
    assert_eq!(logged, ["reserved bytes: ENOMEM after 1073741824"]);
    assert_eq!(harness.plays("lock-memory", ""), ["mlock: EPERM"]);
    // Memory within the cap is allowed.
    assert_eq!(harness.plays("eat-memory", "32"), ["MiB: enough after 32"]);
}

/// The number in the line that starts with `start`.
fn number_before(what: &str, logged: &[String], start: &str) -> u64 {
    let line = logged.iter().find_map(|line| line.strip_prefix(start));
    line.and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("no {what} in {logged:?}"))
}

pub(super) fn descriptors(harness: &NativeHarness) {
    let logged = harness.plays("eat-files", "");
    assert!(number_before("EMFILE", &logged, "descriptors: EMFILE after ") < 100, "{logged:?}");
    // The engine process notices that its channel is closed.
    for act in ["close-files", "replace-files"] {
        harness.loses(act, "crash: ended its process before it answered (exit status 1)");
    }
}

pub(super) fn forged_messages(harness: &NativeHarness) {
    // Output is read up to a limit, and only its end is kept; then writes fail.
    for act in ["flood-stdout", "flood-stderr"] {
        let logged = harness.plays(act, "");
        assert!(logged[0].starts_with("bytes: EAGAIN after "), "{act}: {logged:?}");
        assert_eq!(harness.plays(act, "1"), ["bytes: enough after 1048576"]);
    }
    assert_eq!(harness.plays("escape-stderr", ""), ["stderr: allowed"]);
    // Standard output is not the protocol's channel.
    assert_eq!(harness.plays("forge-stdout", ""), ["frame: allowed", "line: allowed"]);
    // Over the channel it can forge its own answer.
    harness.resigns("forge-answer");
    let what = "protocol: sent an unexpected answer: ";
    harness.loses("forge-other", what);
    harness.loses(
        "forge-length",
        "protocol: sent a message of 4294967295 bytes; at most 4194304 are admitted",
    );
    harness.loses("forge-garbage", "protocol: sent an invalid message: ");
    harness.loses("forge-nesting", "protocol: sent an invalid message: ");
    // The host waits for the rest of the message, until the engine writes to a file that was
    // passed to it, which ends the process.
    harness.loses("forge-half", "crash: was killed by SIGXFSZ");
    // The host ignores repeated ready messages; the write to the same file ends the process.
    harness.loses("forge-ready", "crash: was killed by SIGXFSZ");
    harness.plays("read-everywhere", "");
    harness.plays("flood-log", "20000");
}

pub(super) fn handlers(harness: &NativeHarness) {
    // A crash that the engine handles itself is not visible to the host.
    for (act, hidden) in [
        ("hide-crash", "crash: hidden"),
        ("hide-stack-overflow", "stack overflow: hidden"),
        ("hide-abort", "abort: hidden"),
    ] {
        let logged = harness.plays(act, "");
        assert_eq!(logged.last().map(String::as_str), Some(hidden), "{act}");
    }
    harness.loses("crash-for-ever", OVERRUN);
}

pub(super) fn threads(harness: &NativeHarness) {
    // The threads continue between moves and end with the game.
    assert_eq!(harness.plays("threads-stay", "2"), ["threads: enough after 2"]);
    harness.plays("threads-stay@drop", "2");
    let logged = harness.plays("thread-bomb", "");
    assert!(number_before("EAGAIN", &logged, "threads: EAGAIN after ") < 5000, "{logged:?}");
    harness.is_charged_for_its_threads();
    // The thread may or may not log before the game is over.
    let logged = harness.plays("talk-later", "");
    assert!(logged.iter().all(|line| line == "said outside a call"), "{logged:?}");
}

pub(super) fn unwinding(harness: &NativeHarness) {
    // The abort races with the end of the thread.
    harness.throws(&["crash: was killed by SIGABRT", "crash: ended its own thread"]);
}

pub(super) fn process_changes(harness: &NativeHarness) {
    harness.changes_stay_in_process("change-process");
    harness.changes_stay_in_process("lower-limits");
    harness.changes_stay_in_process("alarm-soon");
    let raised = harness.plays("raise-limits", "");
    for limit in ["descriptors", "address space", "file size", "core"] {
        assert!(raised.contains(&format!("{limit}: EPERM")), "{limit}: {raised:?}");
    }
    for step in harness.plays("push-ahead", "") {
        assert!(step.ends_with(": EPERM"), "{step}");
    }
}

pub(super) fn access_to_others(harness: &NativeHarness) {
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
        harness.is_refused(act, at, &["EPERM", "ENOSYS"]);
    }
    harness.is_refused("reach-kernel", "", &["EPERM", "ENOSYS", "EINVAL"]);
    // The program's file does not exist in the jail.
    harness.is_refused("exec", "", &["EPERM", "ENOSYS"]);
    // Executable memory, as just-in-time compilers need, is allowed.
    assert_eq!(harness.plays("make-code", ""), ["page to write and run: allowed"]);
    reads_and_writes_nothing(harness);
    finds_no_data_of_others(harness);
}

/// Only the empty root folder can be read.
fn reads_and_writes_nothing(harness: &NativeHarness) {
    let others = tempfile::NamedTempFile::new().expect("a file");
    let path = others.path().to_str().expect("a path in UTF-8");
    for step in harness.plays("read-files", path) {
        let root = ["read /: ", "read .: ", "read ..: "].iter().any(|root| step.starts_with(root));
        assert!(root || step == "HOME: unset" || !step.ends_with(": allowed"), "{step}");
    }
    for step in harness.plays("write-files", path) {
        assert!(!step.ends_with(": allowed"), "{step}");
    }
    assert!(others.path().exists());
    for step in harness.plays("climb-out", "") {
        // It may reopen its own standard input and output.
        assert!(!step.starts_with("up from") || !step.ends_with(": allowed"), "{step}");
    }
}

fn finds_no_data_of_others(harness: &NativeHarness) {
    for step in harness.plays("list-environment", "") {
        assert!(!step.starts_with("variable"), "{step}");
    }
    let libraries = harness.plays("list-libraries", "");
    assert!(libraries.iter().any(|library| library.contains("libc.so")), "{libraries:?}");
    for library in libraries {
        let known = ["(program)", "/lib", "/usr/lib", "/own/", "/proc/self/fd/", "linux-vdso"];
        assert!(known.iter().any(|known| library.contains(known)), "{library}");
    }
    let handed = harness.plays("list-files", "");
    assert!(handed.len() < 16, "{handed:?}");
    harness.next_game_is_sound();
}

pub(super) fn broken_interfaces(harness: &NativeHarness) {
    for (number, why) in [
        (1, "load: has a table of 8 bytes; 72 are needed"),
        (2, "load: is built for ABI 3; this host speaks ABI 1"),
        (3, "load: has no function `think` in its table"),
        (4, "load: returns NULL instead of its table"),
        (5, "load: has no symbol sandboard_engine_v1"),
        (6, "protocol: describes itself in a struct that is too small"),
        (7, "protocol: describes itself as NULL"),
        (8, "crash: was killed by SIGSEGV"),
        (9, "protocol: describes itself with a list of 4294967295; at most 256 are admitted"),
        (10, "crash: was killed by SIGSEGV"),
    ] {
        harness.fails_to_load(&format!("broken:{number}"), why);
    }
    harness.fails_to_load("load:segv", "crash: was killed by SIGSEGV");
    for (early, status) in [("load:exit-0", 0), ("load:close-files", 1)] {
        let ended = format!("crash: ended its process before it answered (exit status {status})");
        harness.fails_to_load(early, &ended);
    }
    harness.fails_to_load("describe:segv", "crash: was killed by SIGSEGV");
    for early in ["load:loop", "entry:loop"] {
        harness.fails_to_load(early, &format!("timeout: did not answer within {START_MS} ms"));
    }
    harness.fails_to_load("describe:loop", "timeout: did not describe itself within 1000 ms");
    // The jail is in force during load.
    for early in ["load:reach-kernel", "load:write-files"] {
        let steps = harness.plays_early(early);
        assert!(
            !steps.is_empty() && steps.iter().all(|step| !step.ends_with(": allowed")),
            "{steps:?}"
        );
    }
}

pub(super) fn slow_start(harness: &NativeHarness) {
    // A start of 300 ms fits a move limit of 150 ms, but not a start limit of 200 ms.
    harness.starts_slowly("slow@start");
    harness.starts_slowly("load:slow");
    harness.starts_slowly("entry:slow");
}
