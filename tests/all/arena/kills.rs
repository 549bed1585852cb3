//! Kills arenas at arbitrary moments. A resumed arena must end like an undisturbed one: no game is
//! lost or counted twice.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{TestHome, without_run_details};

/// The number of kills of one arena, after which it may end.
const KILLS_OF_ONE: usize = 20;

/// Pseudorandom numbers in 0..1, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Kills the arena after `lines` lines of output and the delay `delay`. False if it ended first.
fn kill_after(mut child: Child, lines: usize, delay: Duration) -> bool {
    let output = BufReader::new(child.stdout.take().unwrap());
    let read = output.lines().take(lines).count();
    let until = Instant::now() + delay;
    // The kill must come at a moment that no event marks.
    while read == lines && Instant::now() < until {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn kills_at_any_moment_change_nothing() {
    let home = TestHome::new();
    // At least one arena of each format.
    let kills_min = if std::env::var_os("SLOW").is_some() { 600 } else { 3 * KILLS_OF_ONE };
    let mut random = Random(2026);
    let (mut kills, mut arenas) = (0, 0);
    while kills < kills_min || arenas < 3 {
        arenas += 1;
        let mut kills_here = 0;
        let format = match arenas % 3 {
            0 => "round-robin random-mover random-mover random-mover --cycles 60",
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
            // Most kills during the start, some in the middle of play.
            let lines = if random.next() < 0.7 { 0 } else { 1 + (random.next() * 20.0) as usize };
            let delay =
                Duration::from_secs_f64(random.next() * if lines == 0 { 0.25 } else { 0.03 });
            let child = home.command(&next).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
            let over = !kill_after(child.unwrap(), lines, delay);
            kills_here += usize::from(!over);
            // A kill before the setup is stored leaves nothing to resume.
            if !next.starts_with("--resume")
                && home.run(&format!("show {dir} --json")).status.success()
            {
                next = format!("--resume {dir} --json");
            }
            if over || kills_here >= KILLS_OF_ONE {
                break;
            }
        }
        kills += kills_here;
        if next.starts_with("--resume") {
            assert_eq!(home.play(&format!("--resume {dir}")), undisturbed, "{words}");
            check_games(&home, &dir, &format!("whole{arenas}"));
        }
    }
}

/// Each game is stored once and equals the game of the undisturbed arena.
fn check_games(home: &TestHome, killed: &str, whole: &str) {
    let games = home.games(killed);
    let of_whole = home.games(whole);
    assert_eq!(games, of_whole);
    let mut names: Vec<&Value> = games.iter().map(|game| &game["name"]).collect();
    names.dedup();
    assert_eq!(names.len(), games.len());
}

#[test]
fn an_interrupt_lets_current_games_finish() {
    let home = TestHome::new();
    let words =
        "match random-mover random-mover --pairs 3000 --seed 4 --budget nodes:9 --dir m --json";
    let mut child =
        home.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The arena is playing: some games are stored.
    assert!(lines.by_ref().take(20).all(|line| line.is_ok()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let last = lines.last().unwrap().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("--resume m"), "{errors}");
    let event: Value = serde_json::from_str(&last).unwrap();
    let view = &event["view"];
    assert_eq!((&event["event"], &view["state"]), (&"end".into(), &"open".into()));
    let games = home.games("m").len() as u64;
    assert!((20..6000).contains(&games), "{games}");
    let counted = view["progress"]["games"].as_u64().unwrap();
    assert_eq!(counted + view["progress"]["games_waiting"].as_u64().unwrap(), games);
    let shown: Value = serde_json::from_str(&home.succeed("show m --json")).unwrap();
    assert_eq!(without_run_details(shown), without_run_details(view.clone()));
}
