//! Engines that search with several threads: what their instances share, how faults of helpers and
//! leaders are handled, and how usage is charged, as wasm and in engine processes. Also tests such
//! engines in the real binary.

use std::sync::Arc;

use sandboard_abi::{Decision, Limits, Setup, Unit};
use sandboard_engine::{Caps, Engine, EngineSource, Fault, FaultCode, Usage};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{RecordingListener, gomoku, wasm};
use serde_json::Value;

use crate::cli::TestHome;

/// The engine `faulty` of each kind that supports helpers.
fn kinds(metering: Metering, caps: Caps) -> Vec<(&'static str, Box<dyn EngineSource>)> {
    let here: Box<dyn EngineSource> = Box::new(wasm("faulty", metering, caps).unwrap());
    #[cfg(target_os = "linux")]
    let there = {
        let jailed = sandboard_tests::jailed_wasm("faulty", metering, caps).unwrap();
        Some(("in a worker", Box::new(jailed) as Box<dyn EngineSource>))
    };
    #[cfg(not(target_os = "linux"))]
    let there = None;
    [("here", here)].into_iter().chain(there).collect()
}

/// Starts a game with this number of threads; the engine and its listener.
fn start_game(
    source: &dyn EngineSource,
    fault: &str,
    threads: u16,
) -> Result<(Box<dyn Engine>, Arc<RecordingListener>), Fault> {
    let listener = RecordingListener::new();
    let mut engine = source.open(listener.clone(), threads)?;
    let setup = Setup { threads, ..gomoku(&[("fault", fault)]) };
    engine.start(&setup)?;
    Ok((engine, listener))
}

/// Takes the texts logged since the last call.
fn logged(listener: &RecordingListener) -> Vec<String> {
    std::mem::take(&mut *listener.log.lock().expect("no test panics here"))
}

/// Lets the engine choose and passes it the move; the usage.
fn moves(engine: &mut dyn Engine, limits: &Limits) -> Result<Usage, Fault> {
    let answer = engine.choose(limits, &[])?;
    let Decision::Play(mv) = &answer.choice.decision else { panic!("{answer:?}") };
    engine.played(mv)?;
    Ok(answer.spent)
}

fn limits(unit: Unit, most: u64) -> Limits {
    Limits { unit, call_max: Some(most), ..Limits::default() }
}

#[test]
fn the_leader_sees_the_shared_data_of_its_helpers() {
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        let check = |threads: u16| {
            let (mut engine, listener) = start_game(&*source, "use-shared-state", threads).unwrap();
            let helpers = threads - 1;
            let expected = |open: u64| -> Vec<String> {
                let of = |helper| format!("helper {helper} counts {open} moves of {open}");
                let last = format!("of {helpers} helpers {helpers} are here");
                (1..=helpers).map(of).chain([last]).collect()
            };
            for ply in 0..3 {
                moves(&mut *engine, &Limits::default()).unwrap();
                assert_eq!(logged(&listener), expected(225 - ply), "{kind}, {threads} threads");
            }
            engine.taken_back(2).unwrap();
            moves(&mut *engine, &Limits::default()).unwrap();
            assert_eq!(
                logged(&listener),
                expected(224),
                "{kind}, {threads} threads, after an undo"
            );
        };
        [1, 2, 4].into_iter().for_each(check);
    }
}

#[test]
fn concurrent_games_share_nothing() {
    let source = wasm("faulty", Metering::Deadline, Caps::default()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let (mut engine, listener) = start_game(&source, "use-shared-state", 2).unwrap();
                for ply in 0..20 {
                    moves(&mut *engine, &Limits::default()).unwrap();
                    let open = 225 - ply;
                    let counts = format!("helper 1 counts {open} moves of {open}");
                    assert_eq!(logged(&listener), [&counts, "of 1 helpers 1 are here"]);
                }
            });
        }
    });
}

#[test]
fn a_faulty_helper_is_dropped_and_the_bout_continues() {
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        let check = |fault: &str, at_start: bool, expected: &str| {
            let (mut engine, listener) = start_game(&*source, fault, 3).unwrap();
            let mut texts = if at_start { logged(&listener) } else { Vec::new() };
            moves(&mut *engine, &Limits::default()).unwrap();
            texts.extend(logged(&listener));
            texts.retain(|text| text.starts_with("continues without"));
            assert_eq!(texts.len(), 2, "{kind}: {fault}: {texts:?}");
            for (helper, text) in (1..).zip(&texts) {
                let prefix = format!("continues without helper {helper}, which ");
                let is_it = text.starts_with(&prefix) && text.ends_with(expected);
                assert!(is_it, "{kind}: {fault}: {text}");
            }
            // Dropped helpers are not called again, and their data is gone.
            moves(&mut *engine, &Limits::default()).unwrap();
            engine.taken_back(1).unwrap();
            assert_eq!(logged(&listener), Vec::<String>::new(), "{kind}: {fault}");
            assert_eq!(*listener.reports.lock().unwrap(), Vec::<String>::new(), "{kind}: {fault}");
        };
        check("panic-as-helper", false, ": asked to panic as a helper");
        check("loop-as-helper", false, "did not stop within 250 ms after a stop request");
        check("flood-as-helper", false, "reported more than 100000 lines in one call");
        check("refuse-as-helper", true, "answered with an error: asked not to help");
    }
}

#[test]
fn a_faulty_leader_ends_its_game_as_without_helpers() {
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        for (fault, code) in [("panic", FaultCode::Crash), ("error", FaultCode::Error)] {
            let found = |threads: u16| {
                let (mut engine, listener) = start_game(&*source, fault, threads).unwrap();
                let found = moves(&mut *engine, &Limits::default()).unwrap_err();
                assert_eq!(moves(&mut *engine, &Limits::default()).unwrap_err().code, code);
                let texts = logged(&listener);
                let of_helpers = texts.iter().any(|text| text.contains("helper"));
                assert!(!of_helpers, "{kind}: {texts:?}");
                (found.code, found.sentence)
            };
            assert_eq!(found(3), found(1), "{kind}: {fault}");
            assert_eq!(found(1).0, code, "{kind}: {fault}");
        }
        let refused = start_game(&*source, "refuse-start", 2).err().unwrap();
        assert_eq!(refused.code, FaultCode::Start, "{kind}");
    }
}

#[test]
fn a_pondering_team_stops_on_request() {
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        for fault in ["none", "loop-as-helper"] {
            let (mut engine, listener) = start_game(&*source, fault, 2).unwrap();
            let control = engine.stop_handle();
            let ended = std::thread::scope(|scope| {
                let thinking = scope.spawn(|| engine.think());
                control.stop();
                thinking.join().unwrap()
            });
            assert!(ended.is_ok(), "{kind}, {fault}: {ended:?}");
            control.clear();
            moves(&mut *engine, &Limits::default()).unwrap();
            let fell = logged(&listener).iter().any(|text| text.contains("without helper 1"));
            assert_eq!(fell, fault != "none", "{kind}");
        }
    }
}

#[test]
fn usage_includes_the_helpers() {
    for (kind, source) in kinds(Metering::Fuel, Caps::default()) {
        let spent = |threads: u16| {
            let (mut engine, _ear) =
                start_game(&*source, "ignore-stop-as-helper", threads).unwrap();
            moves(&mut *engine, &limits(Unit::Fuel, 10_000_000_000)).unwrap()
        };
        let fuel = |spent: &Usage| spent.fuel.unwrap();
        let alone = spent(1);
        assert!(fuel(&alone) < 1_000_000, "{kind}: {alone}");
        // A helper burns 13.6 million units before its first query for a stop, and more if the
        // stop request comes later than that. On a busy machine, a helper may begin after the
        // leader's move, and then it burns nothing.
        let usage_above = |threads: u16, least: u64| {
            let mut attempts = (0..50).map(|_| spent(threads));
            let found = attempts.find(|spent| fuel(spent) > least);
            found.unwrap_or_else(|| panic!("{kind}: {threads} threads never use {least} units"))
        };
        usage_above(2, 13_000_000);
        let memory = |spent: &Usage| spent.peak_memory_bytes.unwrap();
        let of_three = usage_above(3, 26_000_000);
        assert_eq!(memory(&of_three), 3 * memory(&alone), "{kind}");
    }
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        let (mut engine, _ear) = start_game(&*source, "ignore-stop-as-helper", 2).unwrap();
        let spent = moves(&mut *engine, &limits(Unit::Cpu, 60_000_000)).unwrap();
        // The leader itself needs far less.
        assert!(spent.cpu_us.is_some_and(|us| us >= 2_000), "{kind}: {spent}");
    }
}

#[test]
fn helpers_count_for_the_budget() {
    for (kind, source) in kinds(Metering::Fuel, Caps::default()) {
        let found = |fault: &str, threads: u16, fuel: u64| {
            let (mut engine, _ear) = start_game(&*source, fault, threads).unwrap();
            let found = moves(&mut *engine, &limits(Unit::Fuel, fuel));
            found.map(|spent| spent.fuel).map_err(|fault| (fault.code, fault.sentence))
        };
        let too_much = (FaultCode::Fuel, "used up its 2e6 units of fuel".to_owned());
        assert!(found("ignore-stop-as-helper", 1, 2_000_000).is_ok(), "{kind}: alone it is enough");
        assert!(found("none", 2, 2_000_000_000).is_ok(), "{kind}");
        assert_eq!(found("ignore-stop-as-helper", 2, 2_000_000).unwrap_err(), too_much, "{kind}");
    }
    for (kind, source) in kinds(Metering::Deadline, Caps::default()) {
        let (mut engine, _ear) = start_game(&*source, "ignore-stop-as-helper", 3).unwrap();
        let fault = moves(&mut *engine, &limits(Unit::Cpu, 1_000)).unwrap_err();
        assert_eq!(fault.sentence, "did not answer within 1 ms of CPU time", "{kind}");
    }
}

#[test]
fn the_remaining_budget_of_a_leader_excludes_its_helpers() {
    // Leader and helpers work until nothing is left.
    for (kind, source) in kinds(Metering::Fuel, Caps::default()) {
        for threads in [1, 2] {
            let (mut engine, _ear) = start_game(&*source, "overrun", threads).unwrap();
            let most = 200_000_000;
            let grace = 2_000_000_000;
            let spent = moves(&mut *engine, &Limits { grace, ..limits(Unit::Fuel, most) });
            let fuel = spent.unwrap().fuel.unwrap();
            assert!((most..most + grace).contains(&fuel), "{kind}, {threads} threads: {fuel}");
        }
    }
}

#[test]
fn each_instance_has_its_own_memory_cap_without_the_shared_table() {
    for (kind, source) in
        kinds(Metering::Deadline, Caps { memory_bytes: 2 << 20, ..Caps::default() })
    {
        let (mut engine, listener) = start_game(&*source, "use-shared-state", 8).unwrap();
        let spent = moves(&mut *engine, &Limits::default()).unwrap();
        assert!(spent.peak_memory_bytes.is_some_and(|bytes| bytes > 2 << 20), "{kind}: {spent}");
        assert_eq!(logged(&listener).last().unwrap(), "of 7 helpers 7 are here", "{kind}");
    }
}

#[test]
fn the_binary_plays_with_threads_and_reports_the_effects() {
    let home = TestHome::new();
    let seats = ["play", "gomoku", "--variant", "freestyle-5", "--seed", "1", "--record", "a.json"];
    let play = |seats_of: &[&str]| {
        let words: Vec<&str> = seats.iter().chain(seats_of).copied().collect();
        home.run(&words, "")
    };
    let fuel = "faulty:fault=use-shared-state:threads=2@fuel:1e9/move";
    let ended = play(&["--seat", fuel, "--seat", "random-mover@fuel:1e9/move"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let text = std::fs::read_to_string(home.file("a.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["players"][0]["engine"]["threads"], 2);
    assert_eq!(record["players"][1]["engine"].get("threads"), None, "one is not written");
    assert!(text.contains("helper 1 counts 25 moves of 25"), "{text}");

    let verified = home.run(&["verify", "a.json"], "");
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    assert!(verified.out.contains("faulty searched with several threads"), "{}", verified.out);
    assert!(verified.out.contains("random-mover verified"), "{}", verified.out);
    let strict = home.run(&["verify", "a.json", "--strict"], "");
    assert_eq!(strict.code, Some(2));

    let refused = |seat: &str, more: &[&str], why: &str| {
        let words: Vec<&str> = ["--seat", seat, "--seat", "random-mover"].into_iter().collect();
        let words: Vec<&str> = words.into_iter().chain(more.iter().copied()).collect();
        let ended = play(&words);
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains(why), "{} is not {why}", ended.err);
    };
    refused("random-mover:threads=2", &[], "does not declare the ability");
    refused("faulty:threads=0", &[], "is not a whole number from 1 to 64");
    refused("faulty:threads=65", &[], "is not a whole number from 1 to 64");
}

#[cfg(target_os = "linux")]
#[test]
fn contests_allow_threads_under_time_and_refuse_them_under_fuel() {
    let home = TestHome::new();
    let play = |budget: &str| {
        let seat = format!("faulty:fault=use-shared-state:threads=2@{budget}");
        let words = ["play", "gomoku", "--variant", "freestyle-5", "--contest", "--seed", "1"];
        let seats = ["--seat", &seat, "--seat", "random-mover@10s/move", "--record", "a.json"];
        home.run(&[&words[..], &seats[..]].concat(), "")
    };
    let ended = play("10s/move");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let text = std::fs::read_to_string(home.file("a.json")).unwrap();
    assert!(text.contains("helper 1 counts 25 moves of 25") && text.contains("seccomp"), "{text}");
    let ended = play("fuel:1e9/move");
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("so a replay could not verify its moves"), "{}", ended.err);
}

#[test]
fn a_resumed_match_keeps_its_number_of_threads() {
    let home = TestHome::new();
    let go = |words: &[&str]| {
        let usual = ["arena", "match", "--variant", "freestyle-5", "--budget", "depth:1"];
        home.run(&[&usual[..], words].concat(), "")
    };
    let start_game =
        ["faulty:fault=use-shared-state:threads=2", "random-mover", "--pairs", "1", "--dir", "m"];
    let ended = go(&[&start_game[..], &["--seed", "1"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let threads = || {
        let record = home.succeed(&["arena", "game", "m", "pair-000001-1"], "");
        serde_json::from_str::<Value>(&record).unwrap()["players"][0]["engine"]["threads"].clone()
    };
    assert_eq!(threads(), 2);
    assert_eq!(home.run(&["arena", "--resume", "m"], "").code, Some(0));
    assert_eq!(threads(), 2);
}
