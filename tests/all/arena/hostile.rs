//! Engines that hang, crash, flood, hoard: each costs its own bouts, and nobody else anything.

use serde_json::Value;

use super::Home;

/// Everybody against everybody with one that does this; its games are lost by these faults, and the others play on.
fn check(fault: &str, codes: &[&str]) {
    let home = Home::new();
    let words = format!(
        "round-robin random-mover random-mover faulty:fault={fault}@300ms/move --variant freestyle-9 --budget \
         5s/move --seed 1 --concurrency 2"
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
fn who_does_wrong_loses_its_own_games() {
    check("loop", &["timeout"]);
    check("panic", &["crash"]);
    check("memory", &["memory"]);
    check("stack", &["stack"]);
    check("huge-move", &["protocol"]);
    check("occupied", &["illegal-move"]);
    check("panic-in-start", &["crash"]);
    check("loop-in-start", &["timeout"]);
    check("report-flood", &["flood"]);
    // What is logged beyond the quota is dropped, and costs time alone.
    check("log-flood", &[]);
}

/// The most that a process of it has held, in KiB.
#[cfg(target_os = "linux")]
#[test]
fn a_flood_fills_no_memory() {
    use std::io::Read;
    use std::process::Stdio;
    let home = Home::new();
    let words = "match faulty:fault=report-flood faulty:fault=log-flood --pairs 3 --budget 200ms/move --variant \
                 freestyle-9 --seed 1 --dir m";
    let mut child =
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = String::new();
    let status = format!("/proc/{}/status", child.id());
    let mut most_kib = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .and_then(|kib| kib.parse::<u64>().ok());
        most_kib = most_kib.max(kib.unwrap_or(0));
        std::thread::yield_now();
    }
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.games("m").len(), 6);
    // Others took 2.5 GB for the like.
    assert!((1..400 << 10).contains(&most_kib), "{most_kib} KiB");
}

/// A native engine that ends its process costs its own games, and not the arena's.
#[cfg(target_os = "linux")]
#[test]
fn who_exits_is_gone_alone() {
    use sandboard_host::catalog::inspect;
    use sandboard_host::manifest::ModuleKind;
    use sandboard_host::trust::{Grant, How, Store};
    use sandboard_tests::{built, runtime};

    use crate::hostile::native::guest::{Border, library};

    let home = Home::new();
    let engines = home.path("engines");
    std::fs::create_dir(&engines).unwrap();
    std::fs::copy(built("random-mover.wasm"), engines.join("random-mover-0.1.0.gomoku.wasm"))
        .unwrap();
    let module = engines.join("hostile-1.gomoku.so");
    std::fs::copy(library(Border::Sound, None), &module).unwrap();
    let facts = inspect(&module, ModuleKind::Native, runtime().load_caps()).unwrap();
    let granted = Store::in_data_folder(home.path("").as_path())
        .change(|all| all.add(Grant::new(&facts.sha256, "hostile", "", How::Build)));
    granted.unwrap();
    for act in ["exit-0", "exit-at-once"] {
        let words = format!(
            "round-robin random-mover random-mover hostile:act={act}:when=choose --variant freestyle-9 --budget 5s/move \
             --seed 1 --engines-dir engines"
        );
        let view = home.play(&words);
        assert_eq!(view["progress"]["games"], 6, "{act}");
        let faults = view["faults"].as_array().unwrap();
        let told: Vec<_> =
            faults.iter().map(|it| (&it["player"], it["code"].as_str().unwrap())).collect();
        assert_eq!(told, [(&Value::from(2), "crash")], "{act}: {faults:?}");
        assert_eq!(faults[0]["games"], 4);
    }
}
