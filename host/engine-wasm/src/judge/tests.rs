//! Tests of judges: a small game in WebAssembly text, and the same game with faults.

use sandboard_builder::component::{GAME_WIT, wrap_core_module};
use sandboard_games::general::{Actor, Next, Observer, SeatSet};
use sandboard_games::{
    Features, GameInfo, PlayoutPlan, Seat, Side, VariantInfo, playouts_by_text, reversi::Reversi,
};

use super::*;
use crate::{RuntimeKind, RuntimeOptions};

/// A small game, with what it is in a comment.
const GAME: &str = include_str!("../../../../tests/fixtures/games/plies.wat");

static INFO: GameInfo = GameInfo::of::<Reversi>(
    "plies",
    "Plies",
    &["red", "blue"],
    &[VariantInfo::of_one_size("standard", "three plies")],
    "a or b",
);

/// The game with some of its text replaced; each replaced part must occur.
fn game_with(changes: &[(&str, &str)]) -> Vec<u8> {
    let change = |text: String, (old, new): &(&str, &str)| {
        assert!(text.contains(old), "{old} is not in the game");
        text.replacen(old, new, 1)
    };
    let text = changes.iter().fold(GAME.to_owned(), change);
    wrap_core_module(wat::parse_str(text).unwrap(), GAME_WIT).unwrap()
}

/// The same game, if its rules adjudicated.
static ADJUDICATES: GameInfo = GameInfo { adjudicates: true, ..INFO };

#[test]
fn moves_that_are_listed_after_an_adjudicated_end_may_be_refused() {
    let lists = "(select (i32.const 3) (i32.const 3)";
    let module = game_with(&[("(select (i32.const 0) (i32.const 3)", lists)]);
    let module = JudgeModule::load(&Runtime::new(), &module).unwrap();
    let check = |info: &'static GameInfo, expected: Option<&str>| {
        let mut game = module.set_up(info, &info.default_variant(), Some("p3")).unwrap();
        assert_eq!(legal(&*game), "a b");
        game.play("a").unwrap_err();
        assert_eq!(game.fault().as_deref(), expected);
    };
    check(&ADJUDICATES, None);
    check(&INFO, Some("listed `a` as legal, but refused it: out of moves"));
}

/// All runtimes of this build.
fn runtimes() -> impl Iterator<Item = Runtime> {
    RuntimeKind::AVAILABLE.iter().map(|kind| {
        Runtime::new().with_options(RuntimeOptions { kind: *kind, ..RuntimeOptions::default() })
    })
}

fn set_up(
    runtime: &Runtime,
    changes: &[(&str, &str)],
    position: Option<&str>,
) -> Result<Box<dyn DynGame>, String> {
    let module = JudgeModule::load(runtime, &game_with(changes));
    let module = module.map_err(|fault| fault.sentence)?;
    let set_up = module.set_up(&INFO, &INFO.default_variant(), position);
    set_up.map_err(|error| error.to_string())
}

fn legal(game: &dyn DynGame) -> String {
    let mut line = String::new();
    game.write_legal(&mut line);
    line
}

#[test]
fn a_game_is_played_taken_back_and_copied() {
    for runtime in runtimes() {
        let mut game = set_up(&runtime, &[], None).unwrap();
        assert_eq!((&*game.position(), &*legal(&*game), game.to_move().0), ("p0", "a b", 0));
        assert_eq!((game.side_name(Side(0)), game.side_name(Side(1))), ("red", "blue"));
        assert_eq!((&*game.diagram(Observer::Spectator), game.prompt()), ("xx\n", None));
        assert_eq!(game.board(Observer::Spectator), None);
        assert_eq!(game.play("a").unwrap(), "a");
        let copy = game.boxed_clone();
        game.play("b").unwrap();
        assert_eq!((&*game.position(), &*copy.position()), ("p2", "p1"));
        assert_eq!(
            (game.moves(), copy.moves()),
            (vec!["a".into(), "b".into()], vec!["a".to_owned()])
        );
        let refusal = game.play("abc").unwrap_err();
        assert_eq!(refusal.to_string(), "`abc` is refused: out of moves");
        assert_eq!(game.canonical("a").unwrap(), "a");
        assert_eq!(game.position(), "p2", "neither changes the position");
        game.play("a").unwrap();
        let ending = game.ending().unwrap();
        assert_eq!((&*ending.scores, &*ending.reason), (&[1, -1][..], "out of moves"));
        assert_eq!((game.winner(), game.next()), (Some(Side(0)), Next::Over));
        assert_eq!(legal(&*game), "");
        // Back to several places, forwards and back again.
        for (back, expected) in [(1, "p2"), (2, "p0")] {
            assert_eq!(game.take_back(back), back);
            assert_eq!((&*game.position(), game.ending()), (expected, None));
        }
        assert_eq!(game.take_back(1), 0);
        for expected in ["p1", "p2", "p3"] {
            game.play("b").unwrap();
            assert_eq!(game.position(), expected);
        }
        game.take_back(2);
        assert_eq!((&*game.position(), game.plies(), game.to_move().0), ("p1", 1, 1));
        let restarted = game.without_history();
        assert_eq!((&*restarted.position(), restarted.plies()), ("p1", 0));
        assert_eq!(restarted.hash(), game.hash());
        assert_eq!((0..5).map(|depth| copy.perft(depth)).collect::<Vec<_>>(), [1, 2, 4, 4, 4]);
        assert_eq!(game.fault(), None);
    }
}

#[test]
fn a_start_that_is_refused_has_a_reason() {
    for runtime in runtimes() {
        let check = |changes: &[(&str, &str)], position: Option<&str>, expected: &str| {
            let error = set_up(&runtime, changes, position).map(drop).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        };
        assert!(set_up(&runtime, &[], Some("p2")).is_ok());
        check(&[], Some("p4"), "not a position of plies: at byte 1: out of moves");
        let failed = "the rules of plies failed: ";
        let other = [("\"standarda b", "\"strangera b")];
        check(&other, None, &format!("{failed}returned a variant that is not declared: "));
        let traps = [("(local $plies i32)", "(local $plies i32) (unreachable)")];
        check(&traps, None, &format!("{failed}trapped: wasm `unreachable` instruction executed"));
        let logs = "(local $plies i32) (call $log (i32.const 29) (i32.const 12)) (unreachable)";
        check(&[("(local $plies i32)", logs)], None, &format!("{failed}gave up: out of moves"));
        let large = [("(memory (export \"memory\") 2)", "(memory (export \"memory\") 2000)")];
        check(&large, None, &format!("{failed}needs more than its 64 MiB of memory to begin with"));
    }
}

#[test]
fn a_file_that_is_no_judge_is_not_loaded() {
    let check = |bytes: &[u8], expected: &str| {
        let fault = JudgeModule::load(&Runtime::new(), bytes).map(drop).unwrap_err();
        assert!(fault.sentence.contains(expected), "{fault}");
    };
    check(b"\0asm\x01\0\0\0", "is a core WebAssembly module; the rules of a game must be");
    check(b"text", "is not valid WebAssembly");
    let empty = wat::parse_str("(component)").unwrap();
    check(&empty, "exports no `sandboard:game/judge@1`");
    let foreign = "(component (import \"wasi:cli/exit@0.2.0\" (instance)))";
    check(&wat::parse_str(foreign).unwrap(), "a game may import only `sandboard:game/host@1`");
}

/// A judge with these changes fails in the call, and in every later one.
fn check_fault(changes: &[(&str, &str)], call: impl Fn(&mut dyn DynGame), expected: &str) {
    runtimes().for_each(|runtime| check_fault_in(&runtime, changes, &call, expected));
}

fn check_fault_in(
    runtime: &Runtime,
    changes: &[(&str, &str)],
    call: impl Fn(&mut dyn DynGame),
    expected: &str,
) {
    let mut game = set_up(runtime, changes, None).unwrap();
    call(&mut *game);
    let fault = game.fault().unwrap_or_default();
    assert!(fault.starts_with(expected), "{fault:?}, expected {expected}");
    let refusal = game.play("a").unwrap_err();
    assert_eq!(refusal.reason, format!("the rules of the game failed: {fault}"));
    assert_eq!((game.position(), legal(&*game)), (String::new(), String::new()));
    game.take_back(1);
    assert_eq!(game.fault(), Some(fault.clone()));
    assert_eq!(game.boxed_clone().fault(), Some(fault), "copies share the instance");
}

const PLAY: &str = "(param $game i32) (param $move i32) (param $bytes i32) (result i32)";

/// The variant of the small game with this number of seats.
const fn standard(seats: u8) -> [VariantInfo; 1] {
    [VariantInfo::of_one_size("standard", "three plies").with_seats(seats)]
}

static ONE_SEAT: GameInfo = GameInfo { variants: &standard(1), ..INFO };
static TWO_OF_THREE_SEATS: GameInfo =
    GameInfo { seats: 3, sides: &["red", "blue", "green"], variants: &standard(2), ..INFO };
static THREE_SEATS: GameInfo = GameInfo { variants: &standard(3), ..TWO_OF_THREE_SEATS };

/// The small game has two seats, whatever its description says.
#[test]
fn answers_are_checked_against_the_seats_of_the_variant() {
    let module = JudgeModule::load(&Runtime::new(), &game_with(&[])).unwrap();
    let check = |info: &'static GameInfo, sides: &[&str], expected: &str| {
        let mut game = module.set_up(info, &info.default_variant(), None).unwrap();
        assert_eq!((usize::from(game.seats()), game.sides()), (sides.len(), sides));
        let refused = ["a", "b", "a"].map(|mv| game.play(mv).err());
        let refused = refused.into_iter().flatten().next();
        let found = match refused {
            Some(refusal) => refusal.reason,
            None => format!("{:?} {}", game.ending().unwrap().scores, game.has_two_sides()),
        };
        assert_eq!(found, expected);
    };
    let failed = |reason: &str| format!("the rules of the game failed: {reason}");
    check(&TWO_OF_THREE_SEATS, &["red", "blue"], "[1, -1] true");
    let scores = failed("returned 2 scores; the variant `standard` has 3 seats");
    check(&THREE_SEATS, &["red", "blue", "green"], &scores);
    check(&ONE_SEAT, &["red"], &failed("named seat 1 to move; the seats are 0 to 0"));
}

#[test]
fn a_judge_that_does_not_answer_fails() {
    let play = |game: &mut dyn DynGame| drop(game.play("a"));
    let in_play = |code: &str, expected: &str| {
        check_fault(&[(PLAY, &format!("{PLAY} {code}"))], play, expected);
    };
    in_play("(unreachable)", "trapped: wasm `unreachable` instruction executed");
    in_play("(loop (br 0))", "used up its 1e8 units of fuel in play");
    in_play("(call $log (i32.const 29) (i32.const 12)) (unreachable)", "gave up: out of moves");
    let grow =
        "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) (unreachable)";
    in_play(grow, "used up its 64 MiB of memory");
    in_play("(drop (i32.load (i32.const -4)))", "trapped: out of bounds memory access");
    // 100 MB of move text, and a text outside of the memory.
    let flood = "(call $text (i32.const 1104) (i32.const 0) (i32.const 2000000))
        (i32.store8 (i32.const 1100) (i32.const 0)) (return (i32.const 1100))";
    in_play(flood, "violated the ABI: ");
}

#[test]
fn wrong_answers_are_faults() {
    let play = |game: &mut dyn DynGame| drop(game.play("a"));
    let legal = |game: &mut dyn DynGame| drop(legal(game));
    let check = |old: &str, new: &str, call: &dyn Fn(&mut dyn DynGame), expected: &str| {
        check_fault(&[(old, new)], call, expected);
    };
    // Moves: canonical texts and legal lists.
    let text = "(call $text (i32.const 1104) (local.get $move) (local.get $bytes))";
    let with = |at: u32, bytes: u32| {
        format!("(call $text (i32.const 1104) (i32.const {at}) (i32.const {bytes}))")
    };
    check(text, &with(24, 3), &play, "returned the move `a b`, which has white space");
    check(text, &with(24, 0), &play, "returned a move without a text");
    check(text, &with(50, 1), &play, "returned a move with the character '\\n'");
    check(text, &with(16384, 65), &play, "returned a move with 65 bytes; at most 64");
    check("\"standarda b", "\"standarda  ", &legal, "returned a move without a text");
    let seat = "(i32.store8 (i32.const 1620) (i32.and (local.get $plies) (i32.const 1)))";
    let named =
        |seat: &str| format!("(i32.store8 (i32.const 1620) (i32.mul {seat} (local.get $plies)))");
    let seven = named("(i32.const 7)");
    check(seat, &seven, &play, "named seat 7 to move; the seats are 0 to 1");
    let many = named("(i32.const 16)");
    check(seat, &many, &play, "named seat 16 to move; a game has at most 16");
    let would_have_moved = "(i32.store8 offset=4 (local.get $at) (i32.const 1))";
    let two = "(i32.store8 offset=4 (local.get $at) (i32.const 2))";
    let to_the_end = |game: &mut dyn DynGame| {
        let _ = ["a", "b", "a"].map(|mv| game.play(mv));
    };
    check(would_have_moved, two, &to_the_end, "named seat 2 to move; the seats are 0 to 1");
    let list = "(i32.const 1620) (i32.const 1))";
    let none = "(i32.const 1620) (i32.ne (local.get $plies) (i32.const 1)))";
    check(list, none, &play, "named no seat to move");
    let two = "(i32.const 1620) (i32.add (local.get $plies) (i32.const 1)))";
    check(list, two, &play, "named the seats [1, 0] to move, which are not in order");
    let next = "(i32.store8 (local.get $at) (i32.shl (local.get $over) (i32.const 1)))";
    let next_is = |next: &str| format!("(i32.store8 (local.get $at) {next})");
    let chance = next_is("(i32.and (local.get $plies) (i32.const 1))");
    check(next, &chance, &play, "left the next move to chance; its manifest does not declare");
    let over = next_is("(i32.shl (local.get $plies) (i32.const 1))");
    check(next, &over, &play, "ended the game without a result");
    let three = "(i32.eq (local.get $plies) (i32.const 3)))\n      ;; Who";
    let scores = "(i32.const 1600) (i32.const 2))";
    check_fault(
        &[
            (three, "(i32.eq (local.get $plies) (i32.const 1))) ;; Who"),
            (scores, "(i32.const 1600) (i32.const 3))"),
        ],
        play,
        "returned 3 scores; the variant `standard` has 2 seats",
    );
    check_fault(
        &[
            (three, "(local.get $plies)) ;; Who"),
            (
                "(i32.const 29) (i32.const 12)))\n  (func (export \"sandboard:game/judge@1.0.0#start",
                "(i32.const 29) (i32.const 0)))\n  (func (export \"sandboard:game/judge@1.0.0#start",
            ),
        ],
        play,
        "returned a reason without a text",
    );
    let side = |game: &mut dyn DynGame| assert_eq!(game.side_name(Side(1)), "blue");
    check("redblue", "redgrey", &side, "returned the names `red`, `grey` of sides, which are not");
    let one = "(i32.const 1600) (i32.const 1))";
    let ends = (three, "(local.get $plies)) ;; Who");
    let ending = "(i32.store8 offset=16 (local.get $at) (local.get $over))";
    let always = "(i32.store8 offset=16 (local.get $at) (local.get $plies))";
    check(ending, always, &play, "returned a result, but the game is not over");
    let mut largest =
        set_up(&Runtime::new(), &[ends, (one, "(i32.const 1600) (i32.const 1000000000))")], None)
            .unwrap();
    largest.play("a").unwrap();
    assert_eq!(largest.ending().unwrap().scores, [1_000_000_000, -1]);
    let large = (one, "(i32.const 1600) (i32.const 0x80000000))");
    check_fault(&[ends, large], play, "returned the score -2147483648; the limit is 1000000000");
    let other = |game: &mut dyn DynGame| drop(game.play("b"));
    let refuses = "(i32.ne (i32.load8_u (local.get $move)) (i32.const 97))";
    check(
        "(i32.ne (local.get $bytes) (i32.const 1))",
        refuses,
        &other,
        "listed `b` as legal, but refused it: out of moves",
    );
    let diagram = |game: &mut dyn DynGame| drop(game.diagram(Observer::Spectator));
    check("xx\\n", "x\\07\\n", &diagram, "returned a diagram with the character '\\u{7}'");
    let position = |game: &mut dyn DynGame| drop(game.position());
    check(
        "(i32.const 27) (i32.const 2))",
        "(i32.const 27) (i32.const 0))",
        &position,
        "returned a position without a text",
    );
}

fn plan(games: u32, plies_max: u32) -> PlayoutPlan {
    PlayoutPlan { seed: 5, games, plies_max }
}

#[test]
fn a_judge_plays_random_games() {
    let mut game = set_up(&Runtime::new(), &[], None).unwrap();
    let check = |game: &dyn DynGame, plan: PlayoutPlan| {
        assert_eq!(game.playouts(&plan), playouts_by_text(game, &plan));
        assert_eq!(game.fault(), None);
    };
    for plies_max in [0, 2, 3, 1000] {
        check(&*game, plan(0, plies_max));
        check(&*game, plan(7, plies_max));
    }
    game.play("a").unwrap();
    check(&*game, plan(3, 1));
    check(&*game, plan(3, 2));
    // More than a call: the first one asks for one game, the next ones for up to eight times as
    // many as the one before.
    let results = game.playouts(&plan(10_000, 9));
    assert_eq!((results.plies, results.decisions), (vec![2; 10_000], 20_000));
    game.play("a").unwrap();
    game.play("a").unwrap();
    check(&*game, plan(2, 1));
}

#[test]
fn wrong_results_of_random_games_are_faults() {
    let check = |old: &str, new: &str, expected: &str| {
        let play = |game: &mut dyn DynGame| drop(game.playouts(&plan(9, 2)));
        // An endless loop takes an interpreter a quarter of an hour.
        check_fault_in(&Runtime::new(), &[(old, new)], play, expected);
    };
    let wrong = |games: u32| format!("returned results that are not those of {games} random games");
    let plies = "(i32.const 65536) (local.get $games))";
    check(plies, "(i32.const 65536) (i32.const 2))", &wrong(1));
    let scores = "(i32.const 81920) (i32.shl (local.get $games) (i32.const 1)))";
    check(scores, "(i32.const 81920) (local.get $games))", &wrong(1));
    check(
        "(i32.shl (local.get $index) (i32.const 2)))\n                  (local.get $left))",
        "(i32.shl (local.get $index) (i32.const 2)))\n                  (i32.const 3))",
        &wrong(1),
    );
    let index =
        "(i32.shl (local.get $index) (i32.const 2)))\n                  (local.get $index))";
    let with = |number: &str| index.replace("(local.get $index))", &format!("{number})"));
    check(index, &with("(i32.const 0)"), &wrong(8));
    check(index, &with("(local.get $games)"), &wrong(1));
    check("(i32.mul (local.get $games) (local.get $left))", "(i32.const 3)", &wrong(1));
    let score = "(select (i64.const 0)";
    let large = "returned the score 1000000001; the limit is 1000000000";
    check(score, "(select (i64.const 1000000001)", large);
    let endless = "(local.set $index (i32.add (local.get $index) (i32.const 0)))";
    check(
        "(local.set $index (i32.add (local.get $index) (i32.const 1)))",
        endless,
        "used up its 1e10 units of fuel in playouts",
    );
    let outside = "(call $text (i32.const 1960) (i32.const 0x7fffffff) (local.get $games))";
    check(
        "(call $text (i32.const 1960) (i32.const 65536) (local.get $games))",
        outside,
        "violated the ABI: ",
    );
}

/// In the game: it returns no board data, and a diagram.
const NO_BOARD: &str = "(i32.store8 (i32.const 1540) (i32.const 0))";
const HAS_DIAGRAM: &str = "(i32.store8 (i32.const 1552) (i32.const 1))";

/// The changes that make the game return these bytes as its board. `is_some` is the expression that
/// says whether it returns one.
fn with_board(json: &str, is_some: &str) -> [(String, String); 2] {
    let bytes: String = json.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let store = format!(
        "(i32.store8 (i32.const 1540) {is_some})
      (call $text (i32.const 1544) (i32.const 12000) (i32.const {}))",
        json.len()
    );
    let data = "(data (i32.const 16)";
    let with_data = format!("(data (i32.const 12000) \"{bytes}\")\n  {data}");
    [(NO_BOARD.to_owned(), store), (data.to_owned(), with_data)]
}

/// A board of two cells, whose JSON ends with more.
fn board_and(more: &str) -> String {
    format!(r#"{{"elements":[[{{"kind":"grid","rows":[["a1","b1"]]}}]]{more}}}"#)
}

#[test]
fn a_board_is_read_and_drawn() {
    let moves = board_and(r#","moves":[{"move":"a","places":["a1"]}]"#);
    let board_of = |is_some: &str, observer: Observer| {
        let changes = with_board(&moves, is_some);
        let changes = changes.each_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let game = set_up(&Runtime::new(), &changes, None).unwrap();
        assert_eq!(game.diagram(Observer::Spectator), "xx\n");
        let board = game.board(observer);
        assert_eq!(game.fault(), None);
        board.map(|board| board.to_json())
    };
    let [spectator, seat] = [Observer::Spectator, Observer::Seat(Seat(1))];
    assert_eq!(board_of("(i32.const 1)", spectator).as_deref(), Some(&*moves));
    assert_eq!(board_of("(i32.eqz (local.get $observer))", spectator), None);
    assert_eq!(board_of("(i32.eqz (local.get $observer))", seat).as_deref(), Some(&*moves));
    assert!(board_of("(local.get $seat)", seat).is_some());
    assert!(board_of("(local.get $seat)", Observer::Seat(Seat(0))).is_none());
}

#[test]
fn without_a_diagram_the_board_or_the_position_is_shown() {
    let check = |board: &[(String, String)], expected: (&str, usize)| {
        let mut changes = vec![(HAS_DIAGRAM, "(i32.store8 (i32.const 1552) (i32.const 0))")];
        changes.extend(board.iter().map(|(old, new)| (old.as_str(), new.as_str())));
        let game = set_up(&Runtime::new(), &changes, None).unwrap();
        assert_eq!((&*game.diagram(Observer::Spectator), game.facts().len()), expected);
    };
    check(&[], ("p0\n", 0));
    check(&with_board(&board_and(""), "(i32.const 1)"), (" . .\n", 0));
}

#[test]
fn wrong_boards_are_faults() {
    let check = |json: &str, expected: &str| {
        let changes = with_board(json, "(i32.const 1)");
        let changes = changes.each_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let board = |game: &mut dyn DynGame| assert_eq!(game.board(Observer::Spectator), None);
        check_fault(&changes, board, expected);
    };
    let invalid = |reason: &str| format!("returned a board that is not valid: {reason}");
    check("xx", &invalid("expected value at line 1 column 1"));
    check("{}", &invalid("missing field `elements`"));
    check(&board_and(r#","size":2"#), &invalid("unknown field `size`"));
    let piece = board_and(r#","pieces":[{"place":"c1"}]"#);
    check(&piece, &invalid("piece 1 is on the place `c1`, which does not exist"));
    let twice = board_and("").replace("b1", "a1");
    check(&twice, &invalid("two places are called `a1`"));
    let illegal = board_and(r#","moves":[{"move":"c","places":["a1"]}]"#);
    check(&illegal, &invalid("lists the move `c`, which is not legal"));
    let nowhere = board_and(r#","moves":[{"move":"a","places":["c1"]}]"#);
    check(&nowhere, &invalid("the move `a`: it names the place `c1`, which does not exist"));
    let hidden = board_and(r#","pieces":[{"place":"a1","name":"\u202e"}]"#);
    check(&hidden, "returned a board with the character '\\u{202e}'");
    // A text of 64 KiB and one byte, which is in no data segment.
    let long = "(i32.store8 (i32.const 1540) (i32.const 1))
      (call $text (i32.const 1544) (i32.const 16384) (i32.const 65537))";
    let board = |game: &mut dyn DynGame| drop(game.board(Observer::Spectator));
    check_fault(&[(NO_BOARD, long)], board, &invalid("has 65537 bytes; at most 65536"));
    let loops = "(loop (br 0)) (unreachable)";
    check_fault(&[(NO_BOARD, loops)], board, "used up its 1e8 units of fuel in board");
}

#[test]
fn a_judge_that_forgets_what_it_accepted_fails() {
    let back = |game: &mut dyn DynGame| {
        game.play("a").unwrap();
        game.play("a").unwrap();
        game.take_back(1);
    };
    // Only the first game of an instance may be played.
    let forgets = "(i32.or (i32.ne (local.get $bytes) (i32.const 1)) (local.get $game))";
    let old = "(i32.ne (local.get $bytes) (i32.const 1))";
    check_fault(&[(old, forgets)], back, "listed `a` as legal, but refused it: out of moves");
    // Games after the first call every move `b`.
    let text = "(call $text (i32.const 1104) (local.get $move) (local.get $bytes))";
    let other = "(call $text (i32.const 1104) (i32.add (i32.const 24)
        (i32.shl (i32.ne (local.get $game) (i32.const 0)) (i32.const 1))) (i32.const 1))";
    check_fault(&[(text, other)], back, "accepted the move `a` once, but not again");
    let restart = |game: &mut dyn DynGame| {
        for _ in 0..3 {
            game.play("a").unwrap();
        }
        game.without_history();
    };
    // Positions with 3 plies are not read.
    let old = "(i32.gt_u (local.get $plies) (i32.const 3))";
    let new = "(i32.gt_u (local.get $plies) (i32.const 2))";
    check_fault(&[(old, new)], restart, "does not read its own position again: ");
}

#[test]
fn the_number_of_reasons_is_limited() {
    let reasons = Reasons::default();
    for number in 0..REASONS_MAX {
        assert!(reasons.intern(&number.to_string()).is_some());
    }
    assert_eq!(reasons.intern("one too many"), None);
    assert_eq!(reasons.intern("7"), Some("7"));
}

/// The same game with chance, hidden information and moves at the same time.
static GENERAL: GameInfo = GameInfo {
    features: Features { chance: true, hidden_information: true, simultaneous: true },
    ..INFO
};

/// A game of [`GENERAL`], with changes.
fn set_up_general(runtime: &Runtime, changes: &[(&str, &str)]) -> Box<dyn DynGame> {
    let module = JudgeModule::load(runtime, &game_with(changes)).unwrap();
    module.set_up(&GENERAL, &GENERAL.default_variant(), None).unwrap()
}

/// Chance moves first.
const CHANCE: (&str, &str) = (
    "(i32.store8 (local.get $at) (i32.shl (local.get $over) (i32.const 1)))",
    "(i32.store8 (local.get $at) (select (i32.shl (local.get $over) (i32.const 1)) (i32.const 1)
        (local.get $plies)))",
);

#[test]
fn views_and_outcomes_of_chance_come_from_the_judge() {
    let mut game = set_up_general(&Runtime::new(), &[CHANCE]);
    assert_eq!(game.next(), Next::Chance);
    assert_eq!(game.chance(), [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert_eq!(legal(&*game), "a b");
    let seen = |observer| game.seen(observer, Actor::Chance, "b");
    assert_eq!(seen(Observer::Spectator).as_deref(), Some("a"));
    assert_eq!(seen(Observer::Everything).as_deref(), Some("b"));
    assert_eq!(game.canonical("b").as_deref(), Ok("b"));
    game.play("b").unwrap();
    assert_eq!((game.next(), game.chance()), (Next::Seats(SeatSet::one(Seat(1))), vec![]));
    assert_eq!(
        (&*game.view(Observer::Seat(Seat(0))), &*game.view(Observer::Everything)),
        ("a", "p1")
    );
    // A game without hidden information is not asked.
    let game = set_up(&Runtime::new(), &[], None).unwrap();
    assert_eq!(game.view(Observer::Spectator), "p0");
    assert_eq!(game.seen(Observer::Spectator, Actor::Seat(Seat(0)), "b").as_deref(), Some("b"));
}

#[test]
fn wrong_answers_about_chance_and_views_are_faults() {
    let check = |changes: &[(&str, &str)], ask: &dyn Fn(&dyn DynGame), expected: &str| {
        let game = set_up_general(&Runtime::new(), changes);
        ask(&*game);
        assert_eq!(game.fault().as_deref(), Some(expected));
    };
    let chance = |game: &dyn DynGame| assert_eq!(game.chance(), []);
    let weight = "(i32.store (i32.const 1920) (i32.const 2))";
    let zero = (weight, "(i32.store (i32.const 1920) (i32.const 0))");
    check(&[CHANCE, zero], &chance, "returned the outcome `b` with the weight 0");
    let twice = ("(i32.const 1912) (i32.const 26)", "(i32.const 1912) (i32.const 24)");
    check(&[CHANCE, twice], &chance, "returned the outcome `a` twice");
    let none = ("(i32.const 1900) (i32.const 2))", "(i32.const 1900) (i32.const 0))");
    let sentence = "left the next move to chance, but returned no outcome";
    check(&[CHANCE, none], &chance, sentence);
    let many = ("(i32.const 1900) (i32.const 2))", "(i32.const 20000) (i32.const 10001))");
    let memory = ("(memory (export \"memory\") 2)", "(memory (export \"memory\") 3)");
    let sentence = "returned 10001 outcomes of chance; at most 10000";
    check(&[CHANCE, many, memory], &chance, sentence);
    let waits = |game: &dyn DynGame| game.write_legal_of(Seat(1), &mut String::new());
    check(&[], &waits, "listed moves for seat 1, which is not to move");
    let view = |game: &dyn DynGame| drop(game.view(Observer::Spectator));
    let empty = (
        "(i32.const 1260) (i32.const 24) (i32.const 1))",
        "(i32.const 1260) (i32.const 24) (i32.const 0))",
    );
    check(&[empty], &view, "returned a view without a text");
    let seen = |game: &dyn DynGame| drop(game.seen(Observer::Spectator, Actor::Chance, "a"));
    let space = (
        "(i32.const 1284) (i32.const 24) (i32.const 1))",
        "(i32.const 1284) (i32.const 24) (i32.const 3))",
    );
    check(&[space], &seen, "returned the move `a b`, which has white space");
    let canonical = |game: &dyn DynGame| drop(game.canonical_of(Seat(0), "a"));
    let old = "(else (call $text (i32.const 1164) (local.get $move) (local.get $bytes)))";
    let long = (old, "(else (call $text (i32.const 1164) (i32.const 16384) (i32.const 65)))");
    check(&[long], &canonical, "returned a move with 65 bytes; at most 64");
}
