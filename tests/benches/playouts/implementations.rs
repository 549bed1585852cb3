//! Players of random games with our rules: compiled into this program, or in a component.

use sandboard_engine_wasm::JudgeModule;
use sandboard_games::{DynGame, GameInfo, PlayoutPlan, Playouts, Variant, playouts_by_text};

use crate::cpu::thread_cpu_s;

/// The longest game, in plies. No game of this bench is longer.
const PLIES_MAX: u32 = 10_000;

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

/// Our rules behind the interface that the host uses.
pub(crate) struct OurRules {
    start: Box<dyn DynGame>,
    playouts: fn(&dyn DynGame, &PlayoutPlan) -> Playouts,
    seed: u64,
}

impl OurRules {
    /// Rules that are compiled into this program.
    pub(crate) fn compiled_in(
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Self {
        let start = (info.new)(variant, position).expect("the game begins");
        Self { start, playouts: |game, plan| game.playouts(plan), seed: 0 }
    }

    /// Rules in a component, which plays the games itself.
    pub(crate) fn plugged_in(
        component: &[u8],
        info: &'static GameInfo,
        variant: &Variant,
        position: Option<&str>,
    ) -> Self {
        let module = JudgeModule::load(sandboard_tests::runtime(), component).expect("it loads");
        let start = module.set_up(info, variant, position).expect("the game begins");
        Self { start, playouts: |game, plan| game.playouts(plan), seed: 0 }
    }

    /// The same rules with a call to list the moves of each ply, and one to play.
    pub(crate) fn with_calls(self) -> Self {
        Self { playouts: |game, plan| playouts_by_text(game, plan), ..self }
    }
}

impl Implementation for OurRules {
    fn play(&mut self, games: u64) -> Measurement {
        let games = u32::try_from(games).expect("fewer games");
        let plan = PlayoutPlan { seed: self.seed, games, plies_max: PLIES_MAX };
        self.seed = self.seed.wrapping_add(games.into());
        let begun = thread_cpu_s();
        let results = (self.playouts)(&*self.start, &plan);
        let cpu_s = thread_cpu_s() - begun;
        assert_eq!(self.start.fault(), None);
        assert!(results.unfinished.is_empty(), "every game ends");
        let scores = results.scores.chunks_exact(self.start.seats().into());
        let sum: f64 = scores.map(|scores| result(self.start.info(), scores)).sum();
        Measurement { cpu_s, mean_result: sum / f64::from(games) }
    }
}

fn result(info: &GameInfo, scores: &[i32]) -> f64 {
    match info.features.chance {
        true => scores[0].into(),
        false => f64::from((scores[0] - scores[1]).signum()),
    }
}
