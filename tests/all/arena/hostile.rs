//! Hostile engines in an arena: hangs, crashes, floods and memory hoarding cost only the engine's
//! own games.

use serde_json::Value;

use super::TestHome;

/// Plays a round robin with one faulty engine, on fuel, so that the load of the machine does not
/// matter. The engine loses its games by the faults `codes`; the others play all their games.
fn check(fault: &str, codes: &[&str]) {
    let home = TestHome::new();
    let words = format!(
        "round-robin random-mover random-mover faulty:fault={fault} --variant freestyle-9 --budget \
         fuel:5e8/move --seed 1 --concurrency 2"
    );
    let view = home.play(&words);
    assert_eq!(view["progress"]["games"], 6, "{fault}");
    let faults: Vec<&Value> = view["faults"].as_array().unwrap().iter().collect();
    assert!(faults.iter().all(|it| it["player"] == 2), "{fault}: {faults:?}");
    let found: Vec<&str> = faults.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(found, codes, "{fault}: {faults:?}");
    if !codes.is_empty() {
        assert_eq!(view["players"][2]["half_points"], 0, "{fault}");
        assert_eq!(view["ranking"][2], 2);
    }
}

#[test]
fn a_faulty_engine_loses_only_its_own_games() {
    check("loop", &["timeout"]);
    check("panic", &["crash"]);
    check("memory", &["memory"]);
    check("stack", &["stack"]);
    check("huge-move", &["protocol"]);
    check("occupied-point", &["illegal-move"]);
    check("report-flood", &["flood"]);
    // Log output beyond the quota is dropped and costs only time.
    check("log-flood", &[]);
}

/// Checks the peak resident memory of the arena process, in KiB.
#[cfg(target_os = "linux")]
#[test]
fn output_floods_use_bounded_memory() {
    use std::io::Read;
    use std::process::Stdio;
    let home = TestHome::new();
    let words = "match faulty:fault=report-flood faulty:fault=log-flood --pairs 3 --budget 200ms/move --variant \
                 freestyle-9 --seed 1 --dir m";
    let mut child =
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = String::new();
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .and_then(|kib| kib.parse::<u64>().ok());
        peak_kib = peak_kib.max(kib.unwrap_or(0));
        std::thread::yield_now();
    }
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.games("m").len(), 6);
    // Other arena programs used 2.5 GB under similar output.
    assert!((1..400 << 10).contains(&peak_kib), "{peak_kib} KiB");
}

/// A native engine that ends its process loses its own games; the arena continues.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_exits_loses_only_its_own_games() {
    use sandboard_packs::catalog::inspect;
    use sandboard_packs::manifest::ModuleKind;
    use sandboard_packs::trust::{Grant, GrantSource, TrustStore};
    use sandboard_tests::{built, runtime};

    use crate::hostile::native::guest::{InterfaceState, library};

    let home = TestHome::new();
    let engines = home.path("engines");
    std::fs::create_dir(&engines).unwrap();
    std::fs::copy(built("random-mover.wasm"), engines.join("random-mover-0.1.0.gomoku.wasm"))
        .unwrap();
    let module = engines.join("hostile-1.gomoku.so");
    std::fs::copy(library(InterfaceState::Sound, None), &module).unwrap();
    let facts = inspect(&module, ModuleKind::Native, runtime().load_caps()).unwrap();
    let granted = TrustStore::in_data_folder(home.path("").as_path())
        .change(|all| all.add(Grant::new(&facts.sha256, "hostile", "", GrantSource::Build)));
    granted.unwrap();
    for act in ["exit-0", "exit-at-once"] {
        let words = format!(
            "round-robin random-mover random-mover hostile:act={act}:when=choose --variant freestyle-9 --budget 5s/move \
             --seed 1 --engines-dir engines"
        );
        let view = home.play(&words);
        assert_eq!(view["progress"]["games"], 6, "{act}");
        let faults = view["faults"].as_array().unwrap();
        let found: Vec<_> =
            faults.iter().map(|it| (&it["player"], it["code"].as_str().unwrap())).collect();
        assert_eq!(found, [(&Value::from(2), "crash")], "{act}: {faults:?}");
        assert_eq!(faults[0]["games"], 4);
    }
}
