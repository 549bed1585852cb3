//! What is expected, where an engine thinks that was told nothing of it, and the move that is at
//! hand when it overruns.

use std::sync::atomic::AtomicU64;

use sandboard_abi::{Barred, Description, Setup, Unit};
use sandboard_games::gomoku::{Gomoku, INFO};

use super::*;
use crate::engine::{BaseEngine, Engine, NewGame, Reply, whole};

#[track_caller]
fn check_foresight(line: &str, played: &str, seats: &[u8], expected: &str) {
    let mut foresight = Foresight::default();
    foresight.chosen(Some(&Line { moves: line.into(), ..Line::default() }));
    let mut position = Gomoku::start(&INFO.variant("freestyle").unwrap());
    for mv in played.split_ascii_whitespace() {
        position.play(mv).unwrap();
        foresight.played(mv);
    }
    let (ahead, moves) = foresight.expected(&position, seats);
    assert_eq!(moves, expected, "{line} after {played}");
    for mv in expected.split_ascii_whitespace() {
        position.play(mv).unwrap();
    }
    assert_eq!(ahead, position);
}

#[test]
fn the_line_of_the_last_choice_tells_where_it_will_be_asked() {
    check_foresight("h8 h9 h10", "h8", &[0], "h9");
    check_foresight("h8 h9", "h8", &[0], "h9");
    check_foresight("h8 h9 h10", "h8 h9", &[0], "");
    // No reply is named, another move was played, a move is none.
    check_foresight("h8", "h8", &[0], "");
    check_foresight("h8 h9", "h7", &[0], "");
    check_foresight("h8 h8", "h8", &[0], "");
    check_foresight("h1 h10", "h10", &[0], "");
    check_foresight("", "h8", &[0], "");
    // Asked next is who is to move already, and nobody where it plays both.
    check_foresight("h8 h9", "h8", &[1], "");
    check_foresight("h8 h9", "h8", &[0, 1], "");
}

#[test]
fn what_was_taken_back_is_not_expected_any_more() {
    let mut foresight = Foresight::default();
    foresight.chosen(Some(&Line { moves: "h8 h9".into(), ..Line::default() }));
    foresight.forget();
    let position = Gomoku::start(&INFO.variant("freestyle").unwrap());
    assert_eq!(foresight.expected(&position, &[1]).1, "");
    foresight.chosen(None);
    assert_eq!(foresight.expected(&position, &[1]).1, "");
}

/// What an engine said and asked.
#[derive(Clone, Default)]
struct Desk {
    said: Arc<Mutex<Vec<String>>>,
    looks: Arc<AtomicU64>,
}

impl Desk {
    fn note(&self, text: String) {
        self.said.lock().unwrap().push(text);
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().drain(..).collect::<Vec<_>>().join(", ")
    }
}

impl HostCalls for Desk {
    fn report(&self, line: &Line) {
        self.note(format!("reports {}", line.moves));
    }
    fn log(&self, _: Level, text: &str) {
        self.note(text.to_owned());
    }
    fn left(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed);
        u64::MAX
    }
    fn legal(&self, moves: &str) -> Result<String, String> {
        self.note(format!("asks after [{moves}]"));
        Ok(String::new())
    }
}

/// Plays the first legal move, says where, expects the second one, and asks as often for the
/// time as its option says; does not ponder as a beginner.
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
        let about = "how often it looks at the clock";
        description.options =
            vec![whole("looks", 0..=9, 1, about), whole("beginner", 0..=1, 0, "")];
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

fn engine(options: &[(&str, &str)], desk: &Desk) -> BaseEngine<Simple> {
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
    BaseEngine::start(&setup, Host::new(desk.clone())).expect("it starts")
}

fn timed() -> Limits {
    Limits { unit: Unit::Wall, call_max: Some(1_000), ..Limits::default() }
}

#[test]
fn an_author_who_writes_nothing_thinks_where_the_reply_leads() {
    let desk = Desk::default();
    let mut engine = engine(&[], &desk);
    engine.think().unwrap();
    assert_eq!(desk.said(), "", "it has not been seen to look at the clock");
    engine.choose(&Limits::default(), &[]).unwrap();
    let chooses = "chooses in 5/5/5/5/5 b, reports a1 b1, asks after []";
    assert_eq!(desk.said(), chooses);
    engine.played("a1").unwrap();
    engine.think().unwrap();
    // It reports nothing of it, and the host's rules are asked about where it looks.
    assert_eq!(desk.said(), "chooses in 5/5/5/5/xo3 b, asks after [b1]");
    engine.played("e5").unwrap();
    engine.choose(&Limits::default(), &[]).unwrap();
    assert!(desk.said().starts_with("chooses in 4o/5/5/5/x4 b, reports b1 c1"));
    // Without a reply that it expects: where the game stands, with the opponent to move.
    engine.taken_back(2).unwrap();
    engine.played("c3").unwrap();
    engine.think().unwrap();
    assert_eq!(desk.said(), "chooses in 5/5/2x2/5/5 w, asks after []");
}

#[test]
fn who_does_not_look_at_the_clock_or_plays_a_level_does_not_think() {
    for options in [&[("looks", "0")], &[("beginner", "1")]] {
        let desk = Desk::default();
        let mut engine = engine(options, &desk);
        engine.choose(&timed(), &[]).unwrap();
        engine.played("a1").unwrap();
        desk.said();
        engine.think().unwrap();
        assert_eq!(desk.said(), "", "{options:?}");
    }
}

#[test]
fn a_legal_move_is_at_hand_at_the_first_look_at_the_clock() {
    let desk = Desk::default();
    let mut sound = engine(&[("looks", "3")], &desk);
    sound.choose(&timed(), &[]).unwrap();
    let expected = "chooses in 5/5/5/5/5 b, reports a1, reports a1 b1, asks after []";
    assert_eq!(desk.said(), expected);
    let barred = Barred { r#move: "a1".into(), reason: String::new() };
    sound.choose(&timed(), &[barred]).unwrap();
    assert!(desk.said().contains(" b, reports b1, reports b1 c1, "));
    // Where nothing can run out there is no need.
    sound.choose(&Limits::default(), &[]).unwrap();
    assert!(!desk.said().contains("reports a1,"));
    // One that does not look at the clock is not late by it either, for all one can see.
    let mut blind = engine(&[("looks", "0")], &desk);
    for _ in 0..2 {
        blind.choose(&timed(), &[]).unwrap();
        assert!(!desk.said().contains("reports a1,"));
    }
}

#[test]
fn the_line_of_a_move_begins_with_it() {
    /// Looks at the clock, says nothing, and plays the last legal move.
    #[derive(Default)]
    struct Last;
    impl Chooser for Last {
        type Rules = Gomoku;
        fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
            turn.host.left();
            Reply::play(*turn.legal_moves().last().expect("a move"))
        }
    }
    let desk = Desk::default();
    let setup = Setup { game: "gomoku".into(), variant: "freestyle-5".into(), ..engine_setup() };
    let mut engine = BaseEngine::<Last>::start(&setup, Host::new(desk.clone())).unwrap();
    for (limits, line) in [(timed(), Some("e5")), (Limits::default(), None)] {
        let choice = engine.choose(&limits, &[]).unwrap();
        assert_eq!(choice.line.as_ref().map(|line| line.moves.as_str()), line);
    }
    assert_eq!(desk.said(), "reports a1");
}

#[test]
fn the_draws_of_the_game_do_not_depend_on_what_was_thought() {
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
        let mut engine = BaseEngine::<Dice>::start(&setup, Host::none()).unwrap();
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
