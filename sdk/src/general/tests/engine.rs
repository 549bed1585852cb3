//! Tests of the engine over a chooser, with a host that answers for one seat.

use std::sync::{Arc, Mutex};

use sandboard_abi::limits::NO_SEAT;
use sandboard_abi::{Barred, Choice, Decision, Description, Level, Limits, Setup, View};
use sandboard_games::general::{Actor, GeneralGame, Next, Observer, TwoSided};
use sandboard_games::gomoku::{self, Gomoku};
use sandboard_games::{DynGame, Seat, splitmix::SplitMix64};

use super::urn::{self, Urn};
use crate::general::{
    GeneralChooser, GeneralEngine, GeneralReply, GeneralTurn, Knowledge, ReplaySampler,
};
use crate::{CrateInfo, Engine, Host, HostCalls, NewGame, whole_option};

/// A host that answers for one seat of a game, and keeps what the engine logs.
#[derive(Clone)]
struct TestHost {
    seat: Seat,
    game: Arc<Mutex<Box<dyn DynGame>>>,
    log: Arc<Mutex<Vec<String>>>,
}

impl HostCalls for TestHost {
    fn left(&self) -> u64 {
        u64::MAX
    }

    fn log(&self, _level: Level, text: &str) {
        self.log.lock().unwrap().push(text.to_owned());
    }

    fn legal(&self, _moves: &str) -> Result<String, String> {
        let mut text = String::new();
        self.game.lock().unwrap().write_legal_of(self.seat, &mut text);
        Ok(text)
    }

    fn look(&self, _moves: &str) -> Result<View, String> {
        let position = self.game.lock().unwrap().view(Observer::Seat(self.seat));
        Ok(View { position, to_move: NO_SEAT, ending: None })
    }
}

fn setup(game: &str, variant: &str, seat: u8) -> Setup {
    Setup {
        game: game.into(),
        variant: variant.into(),
        start: String::new(),
        moves: String::new(),
        seats: vec![seat],
        seed: 1,
        options: Vec::new(),
        memory_bytes: 0,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// Plays at random and reports nothing. Fails if the turn does not fit together.
#[derive(Default)]
struct AnyMove {
    moves: usize,
}

impl GeneralChooser for AnyMove {
    type Rules = Urn;
    type Worlds = ReplaySampler<Urn>;

    fn next_move(&mut self, turn: &mut GeneralTurn<'_, Urn>) -> GeneralReply<Urn> {
        assert_eq!(turn.knowledge.seen.len(), self.moves);
        assert!(turn.knowledge.fits(turn.world));
        assert_eq!(turn.knowledge.seat_to_move(turn.world), Some(turn.seat));
        let other = turn.worlds.sample(turn.knowledge, turn.random).unwrap();
        assert!(turn.knowledge.fits(&other));
        turn.random_move().map_or(GeneralReply::resign(), GeneralReply::play)
    }

    fn describe(description: &mut Description) {
        description.name = "Any Move".into();
        description.options.push(whole_option("moves", 0..=9, 0, "moves before the start"));
    }

    fn started(&mut self, game: &NewGame<'_, Knowledge<Urn>>) -> Result<(), String> {
        self.moves = game.position.seen.len();
        match game.whole("moves") == self.moves as i64 {
            true => Ok(()),
            false => Err("another number of moves".into()),
        }
    }

    fn played(&mut self, knowledge: &Knowledge<Urn>) {
        self.moves += 1;
        assert_eq!(knowledge.seen.len(), self.moves);
    }
}

/// A game with its engines, one for each seat.
struct Table {
    game: Arc<Mutex<Box<dyn DynGame>>>,
    logs: Arc<Mutex<Vec<String>>>,
    engines: Vec<GeneralEngine<AnyMove>>,
}

impl Table {
    fn new() -> Self {
        let game = GeneralGame::<Urn>::set_up(&urn::INFO.default_variant(), None).unwrap();
        let (game, log) = (Arc::new(Mutex::new(game)), Arc::new(Mutex::new(Vec::new())));
        let engine = |seat: u8| {
            let host =
                TestHost { seat: Seat(seat), game: Arc::clone(&game), log: Arc::clone(&log) };
            GeneralEngine::start(&setup("urn", "", seat), Host::new(host)).unwrap()
        };
        let engines = (0..3).map(engine).collect();
        Self { game, logs: log, engines }
    }

    /// Plays the moves of a step, and then shows them to all.
    fn play(&mut self, moves: &[String]) {
        let mut game = self.game.lock().unwrap();
        let (before, next) = (game.boxed_clone(), game.next());
        let actors: Vec<Actor> = match next {
            Next::Chance => vec![Actor::Chance],
            next => next.seats().iter().map(Actor::Seat).collect(),
        };
        moves.iter().for_each(|mv| drop(game.play(mv).unwrap()));
        drop(game);
        for (actor, mv) in actors.into_iter().zip(moves) {
            for (seat, engine) in (0..).zip(&mut self.engines) {
                if let Some(text) = before.seen(Observer::Seat(Seat(seat)), actor, mv) {
                    engine.played(&text).unwrap();
                }
            }
        }
    }

    fn choose(&mut self, seat: Seat, barred: &[&str]) -> Result<Choice, String> {
        let bar = |mv: &&str| Barred { r#move: (*mv).to_owned(), reason: String::new() };
        let barred: Vec<Barred> = barred.iter().map(bar).collect();
        self.engines[usize::from(seat.0)].choose(&Limits::default(), &barred)
    }
}

#[test]
fn engines_play_by_views_to_the_end() {
    for seed in 0..20 {
        let mut table = Table::new();
        let mut random = SplitMix64::new(seed);
        loop {
            let (next, chance) = {
                let game = table.game.lock().unwrap();
                (game.next(), game.chance())
            };
            let step = match next {
                Next::Over => break,
                Next::Chance => vec![chance[random.below(chance.len())].0.clone()],
                Next::Seats(seats) => {
                    let choose = |seat| match table.choose(seat, &[]).unwrap().decision {
                        Decision::Play(text) => text,
                        other => panic!("{other:?}"),
                    };
                    seats.iter().map(choose).collect()
                }
            };
            table.play(&step);
        }
        assert!(table.logs.lock().unwrap().is_empty());
    }
}

#[test]
fn barred_moves_are_left_out() {
    let mut table = Table::new();
    ["2", "0", "4"].iter().for_each(|ball| table.play(&[(*ball).to_owned()]));
    let check = |table: &mut Table, barred: &[&str], expected: Decision| {
        for _ in 0..10 {
            assert_eq!(table.choose(Seat(1), barred).unwrap().decision, expected);
        }
    };
    check(&mut table, &["a"], Decision::Play("b".into()));
    check(&mut table, &["b", "x"], Decision::Play("a".into()));
    check(&mut table, &["a", "b"], Decision::Resign);
}

#[test]
fn without_a_world_it_plays_a_move_of_the_host() {
    let mut table = Table::new();
    ["2", "0", "4"].iter().for_each(|ball| table.play(&[(*ball).to_owned()]));
    // A text that no move has.
    table.engines[1].played("x").unwrap();
    let choice = table.choose(Seat(1), &["a"]).unwrap();
    assert_eq!(choice.decision, Decision::Play("b".into()));
    let log = table.logs.lock().unwrap().clone();
    assert_eq!(log, ["plays a random move: no position fits the 3 plies that it saw"]);
    assert_eq!(table.choose(Seat(1), &["a", "b"]), Err("every legal move is barred".into()));
}

#[test]
fn invalid_setups_are_refused() {
    let check = |change: fn(&mut Setup), expected: Result<(), &str>| {
        let mut setup = setup("urn", "", 0);
        change(&mut setup);
        let started = GeneralEngine::<AnyMove>::start(&setup, Host::null());
        assert_eq!(started.map(drop), expected.map_err(str::to_owned));
    };
    check(|_| (), Ok(()));
    check(|setup| setup.game = "chess".into(), Err("plays urn, not chess"));
    check(|setup| setup.seats.clear(), Err("has no seat in the game"));
    check(|setup| setup.options = vec![("x".into(), "1".into())], Err("has no option `x`"));
    check(
        |setup| setup.options = vec![("moves".into(), "10".into())],
        Err("option `moves`: `10` is not a whole number from 0 to 9"),
    );
    check(|setup| setup.moves = "2 ?".into(), Err("another number of moves"));
    check(
        |setup| {
            setup.moves = "2 ?".into();
            setup.options = vec![("moves".into(), "2".into())];
        },
        Ok(()),
    );
    // What the seat sees of a position need not be a position.
    check(|setup| setup.start = "?".into(), Ok(()));
}

#[test]
fn the_description_has_the_game() {
    let crate_info = CrateInfo { name: "any", version: "1", authors: "A:B" };
    let description = <GeneralEngine<AnyMove> as Engine>::describe(crate_info);
    assert_eq!((description.id.as_str(), description.author.as_str()), ("any", "A, B"));
    assert_eq!(description.name, "Any Move");
    assert_eq!(description.games[0].variants, ["standard"]);
}

/// Plays the first legal move of gomoku.
#[derive(Default)]
struct First;

impl GeneralChooser for First {
    type Rules = TwoSided<Gomoku>;
    type Worlds = ReplaySampler<TwoSided<Gomoku>>;

    fn next_move(
        &mut self,
        turn: &mut GeneralTurn<'_, TwoSided<Gomoku>>,
    ) -> GeneralReply<TwoSided<Gomoku>> {
        turn.legal_moves().first().map_or(GeneralReply::resign(), |mv| GeneralReply::play(*mv))
    }
}

#[test]
fn moves_of_games_of_perfect_information_can_be_taken_back() {
    let variant = gomoku::INFO.variant("freestyle-5").unwrap();
    let game = (gomoku::INFO.new)(&variant, None).unwrap();
    let game = Arc::new(Mutex::new(game));
    let host = TestHost { seat: Seat(0), game: Arc::clone(&game), log: Arc::default() };
    let setup = setup("gomoku", "freestyle-5", 0);
    let mut engine = GeneralEngine::<First>::start(&setup, Host::new(host)).unwrap();
    let check = |engine: &mut GeneralEngine<First>, expected: &str| {
        let choice = engine.choose(&Limits::default(), &[]).unwrap();
        assert_eq!(choice.decision, Decision::Play(expected.into()));
    };
    check(&mut engine, "a1");
    for mv in ["a1", "b1"] {
        game.lock().unwrap().play(mv).unwrap();
        engine.played(mv).unwrap();
    }
    check(&mut engine, "c1");
    game.lock().unwrap().take_back(2);
    engine.taken_back(2).unwrap();
    check(&mut engine, "a1");
    for mv in ["c1", "a1"] {
        game.lock().unwrap().play(mv).unwrap();
        engine.played(mv).unwrap();
    }
    check(&mut engine, "b1");
    assert_eq!(engine.taken_back(3), Err("cannot take back 3 plies of a game of 2".into()));
    let mut hidden = Table::new();
    let refused = Err("cannot take back moves of urn, which has chance or hides something".into());
    assert_eq!(hidden.engines[0].taken_back(0), refused);
}
