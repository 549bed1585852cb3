//! The built-in games as components: the same rules behind the interface of plugged-in games give
//! the same answers, the same counts and the same records.

use std::sync::Arc;

use sandboard_bout::driver::{
    BoutSetup, EnginePlayer, NullObserver, Participant, RecordDestination, run,
};
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::{JudgeModule, Metering};
use sandboard_games::splitmix::SplitMix64;
use sandboard_games::{DynGame, GAMES, GameInfo, PlayoutPlan, Seat, Side, Variant};
use sandboard_tests::{built_in_game, runtime, wasm};

/// The row of a built-in game, and the same row with the rules of its component.
fn rows(id: &str) -> [&'static GameInfo; 2] {
    let built_in = *GAMES.iter().find(|info| info.id == id).expect("a built-in game");
    let bytes = std::fs::read(built_in_game(id)).expect("it can be read");
    let module = JudgeModule::load(runtime(), &bytes).expect("it loads");
    let set_up =
        move |variant: &Variant, position: Option<&str>| module.set_up(built_in, variant, position);
    let component = GameInfo { new: Box::leak(Box::new(set_up)), ..*built_in };
    [built_in, Box::leak(Box::new(component))]
}

/// The start position of a variant in both forms.
fn start(rows: [&'static GameInfo; 2], variant: &Variant, seed: u64) -> [Box<dyn DynGame>; 2] {
    let position = rows[0].deal.map(|deal| deal(variant, seed));
    rows.map(|row| (row.new)(variant, position.as_deref()).expect("the game begins"))
}

/// What a form says about a position.
fn answers(game: &dyn DynGame) -> Vec<(&'static str, String)> {
    let info = game.info();
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let sides = (0..info.sides.len() as u8).map(|side| game.side_name(Side(side)));
    let of_seat = |seat: u8| {
        let mut line = String::new();
        game.write_legal_of(Seat(seat), &mut line);
        line
    };
    vec![
        ("variant", game.variant().text()),
        ("position", game.position()),
        ("next", format!("{:?}", game.next())),
        ("seat to move", format!("{:?}", game.to_move())),
        ("phase", format!("{:?}", game.phase())),
        ("prompt", format!("{:?}", game.prompt())),
        ("sides", sides.collect::<Vec<_>>().join(" ")),
        ("ending", format!("{:?}", game.ending())),
        ("legal moves", legal),
        ("legal moves of seat 0", of_seat(0)),
        ("moves", game.moves().join(" ")),
    ]
}

fn assert_same_answers(games: &[Box<dyn DynGame>; 2]) {
    let [built_in, component] = games;
    let what = format!("{} {}", built_in.variant().text(), built_in.moves().join(" "));
    assert_eq!(answers(&**component), answers(&**built_in), "{what}");
}

/// Plays random games in both forms, with moves taken back and copies in between.
fn check_random_games(id: &str, games: u64) {
    let rows = rows(id);
    for variant in rows[0].variants {
        for seed in 0..games {
            let mut random = SplitMix64::new(seed);
            let mut games = start(rows, &rows[0].variant(variant.id).unwrap(), seed);
            let plan = PlayoutPlan { seed, games: 3, plies_max: 100 };
            assert_eq!(games[1].playouts(&plan), games[0].playouts(&plan), "{id} {}", variant.id);
            for ply in 0..300 {
                assert_same_answers(&games);
                let mut legal = String::new();
                games[0].write_legal(&mut legal);
                let moves: Vec<&str> = legal.split(' ').filter(|mv| !mv.is_empty()).collect();
                if moves.is_empty() || games[0].is_over() {
                    break;
                }
                if ply % 20 == 19 {
                    let back = random.below(5) + 1;
                    assert_eq!(games[0].take_back(back), games[1].take_back(back));
                    assert_same_answers(&games);
                    games = games.map(|game| game.boxed_clone());
                    continue;
                }
                let mv = moves[random.below(moves.len())];
                let [one, other] = games.each_mut().map(|game| game.play(mv));
                assert_eq!(one, other, "{mv}");
                assert!(one.is_ok() || rows[0].adjudicates, "{mv}: {one:?}");
                let wrong = games.each_ref().map(|game| game.canonical("no-move").is_err());
                assert_eq!(wrong, [true, true]);
            }
        }
    }
}

#[test]
fn gomoku_answers_in_the_same_way() {
    check_random_games("gomoku", 2);
}

#[test]
fn reversi_answers_in_the_same_way() {
    check_random_games("reversi", 4);
}

#[test]
fn xiangqi_answers_in_the_same_way() {
    check_random_games("xiangqi", 2);
}

#[test]
fn bridge_answers_in_the_same_way() {
    check_random_games("bridge", 6);
}

#[test]
fn move_sequences_are_counted_equally() {
    let check = |id: &str, variant: &str, depth: u32, expected: Option<u64>| {
        let rows = rows(id);
        let games = start(rows, &rows[0].variant(variant).unwrap(), 1);
        let [built_in, component] = games.map(|game| game.perft(depth));
        assert_eq!(component, built_in, "{id} {variant}, depth {depth}");
        if let Some(expected) = expected {
            assert_eq!(built_in, expected, "{id} {variant}, depth {depth}");
        }
    };
    check("gomoku", "freestyle-7", 3, Some(49 * 48 * 47));
    check("gomoku", "renju", 3, None);
    check("gomoku", "swap2", 3, None);
    // P. Aaron, "Othello Perft", 2009; Chess Programming Wiki, "Chinese Chess Perft Results".
    check("reversi", "standard", 6, Some(8200));
    check("xiangqi", "", 3, Some(79_666));
    check("bridge", "", 4, None);
}

/// The text of a record without times of day and times that were measured.
fn without_times(text: &str) -> String {
    let is_time = |line: &&str| line.contains("\"started_at\"") || line.contains("\"saved_at\"");
    let text = text.lines().filter(|line| !is_time(line)).collect::<Vec<_>>().join("\n");
    ["\"wall_us\": ", "\"cpu_us\": "].iter().fold(text, |text, key| {
        let mut parts = text.split(key);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            text + part.trim_start_matches(|it: char| it.is_ascii_digit() || ", ".contains(it))
        })
    })
}

/// Plays one bout of two engines, whose clocks count fuel, in both forms.
fn check_record(id: &str, variant: &str, engine: &str) {
    let source: Arc<dyn EngineSource> =
        Arc::new(wasm(engine, Metering::Fuel, Caps::default()).expect("it loads"));
    let record = |game: &'static GameInfo| {
        let variant = game.variant(variant).expect("a variant");
        let player = |seats: Vec<u8>| Participant {
            name: format!("player {}", seats[0]),
            seats,
            budget: "fuel:1e7/move".parse().expect("a budget"),
            engine: Some(EnginePlayer::new(source.clone(), engine)),
            ponders: false,
        };
        let position = game.deal.map(|deal| deal(&variant, 7));
        let players = game.seats_of_players(&variant).into_iter().map(player).collect();
        let setup = BoutSetup {
            start: StartPosition::new(game, variant, position),
            seed: 7,
            settings: BoutSettings { plies_max: 60, ..BoutSettings::default() },
            players,
            hint: None,
            output_listener: None,
            destination: RecordDestination::Unsaved,
            resumed_from: None,
        };
        let report = run(setup, None, &mut NullObserver).expect("the bout begins");
        assert!(report.result.is_some(), "the bout ends");
        assert!(report.record.plies.len() >= 8, "{} plies", report.record.plies.len());
        without_times(&String::from_utf8(report.record.to_json()).expect("a record is UTF-8"))
    };
    let [built_in, component] = rows(id).map(record);
    assert_eq!(component, built_in, "{id} {variant}");
}

#[test]
fn records_are_equal_byte_for_byte() {
    check_record("gomoku", "freestyle", "gomoku-simple");
    check_record("gomoku", "swap2", "gomoku-alpha");
    check_record("reversi", "standard", "reversi-simple");
    check_record("xiangqi", "", "xiangqi-mt");
    check_record("bridge", "", "bridge-dd");
}
