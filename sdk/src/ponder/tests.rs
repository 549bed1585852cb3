//! Expected moves, the default of pondering, and the fallback move for engines that overrun.

use std::sync::atomic::AtomicU64;

use sandboard_abi::{Barred, Description, Setup, Unit};
use sandboard_games::gomoku::{Gomoku, INFO};

use super::*;
use crate::chooser::{NewGame, Reply};
use crate::engine::{BaseEngine, Engine};
use crate::options::whole_option;

#[track_caller]
fn check_expected(line: &str, played: &str, seats: &[u8], expected: &str) {
    let mut expected_moves = ExpectedMoves::default();
    expected_moves.set_from(Some(&Line { moves: line.into(), ..Line::default() }));
    let mut position = Gomoku::start(&INFO.variant("freestyle").unwrap());
    for mv in played.split_ascii_whitespace() {
        position.play(mv).unwrap();
        expected_moves.played(mv);
    }
    let (ahead, moves) = expected_moves.next_own_turn(&position, seats);
    assert_eq!(moves, expected, "{line} after {played}");
    for mv in expected.split_ascii_whitespace() {
        position.play(mv).unwrap();
    }
    assert_eq!(ahead, position);
}

#[test]
fn the_line_of_the_last_choice_predicts_the_next_own_turn() {
    check_expected("h8 h9 h10", "h8", &[0], "h9");
    check_expected("h8 h9", "h8", &[0], "h9");
    check_expected("h8 h9 h10", "h8 h9", &[0], "");
    // The line has no reply, another move was played, a move of the line is illegal.
    check_expected("h8", "h8", &[0], "");
    check_expected("h8 h9", "h7", &[0], "");
    check_expected("h8 h8", "h8", &[0], "");
    check_expected("h1 h10", "h10", &[0], "");
    check_expected("", "h8", &[0], "");
    // The engine is to move already; it plays both seats.
    check_expected("h8 h9", "h8", &[1], "");
    check_expected("h8 h9", "h8", &[0, 1], "");
}

#[test]
fn after_taking_back_no_move_is_expected() {
    let mut expected_moves = ExpectedMoves::default();
    expected_moves.set_from(Some(&Line { moves: "h8 h9".into(), ..Line::default() }));
    expected_moves.clear();
    let position = Gomoku::start(&INFO.variant("freestyle").unwrap());
    assert_eq!(expected_moves.next_own_turn(&position, &[1]).1, "");
    expected_moves.set_from(None);
    assert_eq!(expected_moves.next_own_turn(&position, &[1]).1, "");
}

/// A host that records an engine's calls.
#[derive(Clone, Default)]
struct RecordingHost {
    calls: Arc<Mutex<Vec<String>>>,
    looks: Arc<AtomicU64>,
}

impl RecordingHost {
    fn record(&self, text: String) {
        self.calls.lock().unwrap().push(text);
    }

    /// The calls since the last time, joined by commas.
    fn take_calls(&self) -> String {
        self.calls.lock().unwrap().drain(..).collect::<Vec<_>>().join(", ")
    }
}

impl HostCalls for RecordingHost {
    fn report(&self, line: &Line) {
        self.record(format!("reports {}", line.moves));
    }
    fn log(&self, _: Level, text: &str) {
        self.record(text.to_owned());
    }
    fn left(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed);
        u64::MAX
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.record(format!("legal after [{moves}]"));
        Ok(String::new())
    }
}

/// Plays the first legal move, logs the position, and expects the second move as a reply. Reads the
/// clock as often as an option says. Does not ponder as a beginner.
#[derive(Default)]
struct Simple {
    looks: i64,
    beginner: bool,
}

impl Chooser for Simple {
    type Rules = Gomoku;

    fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
        let mut position = String::new();
        turn.position.write_position(&mut position);
        turn.host.log(Level::Info, &format!("chooses in {position}"));
        for _ in 0..self.looks {
            turn.host.left();
        }
        let moves = turn.legal_moves().to_vec();
        let mut line = String::new();
        turn.position.write_move(moves[0], &mut line);
        line.push(' ');
        turn.position.write_move(moves[1], &mut line);
        let line = Line { rank: 1, moves: line, ..Line::default() };
        turn.host.report(&line);
        let _ = turn.host.legal("");
        Reply::play(moves[0]).with_line(line)
    }

    fn describe(description: &mut Description) {
        let about = "how often it reads the clock";
        description.options =
            vec![whole_option("looks", 0..=9, 1, about), whole_option("beginner", 0..=1, 0, "")];
    }

    fn started(&mut self, game: &NewGame<'_, Gomoku>) -> Result<(), String> {
        self.looks = game.whole("looks");
        self.beginner = game.whole("beginner") == 1;
        Ok(())
    }

    fn ponders(&self) -> bool {
        !self.beginner
    }
}

fn engine(options: &[(&str, &str)], host: &RecordingHost) -> BaseEngine<Simple> {
    let setup = Setup {
        game: "gomoku".into(),
        variant: "freestyle-5".into(),
        start: String::new(),
        moves: String::new(),
        seats: vec![0],
        seed: 3,
        options: options.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    };
    BaseEngine::start(&setup, Host::new(host.clone())).expect("the engine starts")
}

fn timed() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(1_000), ..Limits::default() }
}

#[test]
fn by_default_an_engine_ponders_on_the_expected_position() {
    let host = RecordingHost::default();
    let mut engine = engine(&[], &host);
    engine.think().unwrap();
    assert_eq!(host.take_calls(), "", "the engine has not read the clock yet");
    engine.choose(&Limits::default(), &[]).unwrap();
    let chooses = "chooses in 5/5/5/5/5 b, reports a1 b1, legal after []";
    assert_eq!(host.take_calls(), chooses);
    engine.played("a1").unwrap();
    engine.think().unwrap();
    // Lines are not reported, and `legal` starts from the pondered position.
    assert_eq!(host.take_calls(), "chooses in 5/5/5/5/xo3 b, legal after [b1]");
    engine.played("e5").unwrap();
    engine.choose(&Limits::default(), &[]).unwrap();
    assert!(host.take_calls().starts_with("chooses in 4o/5/5/5/x4 b, reports b1 c1"));
    // Without an expected reply: the current position, with the opponent to move.
    engine.taken_back(2).unwrap();
    engine.played("c3").unwrap();
    engine.think().unwrap();
    assert_eq!(host.take_calls(), "chooses in 5/5/2x2/5/5 w, legal after []");
}

#[test]
fn an_engine_that_never_reads_the_clock_or_plays_a_level_does_not_ponder() {
    for options in [&[("looks", "0")], &[("beginner", "1")]] {
        let host = RecordingHost::default();
        let mut engine = engine(options, &host);
        engine.choose(&timed(), &[]).unwrap();
        engine.played("a1").unwrap();
        host.take_calls();
        engine.think().unwrap();
        assert_eq!(host.take_calls(), "", "{options:?}");
    }
}

#[test]
fn a_fallback_move_is_reported_at_the_first_look_at_the_clock() {
    let host = RecordingHost::default();
    let mut regular = engine(&[("looks", "3")], &host);
    regular.choose(&timed(), &[]).unwrap();
    let expected = "chooses in 5/5/5/5/5 b, reports a1, reports a1 b1, legal after []";
    assert_eq!(host.take_calls(), expected);
    let barred = Barred { r#move: "a1".into(), reason: String::new() };
    regular.choose(&timed(), &[barred]).unwrap();
    assert!(host.take_calls().contains(" b, reports b1, reports b1 c1, "));
    // Without a time limit there is no fallback.
    regular.choose(&Limits::default(), &[]).unwrap();
    assert!(!host.take_calls().contains("reports a1,"));
    // An engine that never reads the clock gets no fallback either.
    let mut clockless = engine(&[("looks", "0")], &host);
    for _ in 0..2 {
        clockless.choose(&timed(), &[]).unwrap();
        assert!(!host.take_calls().contains("reports a1,"));
    }
}

#[test]
fn the_line_of_a_choice_begins_with_its_move() {
    /// Reads the clock, reports nothing, and plays the last legal move.
    #[derive(Default)]
    struct Last;
    impl Chooser for Last {
        type Rules = Gomoku;
        fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
            turn.host.left();
            Reply::play(*turn.legal_moves().last().expect("a move"))
        }
    }
    let host = RecordingHost::default();
    let setup = Setup { game: "gomoku".into(), variant: "freestyle-5".into(), ..engine_setup() };
    let mut engine = BaseEngine::<Last>::start(&setup, Host::new(host.clone())).unwrap();
    for (limits, line) in [(timed(), Some("e5")), (Limits::default(), None)] {
        let choice = engine.choose(&limits, &[]).unwrap();
        assert_eq!(choice.line.as_ref().map(|line| line.moves.as_str()), line);
    }
    assert_eq!(host.take_calls(), "reports a1");
}

#[test]
fn random_numbers_do_not_depend_on_pondering() {
    #[derive(Default)]
    struct Dice;
    impl Chooser for Dice {
        type Rules = Gomoku;
        fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
            turn.host.left();
            turn.random_move().map_or(Reply::resign(), Reply::play)
        }
    }
    let chosen = |thinks: bool| {
        let setup = Setup { game: "gomoku".into(), variant: "freestyle".into(), ..engine_setup() };
        let mut engine = BaseEngine::<Dice>::start(&setup, Host::null()).unwrap();
        let mut chosen = Vec::new();
        for _ in 0..5 {
            chosen.push(engine.choose(&Limits::default(), &[]).unwrap().decision);
            if thinks {
                engine.think().unwrap();
            }
        }
        chosen
    };
    assert_eq!(chosen(true), chosen(false));
}

fn engine_setup() -> Setup {
    Setup {
        game: String::new(),
        variant: String::new(),
        start: String::new(),
        moves: String::new(),
        seats: vec![1],
        seed: 9,
        options: Vec::new(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}
