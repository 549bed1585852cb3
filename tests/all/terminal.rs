//! `play` with people: by a pipe, where each line waits for its turn, and at a real terminal in
//! tmux.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use sandboard_bout::record::load;
use sandboard_games::Games;
use sandboard_tests::root;

use crate::cli::{TestHome, binary};

const TIMEOUT: Duration = Duration::from_secs(60);

/// The text contains these parts in this order.
fn check_order(text: &str, expected: &[&str]) {
    let mut rest = text;
    for part in expected {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in its place in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

fn play<'a>(seats: [&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    let [black, white] = seats;
    let game = ["play", "gomoku", "--variant", "freestyle-7", "--seat", black, "--seat", white];
    [&game[..], more].concat()
}

#[test]
fn a_person_plays_by_lines() {
    let home = TestHome::new();
    let (file, copy) = (home.file("bout.json"), home.file("copy.json"));
    let (file, copy) = (file.to_str().unwrap(), copy.to_str().unwrap());
    let arguments = play(["human", "random-mover"], &["--record", file, "--seed", "1"]);
    let input = format!("d4\nd4\nundo 2\nhint\nhelp\nh 8\nd4\nsave {copy}\nquit\nresign\n");
    let text = home.succeed(&arguments, &input);
    check_order(
        &text,
        &[
            "black  human",
            "black (human) to move",
            "random-mover plays ",
            "`d4` is refused: a black stone is on d4",
            "2 plies taken back",
            "hint: ",
            "undo [N]",
            "a move is one word",
            "random-mover plays ",
            &format!("saved: {copy}"),
            "the bout is not finished",
            &format!("record: {file}"),
            &format!("sandboard play --resume {file}"),
        ],
    );
    let record = load(copy.as_ref(), &Games::default()).unwrap();
    assert_eq!((record.plies.len(), record.plies[0].r#move.as_str()), (2, "d4"));

    // `quit` left the game unfinished; the last line was not read.
    let text = home.succeed(&["play", "--resume", file], "resign\n");
    check_order(&text, &["resuming after 2 plies", "human (black) resigns", "record: "]);
    let record = load(file.as_ref(), &Games::default()).unwrap();
    assert!(record.result.is_some());
    let again = home.run(&["play", "--resume", file], "");
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("the bout is finished"), "{}", again.err);
}

#[test]
fn the_end_of_input_quits() {
    let home = TestHome::new();
    let text = home.succeed(&play(["human", "random-mover"], &[]), "d4\n");
    check_order(&text, &["random-mover plays", "the bout is not finished", "play --resume "]);
}

#[test]
fn two_people_play_to_the_end() {
    let home = TestHome::new();
    let mut moves = String::new();
    for column in "abcde".chars() {
        write!(moves, "{column}1\n{column}2\n").unwrap();
    }
    let seats = ["human:name=Anna", "human:name=Bo"];
    let text = home.succeed(&play(seats, &[]), &moves);
    let won = "Anna (black) wins: five in a row";
    check_order(&text, &["black (Anna) to move", "Anna plays a1", "white (Bo) to move", won]);
    let input = "draw\naccept\n";
    check_order(&home.succeed(&play(seats, &[]), input), &["Anna offers a draw", "draw: agreed"]);
    let input = "draw\ndecline\npause\na1\nresume\na1\nabort it rains\n";
    let text = home.succeed(&play(seats, &[]), input);
    let declined = "the draw offer of Anna is declined";
    let paused = ["the clocks are stopped", "the bout is paused", "the clocks are running"];
    check_order(
        &text,
        &[&[declined][..], &paused, &["Anna plays a1", "aborted: it rains"]].concat(),
    );
}

/// Arguments of a game of two people on a board of 15 in this variant.
fn people<'a>(variant: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let game = ["play", "gomoku", "--variant", variant];
    [&game[..], &["--seat", "human:name=Anna", "--seat", "human:name=Bo"], more].concat()
}

#[test]
fn people_open_a_game_by_a_procedure_with_prompts() {
    let home = TestHome::new();
    let file = home.file("bout.json");
    let arguments = people("renju-contest", &["--record", file.to_str().unwrap()]);
    let input = "h8\nh9\na1\nj9\nkeep\nfifths-2\nswap\na1\nb3\nb3\nc3\nundo 1\nc3\nb3\nresign\n";
    let text = home.succeed(&arguments, input);
    check_order(
        &text,
        &[
            "black (Anna) to move: place the first stone on h8",
            "`a1` is refused: place a black stone from f6 to j10",
            "`keep` is refused: announce fifths-1 to fifths-12",
            "white (Bo) to move: choose swap or keep",
            "the sides are now white and black",
            // Anna now plays white, who places the fourth stone.
            "Anna plays a1",
            "black (Bo) to move: offer point 1 of 2",
            "`b3` is refused: b3 is already offered",
            "white (Anna) to move: pick one of the offered points: b3 c3",
            "1 ply taken back",
            "Anna plays b3",
            "white (Anna) to move\n",
            "Anna (white) resigns",
        ],
    );
    let record = load(file.as_ref(), &Games::default()).unwrap();
    let moves: Vec<_> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves.join(" "), "h8 h9 j9 fifths-2 swap a1 b3 c3 b3");
}

#[test]
fn a_renju_foul_is_played_and_loses() {
    let home = TestHome::new();
    let input = "h9\na1\nh10\na15\ni8\no1\nj8\no15\nh8\n";
    let text = home.succeed(&people("renju", &[]), input);
    check_order(&text, &["Anna plays h8", "Bo (white) wins: double-three foul"]);
    // No foul if white blocked one of the threes before.
    let near_miss = input.replace("o15", "k8") + "resign\n";
    let text = home.succeed(&people("renju", &[]), &near_miss);
    check_order(&text, &["Anna plays h8", "white (Bo) to move", "Bo (white) resigns"]);
    let passes = home.succeed(&people("renju", &[]), "pass\npass\n");
    check_order(&passes, &["Anna plays pass", "draw: two passes"]);
}

#[test]
fn an_engine_without_a_limit_plays_on_request() {
    let home = TestHome::new();
    let text = home.succeed(&play(["human", "faulty:fault=overrun@none"], &[]), "d4\nnow\nquit\n");
    check_order(&text, &["faulty is thinking", "faulty plays ", "the bout is not finished"]);
}

#[test]
fn a_person_loses_on_time_while_the_keyboard_is_silent() {
    let home = TestHome::new();
    let mut child = home.command(&play(["human@60ms/move", "random-mover"], &[])).spawn().unwrap();
    // The pipe stays open without input.
    let keyboard = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(keyboard);
    let text = String::from_utf8(output.stdout).unwrap();
    check_order(
        &text,
        &["human exceeded its time limit", "human (black) loses on time", "record: "],
    );
    assert!(output.status.success());
}

#[test]
fn with_json_the_bout_is_shown_on_standard_error() {
    let home = TestHome::new();
    let ended = home.run(&play(["human", "random-mover"], &["--json"]), "d4\nresign\n");
    check_order(&ended.err, &["black (human) to move", "random-mover plays", "resigns"]);
    let line: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&line["winner"], ended.code), (&"white".into(), Some(0)));
}

/// A terminal in tmux.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Opens a terminal that runs a command.
    fn open(home: &TestHome, arguments: &[&str]) -> Self {
        // The socket is in the temporary folder, which is deleted.
        let terminal = Self { socket: home.file("tmux") };
        let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
        let mut command = format!(
            "cd {}; SANDBOARD_HOME=. SANDBOARD_ENGINES={} NO_COLOR=1 {}",
            quoted(home.path().to_str().unwrap()),
            quoted(root().join("engines-dir").to_str().unwrap()),
            quoted(binary().to_str().unwrap()),
        );
        for argument in arguments {
            write!(command, " {}", quoted(argument)).unwrap();
        }
        // The shell after the command shows the terminal's settings.
        command += "; echo exit code $?; stty -a; cat";
        let size = ["-x", "100", "-y", "200"];
        let session = ["-f", "/dev/null", "new-session", "-d"];
        terminal.tmux(&[&session[..], &size, &["sh", "-c", &command]].concat());
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        let ran = tmux.arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").output();
        let output = ran.unwrap_or_else(|error| {
            panic!("cannot run tmux ({error}): install it, as with `apt-get install tmux`")
        });
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Waits until the screen has this text `times` times; the screen.
    fn wait_for(&self, text: &str, times: usize) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if screen.matches(text).count() >= times {
                return screen;
            }
            assert!(begun.elapsed() < TIMEOUT, "no {text:?} ({times} times) in:\n{screen}");
            std::thread::yield_now();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output());
    }
}

#[test]
fn a_person_plays_three_moves_at_a_terminal() {
    let home = TestHome::new();
    let arguments = play(["human@3m+2s", "random-mover@1s/move"], &["--seed", "1"]);
    let terminal = Terminal::open(&home, &arguments);
    let turn = "black (human) to move";
    terminal.wait_for(turn, 1);
    for (index, mv) in ["d4", "c3", "e5"].iter().enumerate() {
        terminal.type_line(mv);
        terminal.wait_for(turn, index + 2);
    }
    terminal.type_line("d4");
    terminal.wait_for("`d4` is refused: a black stone is on d4", 1);
    terminal.type_line("quit");
    let screen = terminal.wait_for("exit code 0", 1);
    check_order(
        &screen,
        &[
            "> black  human         3:00",
            "  white  random-mover  0:01.0 a move",
            "> d4",
            "random-mover plays ",
            "[o]",
            "> c3",
            "random-mover plays ",
            "> e5",
            "> quit",
            "the bout is not finished",
            "resume:",
            "sandboard play --resume ",
        ],
    );
    let record = std::fs::read_dir(home.file("bouts")).unwrap().next().unwrap().unwrap();
    let record = load(&record.path(), &Games::default()).unwrap();
    let moves: Vec<&str> = record.plies.iter().step_by(2).map(|ply| ply.r#move.as_str()).collect();
    assert_eq!(moves, ["d4", "c3", "e5"]);
}

#[test]
fn the_terminal_is_restored_when_a_bout_ends_during_typing() {
    let home = TestHome::new();
    let terminal = Terminal::open(&home, &play(["human@2s/move", "random-mover"], &[]));
    terminal.wait_for("black (human) to move", 1);
    terminal.tmux(&["send-keys", "-l", "und"]);
    terminal.wait_for("exit code 0", 1);
    let screen = terminal.wait_for("echoke", 1);
    check_order(&screen, &["human (black) loses on time", "record: ", "exit code 0", " icanon"]);
    assert!(!screen.contains("-icanon") && !screen.contains("-echo "), "{screen}");
}

#[test]
fn control_c_exits_while_an_engine_thinks() {
    let home = TestHome::new();
    let terminal = Terminal::open(&home, &play(["human", "faulty:fault=overrun@none"], &[]));
    terminal.wait_for("black (human) to move", 1);
    terminal.type_line("d4");
    // The next prompt appears while the engine thinks.
    terminal.wait_for("`now` makes it move at once\n>", 1);
    terminal.tmux(&["send-keys", "C-c"]);
    let screen = terminal.wait_for("exit code 0", 1);
    check_order(&screen, &["the bout is not finished", "sandboard play --resume "]);
}
