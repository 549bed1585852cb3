//! Players of random games with our rules: compiled into this program, or in a component.

use sandboard_engine_wasm::JudgeModule;
use sandboard_games::general::{GeneralRules, Next, draw};
use sandboard_games::splitmix::SplitMix64;
use sandboard_games::{DynGame, Ending, GameInfo, MoveSet, Rules, Variant};

use crate::cpu::thread_cpu_s;

const SEED: u64 = 1;

/// Plays random games: every legal move has the same probability.
pub(crate) trait Implementation {
    /// Plays a number of whole games.
    fn play(&mut self, games: u64) -> Measurement;
}

/// The cost and the result of some games.
pub(crate) struct Measurement {
    /// The CPU time of all games, in seconds.
    pub(crate) cpu_s: f64,
    /// The mean result of seat 0: the score where scores are chips, else 1 for a win and -1 for a
    /// loss.
    pub(crate) mean_result: f64,
}

/// Plays games one by one, and measures the CPU time of this thread.
fn play(games: u64, mut result_of_game: impl FnMut() -> f64) -> Measurement {
    let begun = thread_cpu_s();
    let sum: f64 = (0..games).map(|_| result_of_game()).sum();
    Measurement { cpu_s: thread_cpu_s() - begun, mean_result: sum / games as f64 }
}

fn result(info: &GameInfo, ending: &Ending) -> f64 {
    let score = f64::from(ending.scores[0]);
    match info.features.chance {
        true => score,
        false => result_of(score - f64::from(ending.scores[1])),
    }
}

/// 1 for a win, 0 for a draw, -1 for a loss; `signum` of 0 is 1.
fn result_of(margin: f64) -> f64 {
    if margin == 0.0 { 0.0 } else { margin.signum() }
}

/// Rules of a two-sided game that are compiled into this program.
pub(crate) struct CompiledRules<R: Rules> {
    start: R,
    random: SplitMix64,
    moves: Vec<R::Move>,
}

impl<R: Rules> CompiledRules<R> {
    pub(crate) fn new(start: R) -> Self {
        Self { start, random: SplitMix64::new(SEED), moves: Vec::new() }
    }

    fn game(&mut self) -> f64 {
        let mut position = self.start.clone();
        loop {
            if let Some(outcome) = position.outcome() {
                let [first, second] = position.side_scores(&outcome);
                return result_of(f64::from(first - second));
            }
            self.moves.clear();
            position.generate(MoveSet::All, &mut self.moves);
            let mv = loop {
                let mv = self.moves.swap_remove(self.random.below(self.moves.len()));
                if position.is_legal(mv) {
                    break mv;
                }
            };
            position.make(mv);
        }
    }
}

impl<R: Rules> Implementation for CompiledRules<R> {
    fn play(&mut self, games: u64) -> Measurement {
        play(games, || self.game())
    }
}

/// Rules of any kind that are compiled into this program.
pub(crate) struct CompiledGeneralRules<G: GeneralRules> {
    start: G,
    random: SplitMix64,
    moves: Vec<G::Move>,
    outcomes: Vec<(G::Move, u32)>,
}

impl<G: GeneralRules> CompiledGeneralRules<G> {
    pub(crate) fn new(start: G) -> Self {
        let random = SplitMix64::new(SEED);
        Self { start, random, moves: Vec::new(), outcomes: Vec::new() }
    }

    fn game(&mut self) -> f64 {
        let mut position = self.start.clone();
        loop {
            let next = position.next();
            let (actor, mv) = match (next, next.first()) {
                (Next::Seats(seats), Some(actor)) => {
                    self.moves.clear();
                    let seat = seats.iter().next().expect("a seat is to move");
                    position.generate(seat, &mut self.moves);
                    (actor, &self.moves[self.random.below(self.moves.len())])
                }
                (Next::Chance, Some(actor)) => {
                    self.outcomes.clear();
                    position.chance(&mut self.outcomes);
                    (actor, draw(&self.outcomes, &mut self.random).expect("there are outcomes"))
                }
                _ => return result(G::INFO, &position.ending().expect("the game is over")),
            };
            position.play(actor, mv);
        }
    }
}

impl<G: GeneralRules> Implementation for CompiledGeneralRules<G> {
    fn play(&mut self, games: u64) -> Measurement {
        play(games, || self.game())
    }
}

/// Rules in a component, behind the interface that the referee uses.
pub(crate) struct ComponentRules {
    start: Box<dyn DynGame>,
    random: SplitMix64,
    moves: String,
}

impl ComponentRules {
    pub(crate) fn new(
        component: &[u8],
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Self {
        let module = JudgeModule::load(sandboard_tests::runtime(), component).expect("it loads");
        let start = module.set_up(info, variant, position).expect("the game begins");
        Self { start, random: SplitMix64::new(SEED), moves: String::new() }
    }

    fn game(&mut self) -> f64 {
        let mut game = self.start.boxed_clone();
        loop {
            match game.next() {
                Next::Seats(_) => {
                    self.moves.clear();
                    game.write_legal(&mut self.moves);
                    let count = self.moves.bytes().filter(|byte| *byte == b' ').count() + 1;
                    let chosen = self.moves.split(' ').nth(self.random.below(count));
                    game.play(chosen.expect("a legal move")).expect("it is legal");
                }
                Next::Chance => {
                    let outcomes = game.chance();
                    let chosen = draw(&outcomes, &mut self.random).expect("there are outcomes");
                    game.play(chosen).expect("it is legal");
                }
                Next::Over => {
                    let ending = game.ending().expect("the game is over");
                    return result(game.info(), &ending);
                }
            }
        }
    }
}

impl Implementation for ComponentRules {
    fn play(&mut self, games: u64) -> Measurement {
        play(games, || self.game())
    }
}
