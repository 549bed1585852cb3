//! The state of a session: the game, the engine's description, and the values of its options.

use sandboard_abi::{Barred, Choice, Decision, Limits, OptionSpec};
use sandboard_games::{DynGame, GameInfo, Variant};

use super::SearchRequest;
use sandboard_bout::query::checked_move;
use sandboard_engine::Fault;
use sandboard_protocols::Dialect;

/// The engine as it is presented to the other program.
#[derive(Clone, Debug)]
pub struct EngineInfo {
    /// The engine's name.
    pub name: String,
    /// The engine's version; may be empty.
    pub version: String,
    /// The engine's author; may be empty.
    pub author: String,
    /// The game of the session.
    pub game: &'static GameInfo,
    /// The variant, unless the other program chooses one.
    pub variant: Variant,
    /// The variants that the engine declares.
    pub variants: Vec<String>,
    /// The engine's options.
    pub options: Vec<OptionSpec>,
    /// The initial values of options that differ from their defaults.
    pub initial_options: Vec<(String, String)>,
    /// The other program's notation of moves.
    pub dialect: Dialect,
    /// The limits of a search that the other program does not limit.
    pub default_limits: Limits,
    /// The reserve kept from every time limit for communication, in microseconds.
    pub overhead_us: u64,
}

impl EngineInfo {
    /// Whether the engine plays this variant.
    pub fn plays(&self, variant: &Variant) -> bool {
        self.variants.iter().any(|declared| self.game.covers(declared, variant))
    }

    /// These limits, or the defaults if they limit nothing.
    pub(super) fn or_default_limits(&self, limits: Limits) -> Limits {
        let Limits { call_max, game_left, depth, nodes, .. } = &limits;
        let is_limited = call_max.or(*game_left).or(*nodes).is_some() || depth.is_some();
        if is_limited { limits } else { self.default_limits.clone() }
    }

    /// A time in milliseconds, less the reserve, in microseconds; at least 1 ms.
    pub fn time_us(&self, ms: u64) -> u64 {
        ms.saturating_mul(1000).saturating_sub(self.overhead_us).max(1000)
    }
}

/// How long an engine may exceed a limit before it is killed, in microseconds. The other program
/// enforces the time; this is only for engines that never answer.
pub(super) const GRACE_US: u64 = 10_000_000;

/// The game and the options of a session.
pub(super) struct GameState {
    pub(super) engine_info: EngineInfo,
    pub(super) game: Box<dyn DynGame>,
    start: String,
    number: u64,
    /// Whether a search of this game was requested.
    is_searched: bool,
    options: Vec<(String, String)>,
    barred: Vec<Barred>,
}

/// The engine's decision, checked by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CheckedDecision {
    /// A legal move.
    Play(String),
    Resign,
    AcceptDraw,
}

impl GameState {
    pub(super) fn new(engine_info: EngineInfo) -> Result<Self, String> {
        let game = (engine_info.game.new)(&engine_info.variant, None)
            .map_err(|error| error.to_string())?;
        let options = engine_info.initial_options.clone();
        let (start, barred) = (String::new(), Vec::new());
        Ok(Self { engine_info, game, start, number: 0, is_searched: false, options, barred })
    }

    /// Starts a new game. An instance that was prepared but has not searched is used for it.
    pub(super) fn new_game(&mut self) {
        self.number += u64::from(std::mem::take(&mut self.is_searched));
    }

    /// Sets up a start position; empty: that of the variant. Err: the reason; nothing has changed.
    pub(super) fn set_up(&mut self, variant: &Variant, start: &str) -> Result<(), String> {
        if !self.engine_info.plays(variant) {
            let known = self.engine_info.variants.join(", ");
            return Err(format!("the engine does not play {}; it plays {known}", variant.text()));
        }
        let text = (!start.is_empty()).then_some(start);
        self.game =
            (self.engine_info.game.new)(variant, text).map_err(|error| error.to_string())?;
        start.clone_into(&mut self.start);
        Ok(())
    }

    /// A copy of the game, for `restore`.
    pub(super) fn snapshot(&self) -> (Box<dyn DynGame>, String) {
        (self.game.boxed_clone(), self.start.clone())
    }

    /// Restores a copy.
    pub(super) fn restore(&mut self, (game, start): (Box<dyn DynGame>, String)) {
        (self.game, self.start) = (game, start);
    }

    /// Continues a game that our rules have ended because of earlier moves, which other programs
    /// may ignore: restarts it in its position. A game that ended by the position itself is not
    /// changed.
    pub(super) fn restart_if_over(&mut self) {
        if !self.game.is_over() {
            return;
        }
        let restarted = self.game.without_history();
        if !restarted.is_over() {
            self.start = restarted.position();
            self.game = restarted;
        }
    }

    /// Resets the game to the start of its variant.
    pub(super) fn clear(&mut self) -> Result<(), String> {
        let variant = self.game.variant();
        self.set_up(&variant, "")
    }

    /// Plays a move. Err: the reason; nothing has changed.
    pub(super) fn play(&mut self, mv: &str) -> Result<String, String> {
        self.game.play(mv).map_err(|refusal| refusal.to_string())
    }

    /// The legal moves of the position.
    pub(super) fn legal(&self) -> Vec<String> {
        let mut line = String::new();
        self.game.write_legal(&mut line);
        line.split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// A search request for the current position, without these moves.
    pub(super) fn search_request(
        &mut self,
        limits: Limits,
        barred: Vec<String>,
    ) -> Box<SearchRequest> {
        let excluded = |mv| Barred { r#move: mv, reason: "excluded".into() };
        self.barred = barred.into_iter().map(excluded).collect();
        self.is_searched = true;
        self.make_request(limits)
    }

    /// A request to prepare the engine for the current position.
    pub(super) fn prepare_request(&self) -> Box<SearchRequest> {
        self.make_request(Limits::default())
    }

    fn make_request(&self, limits: Limits) -> Box<SearchRequest> {
        Box::new(SearchRequest {
            game: self.number,
            variant: self.game.variant().text(),
            start: self.start.clone(),
            moves: self.game.moves(),
            seats: (0..self.game.seats()).collect(),
            options: self.options.clone(),
            limits: Limits { grace: GRACE_US, ..limits },
            barred: self.barred.clone(),
        })
    }

    /// Checks the answer to the last request.
    pub(super) fn check_answer(&self, choice: &Choice) -> Result<CheckedDecision, Fault> {
        if choice.decision == Decision::AcceptDraw {
            return Ok(CheckedDecision::AcceptDraw);
        }
        let mv = checked_move(self.game.as_ref(), choice, &self.barred)?;
        Ok(mv.map_or(CheckedDecision::Resign, CheckedDecision::Play))
    }

    /// Sets an option; letter case of the name is ignored. Err: the reason.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_it = |spec: &&OptionSpec| spec.name.eq_ignore_ascii_case(name);
        let Some(spec) = self.engine_info.options.iter().find(is_it) else {
            let names: Vec<&str> =
                self.engine_info.options.iter().map(|spec| spec.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("unknown option `{name}`; known options: {known}"));
        };
        spec.kind.check(value).map_err(|why| format!("option `{}`: {why}", spec.name))?;
        self.options.retain(|(set, _)| *set != spec.name);
        if spec.initial != value {
            self.options.push((spec.name.clone(), value.to_owned()));
        }
        Ok(())
    }

    /// The current value of an option.
    pub(super) fn value<'a>(&'a self, spec: &'a OptionSpec) -> &'a str {
        let set = self.options.iter().find(|(name, _)| *name == spec.name);
        set.map_or(&spec.initial, |(_, value)| value)
    }
}
