//! How inmates end, and what their host hears of it.

use std::io::Write;
use std::time::Duration;

use sandboard_host::jail::{Death, End, Inmate, Layer, Order, Role};

use super::{PATIENCE, combinations, jail, order, probe, tell, words};

/// Waits until it has ended by itself, and hears how.
fn ended(inmate: Inmate) -> End {
    assert!(inmate.has_ended_within(PATIENCE));
    inmate.end()
}

fn check(act: &str, expected: Death, output: &str) {
    for without in combinations() {
        let jail = jail(&without);
        let inmate = probe(&jail, Role::Wasm);
        tell(&inmate, act);
        let end = ended(inmate);
        assert_eq!(end.how, expected, "{act} without {without:?}: {end:?}");
        assert!(end.output.contains(output), "{act} without {without:?}: {end:?}");
    }
}

fn signal(number: i32) -> Death {
    Death::Signal { number, ours: false }
}

#[test]
fn an_end_of_its_own_is_told_apart() {
    check("exit 0", Death::Exited(0), "");
    check("exit 7", Death::Exited(7), "");
    check("abort", signal(6), "");
    check("fault", signal(11), "");
    check("overflow", signal(6), "overflow");
    check("panic some words", Death::Exited(101), "some words");
    #[cfg(target_arch = "x86_64")]
    check("call-32", signal(31), "");
}

#[test]
fn the_end_of_the_channel_is_the_end_of_the_process() {
    let jail = jail(&[]);
    for act in ["exit 4", "panic"] {
        let mut inmate = probe(&jail, Role::Wasm);
        tell(&inmate, act);
        std::io::Read::read_to_end(&mut inmate.channel, &mut Vec::new()).unwrap_or(0);
        assert!(inmate.has_ended_within(PATIENCE));
        assert!(matches!(inmate.end().how, Death::Exited(4 | 101)), "{act}");
    }
    // A near one that goes on.
    let inmate = probe(&jail, Role::Wasm);
    assert!(!inmate.has_ended_within(Duration::ZERO));
}

#[test]
fn closing_every_descriptor_hides_nothing() {
    for without in combinations() {
        let jail = jail(&without);
        let inmate = probe(&jail, Role::Native);
        tell(&inmate, "close-all");
        assert_eq!(ended(inmate).how, Death::Exited(3), "without {without:?}");
    }
}

#[test]
fn the_hosts_own_kill_is_told_apart() {
    let killed = Death::Signal { number: 9, ours: true };
    for act in ["wait", "work", "fork-bomb 1000000000"] {
        for without in combinations() {
            let jail = jail(&without);
            let inmate = probe(&jail, Role::Native);
            tell(&inmate, act);
            assert_eq!(inmate.end().how, killed, "{act} without {without:?}");
        }
    }
    // By a killer on another thread, twice, and its own end thereafter.
    let jail = jail(&[]);
    let inmate = probe(&jail, Role::Native);
    tell(&inmate, "wait");
    let killer = inmate.killer();
    std::thread::spawn(move || {
        killer.kill();
        killer.kill();
    });
    assert_eq!(ended(inmate).how, killed);
    // To kill what has ended is no kill.
    let inmate = probe(&jail, Role::Native);
    tell(&inmate, "exit 5");
    assert!(inmate.has_ended_within(PATIENCE));
    let killer = inmate.killer();
    assert_eq!(inmate.end().how, Death::Exited(5));
    killer.kill();
}

#[test]
fn output_is_kept_to_its_end_and_counted() {
    let check = |act: &str, bytes: u64, kept: usize| {
        let jail = jail(&[]);
        let inmate = probe(&jail, Role::Wasm);
        words(&inmate, act);
        let end = inmate.end();
        assert_eq!(end.output_bytes, bytes, "{act}");
        assert_eq!(end.output.len(), kept, "{act}");
    };
    check("say hello", 6, 5);
    check("print 0", 0, 0);
    // The last line end is no part of the text.
    check("print 16384", 16 << 10, (16 << 10) - 1);
    check("print 16385", (16 << 10) + 1, (16 << 10) - 1);
    check("print 5000000", 5_000_000, (16 << 10) - 1);
}

#[test]
fn output_without_end_is_refused_and_waits_for_nobody() {
    let jail = jail(&[]);
    let inmate = probe(&jail, Role::Wasm);
    tell(&inmate, "print 1000000000");
    // Standard error that would block is an error to the one that prints.
    let end = {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(&inmate.channel), &mut line)
            .unwrap();
        assert!(line.contains("\"refused\":11"), "{line}");
        inmate.end()
    };
    let limit = 64 << 20;
    assert!((limit..limit + (1 << 20)).contains(&end.output_bytes), "{}", end.output_bytes);
}

#[test]
fn output_is_clean_text() {
    let jail = jail(&[]);
    let inmate = probe(&jail, Role::Wasm);
    words(&inmate, "say a\u{1b}[31mred\u{7}");
    let output = inmate.end().output;
    assert!(output.contains("red") && !output.contains(['\u{1b}', '\u{7}']), "{output:?}");
}

#[test]
fn the_clock_of_an_inmate_runs_while_it_works() {
    let jail = jail(&[]);
    let inmate = probe(&jail, Role::Native);
    let clock = inmate.cpu_clock();
    let before = clock.now_us().unwrap();
    tell(&inmate, "work");
    while clock.now_us().unwrap() < before + 20_000 {
        std::thread::yield_now();
    }
    let end = inmate.end();
    assert!(end.cpu_us >= 20_000, "{end:?}");
    // A near one that waits.
    let inmate = probe(&jail, Role::Native);
    words(&inmate, "clocks");
    assert!(inmate.end().cpu_us < 20_000);
}

#[test]
fn cpu_time_runs_out() {
    let jail = jail(&[]);
    let inmate = jail.spawn_probe(Order { cpu_s: Some(1), ..order(Role::Compile) }).unwrap();
    tell(&inmate, "work");
    let end = ended(inmate);
    assert_eq!(end.how, signal(24), "SIGXCPU: {end:?}");
    assert!((500_000..2_000_000).contains(&end.cpu_us), "{end:?}");
}

#[test]
fn a_file_that_grows_too_long_ends_its_writer() {
    let jail = jail(&[]);
    let write = |bytes: &str| {
        let file = tempfile::tempfile().unwrap();
        let files = vec![file.try_clone().unwrap()];
        let order = Order { files, file_bytes: 1000, ..order(Role::Compile) };
        let inmate = jail.spawn_probe(order).unwrap();
        tell(&inmate, &format!("write-handed {bytes}"));
        // It may be gone by then.
        drop(writeln!(&inmate.channel, "exit 0"));
        (ended(inmate).how, file.metadata().unwrap().len())
    };
    assert_eq!(write("1000"), (Death::Exited(0), 1000));
    assert_eq!(write("1001"), (signal(25), 1000), "SIGXFSZ");
}

#[test]
fn peak_memory_is_told() {
    let end_after = |act: &str| {
        let jail = jail(&[Layer::Landlock]);
        let inmate = probe(&jail, Role::Native);
        words(&inmate, act);
        inmate.end().peak_memory_bytes
    };
    let (little, much) = (end_after("fill 0"), end_after("fill 33554432"));
    assert!(much >= little + (30 << 20), "{little} {much}");
}
