//! The engine for one game, by a search that is the same for all.

use sandboard_sdk::abi::{Barred, Choice, Description, Limits, Setup};
use sandboard_sdk::games::general::GeneralRules;
use sandboard_sdk::{
    CrateInfo, Engine, GeneralChooser, GeneralEngine, GeneralReply, GeneralTurn, Host, IsMcts,
    ReplaySampler,
};

/// Searches in any game.
struct Searcher<G: GeneralRules>(IsMcts<G>);

impl<G: GeneralRules> Default for Searcher<G> {
    fn default() -> Self {
        Self(IsMcts::default())
    }
}

impl<G: GeneralRules> GeneralChooser for Searcher<G> {
    type Rules = G;
    type Worlds = ReplaySampler<G>;

    fn next_move(&mut self, turn: &mut GeneralTurn<'_, G>) -> GeneralReply<G> {
        self.0.run(turn.task(), turn.worlds, turn.random).into()
    }
}

/// The calls of an [`Engine`] after its start, for an engine whose type is not known.
pub(crate) trait Player: Send {
    fn played(&mut self, mv: &str) -> Result<(), String>;
    fn taken_back(&mut self, plies: u32) -> Result<(), String>;
    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String>;
}

impl<E: Engine> Player for E {
    fn played(&mut self, mv: &str) -> Result<(), String> {
        Engine::played(self, mv)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        Engine::taken_back(self, plies)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        Engine::choose(self, limits, barred)
    }
}

/// Begins a game.
type StartFn = fn(&Setup, Host) -> Result<Box<dyn Player>, String>;

/// A game that the engine plays.
pub(crate) struct GameRow {
    pub(crate) game: &'static str,
    pub(crate) describe: fn(CrateInfo) -> Description,
    pub(crate) start: StartFn,
}

impl GameRow {
    pub(crate) const fn of<G: GeneralRules>() -> Self {
        Self {
            game: G::INFO.id,
            describe: <GeneralEngine<Searcher<G>> as Engine>::describe,
            start: |setup, host| Ok(Box::new(GeneralEngine::<Searcher<G>>::start(setup, host)?)),
        }
    }
}
