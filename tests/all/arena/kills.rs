//! Killed at any moment, an arena goes on and ends as if nobody had: nothing is lost, nothing is counted twice.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Home, same};

const KILLS: usize = 200;

/// Numbers from 0 to 1, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Kills it after so many of its lines and so much time more; false: it was over first.
fn killed(mut child: Child, lines: usize, then: Duration) -> bool {
    let told = BufReader::new(child.stdout.take().unwrap());
    let read = told.lines().take(lines).count();
    let until = Instant::now() + then;
    // A moment that no event marks is what is wanted here.
    while read == lines && Instant::now() < until {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn two_hundred_kills_change_nothing() {
    let home = Home::new();
    let mut dice = Dice(2026);
    let (mut kills, mut arenas) = (0, 0);
    while kills < KILLS {
        arenas += 1;
        let format = match arenas % 3 {
            0 => "round-robin random-mover random-mover random-mover --folds 60",
            1 => "match random-mover random-mover --pairs 250",
            _ => {
                "swiss random-mover random-mover gomoku-simple random-mover random-mover --rounds 3"
            }
        };
        let words =
            format!("{format} --budget fuel:1e6/move --variant freestyle-9 --seed {arenas} --json");
        let undisturbed =
            home.play(&format!("{} --dir whole{arenas}", words.replace(" --json", "")));
        let dir = format!("killed{arenas}");
        let mut next = format!("{words} --dir {dir}");
        loop {
            // Most of them while it begins, some in the middle of what it plays.
            let lines = if dice.roll() < 0.7 { 0 } else { 1 + (dice.roll() * 20.0) as usize };
            let then = Duration::from_secs_f64(dice.roll() * if lines == 0 { 0.25 } else { 0.03 });
            let child = home.command(&next).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
            let over = !killed(child.unwrap(), lines, then);
            kills += usize::from(!over);
            // A kill before there was a setup leaves nothing to go on with.
            if !next.starts_with("--resume")
                && home.run(&format!("show {dir} --json")).status.success()
            {
                next = format!("--resume {dir} --json");
            }
            if over || kills >= KILLS {
                break;
            }
        }
        if next.starts_with("--resume") {
            assert_eq!(home.play(&format!("--resume {dir}")), undisturbed, "{words}");
            check_games(&home, &dir, &format!("whole{arenas}"));
        }
    }
}

/// Each game is there once, and is the one that was played undisturbed.
fn check_games(home: &Home, killed: &str, whole: &str) {
    let games = home.games(killed);
    let of_whole = home.games(whole);
    assert_eq!(games, of_whole);
    let mut names: Vec<&Value> = games.iter().map(|game| &game["name"]).collect();
    names.dedup();
    assert_eq!(names.len(), games.len());
}

#[test]
fn a_word_to_stop_lets_games_end() {
    let home = Home::new();
    let words =
        "match random-mover random-mover --pairs 3000 --seed 4 --budget nodes:9 --dir m --json";
    let mut child =
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    // It plays: some games are kept.
    assert!(told.by_ref().take(20).all(|line| line.is_ok()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let last = told.last().unwrap().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("--resume m"), "{errors}");
    let told: Value = serde_json::from_str(&last).unwrap();
    let view = &told["view"];
    assert_eq!((&told["event"], &view["state"]), (&"end".into(), &"open".into()));
    let games = home.games("m").len() as u64;
    assert!((20..6000).contains(&games), "{games}");
    let counted = view["progress"]["games"].as_u64().unwrap();
    assert_eq!(counted + view["progress"]["games_waiting"].as_u64().unwrap(), games);
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(same(shown), same(view.clone()));
}
