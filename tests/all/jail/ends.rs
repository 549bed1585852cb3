//! How jailed processes end, and what the host learns of it.

use std::io::Write;
use std::time::Duration;

use sandboard_jail::{ExitCause, ExitReport, JailedProcess, Layer, Role, SpawnRequest};

use super::{TIMEOUT, combinations, jail, output_of, probe, send, spawn_request};

/// Waits until the process exits by itself; its exit report.
fn wait_for_exit(process: JailedProcess) -> ExitReport {
    assert!(process.exits_within(TIMEOUT));
    process.kill_and_wait()
}

fn check(act: &str, expected: ExitCause, output: &str) {
    for without in combinations() {
        let jail = jail(&without);
        let process = probe(&jail, Role::Wasm);
        send(&process, act);
        let end = wait_for_exit(process);
        assert_eq!(end.cause, expected, "{act} without {without:?}: {end:?}");
        assert!(end.output.contains(output), "{act} without {without:?}: {end:?}");
    }
}

fn signal(number: i32) -> ExitCause {
    ExitCause::Signal { number, by_host: false }
}

#[test]
fn each_exit_cause_is_reported() {
    check("exit 0", ExitCause::Exited(0), "");
    check("exit 7", ExitCause::Exited(7), "");
    check("abort", signal(6), "");
    check("fault", signal(11), "");
    check("overflow", signal(6), "overflow");
    check("panic some words", ExitCause::Exited(101), "some words");
    #[cfg(target_arch = "x86_64")]
    check("call-32", signal(31), "");
}

#[test]
fn a_closed_channel_means_the_process_ended() {
    let jail = jail(&[]);
    for act in ["exit 4", "panic"] {
        let mut process = probe(&jail, Role::Wasm);
        send(&process, act);
        std::io::Read::read_to_end(&mut process.channel, &mut Vec::new()).unwrap_or(0);
        assert!(process.exits_within(TIMEOUT));
        assert!(matches!(process.kill_and_wait().cause, ExitCause::Exited(4 | 101)), "{act}");
    }
    // A process that continues has an open channel.
    let process = probe(&jail, Role::Wasm);
    assert!(!process.exits_within(Duration::ZERO));
}

#[test]
fn an_exit_after_closing_all_descriptors_is_reported() {
    for without in combinations() {
        let jail = jail(&without);
        let process = probe(&jail, Role::Native);
        send(&process, "close-all");
        assert_eq!(wait_for_exit(process).cause, ExitCause::Exited(3), "without {without:?}");
    }
}

#[test]
fn kills_by_the_host_are_distinguished() {
    let killed = ExitCause::Signal { number: 9, by_host: true };
    for act in ["wait", "work", "fork-bomb 1000000000"] {
        for without in combinations() {
            let jail = jail(&without);
            let process = probe(&jail, Role::Native);
            send(&process, act);
            assert_eq!(process.kill_and_wait().cause, killed, "{act} without {without:?}");
        }
    }
    // A kill by a handle on another thread, twice, then the report.
    let jail = jail(&[]);
    let process = probe(&jail, Role::Native);
    send(&process, "wait");
    let kill_handle = process.kill_handle();
    std::thread::spawn(move || {
        kill_handle.kill();
        kill_handle.kill();
    });
    assert_eq!(wait_for_exit(process).cause, killed);
    // Killing an ended process does not change its report.
    let process = probe(&jail, Role::Native);
    send(&process, "exit 5");
    assert!(process.exits_within(TIMEOUT));
    let kill_handle = process.kill_handle();
    assert_eq!(process.kill_and_wait().cause, ExitCause::Exited(5));
    kill_handle.kill();
}

#[test]
fn the_end_of_the_output_is_kept_and_all_is_counted() {
    let check = |act: &str, bytes: u64, kept: usize| {
        let jail = jail(&[]);
        let process = probe(&jail, Role::Wasm);
        output_of(&process, act);
        let end = process.kill_and_wait();
        assert_eq!(end.output_bytes, bytes, "{act}");
        assert_eq!(end.output.len(), kept, "{act}");
    };
    check("say hello", 6, 5);
    check("print 0", 0, 0);
    // The final line feed is not part of the text.
    check("print 16384", 16 << 10, (16 << 10) - 1);
    check("print 16385", (16 << 10) + 1, (16 << 10) - 1);
    check("print 5000000", 5_000_000, (16 << 10) - 1);
}

#[test]
fn endless_output_fails_without_blocking() {
    let jail = jail(&[]);
    let process = probe(&jail, Role::Wasm);
    send(&process, "print 1000000000");
    // A write to standard error that would block fails with EAGAIN.
    let end = {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(&process.channel), &mut line)
            .unwrap();
        assert!(line.contains("\"refused\":11"), "{line}");
        process.kill_and_wait()
    };
    let limit = 64 << 20;
    assert!((limit..limit + (1 << 20)).contains(&end.output_bytes), "{}", end.output_bytes);
}

#[test]
fn output_is_clean_text() {
    let jail = jail(&[]);
    let process = probe(&jail, Role::Wasm);
    output_of(&process, "say a\u{1b}[31mred\u{7}");
    let output = process.kill_and_wait().output;
    assert!(output.contains("red") && !output.contains(['\u{1b}', '\u{7}']), "{output:?}");
}

#[test]
fn the_cpu_clock_runs_while_the_process_works() {
    let jail = jail(&[]);
    let process = probe(&jail, Role::Native);
    let clock = process.cpu_clock();
    let before = clock.now_us().unwrap();
    send(&process, "work");
    while clock.now_us().unwrap() < before + 20_000 {
        std::thread::yield_now();
    }
    let end = process.kill_and_wait();
    assert!(end.cpu_us >= 20_000, "{end:?}");
    // A process that waits uses almost no CPU time.
    let process = probe(&jail, Role::Native);
    output_of(&process, "clocks");
    assert!(process.kill_and_wait().cpu_us < 20_000);
}

#[test]
fn the_cpu_time_limit_ends_a_process() {
    let jail = jail(&[]);
    let process =
        jail.spawn_probe(SpawnRequest { cpu_s: Some(1), ..spawn_request(Role::Compile) }).unwrap();
    send(&process, "work");
    let end = wait_for_exit(process);
    assert_eq!(end.cause, signal(24), "SIGXCPU: {end:?}");
    assert!((500_000..2_000_000).contains(&end.cpu_us), "{end:?}");
}

#[test]
fn the_file_size_limit_ends_a_process() {
    let jail = jail(&[]);
    let write = |bytes: &str| {
        let file = tempfile::tempfile().unwrap();
        let files = vec![file.try_clone().unwrap()];
        let request = SpawnRequest { files, file_bytes: 1000, ..spawn_request(Role::Compile) };
        let process = jail.spawn_probe(request).unwrap();
        send(&process, &format!("write-file {bytes}"));
        // The process may have ended already.
        drop(writeln!(&process.channel, "exit 0"));
        (wait_for_exit(process).cause, file.metadata().unwrap().len())
    };
    assert_eq!(write("1000"), (ExitCause::Exited(0), 1000));
    assert_eq!(write("1001"), (signal(25), 1000), "SIGXFSZ");
}

#[test]
fn peak_memory_is_reported() {
    let end_after = |act: &str| {
        let jail = jail(&[Layer::Landlock]);
        let process = probe(&jail, Role::Native);
        output_of(&process, act);
        process.kill_and_wait().peak_memory_bytes
    };
    let (small, large) = (end_after("fill 0"), end_after("fill 33554432"));
    assert!(large >= small + (30 << 20), "{small} {large}");
}
