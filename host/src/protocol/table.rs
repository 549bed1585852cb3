//! What every session has before it: the game as it stands, and the engine's options as they are set.

use sandboard_abi::{Barred, Choice, Decision, Limits, OptionSpec};
use sandboard_games::{DynGame, GameInfo, Variant};

use super::Question;
use crate::ask::checked;
use crate::engine::Fault;
use crate::process::Dialect;

/// Who sits at the table: an engine as it is offered to the other program.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name for people, and its version.
    pub name: String,
    /// Its version, in its own scheme; empty: it says none.
    pub version: String,
    /// Who wrote it; empty: it says nobody.
    pub author: String,
    /// The game that is played.
    pub game: &'static GameInfo,
    /// The variant that is played unless something else is said.
    pub variant: Variant,
    /// The variants that it plays, as it declares them.
    pub variants: Vec<String>,
    /// What can be set.
    pub options: Vec<OptionSpec>,
    /// What is set to begin with.
    pub set: Vec<(String, String)>,
    /// How the other program writes moves.
    pub dialect: Dialect,
    /// What a search may spend that the other program does not limit.
    pub usual: Limits,
    /// What is kept back of every limit of time for the way to the other program, in microseconds.
    pub overhead_us: u64,
}

impl Offer {
    /// Whether it plays this variant.
    pub fn plays(&self, variant: &Variant) -> bool {
        self.variants.iter().any(|declared| self.game.covers(declared, variant))
    }

    /// These limits, or the usual ones where they limit nothing.
    pub(super) fn or_usual(&self, limits: Limits) -> Limits {
        let Limits { call_max, game_left, depth, nodes, .. } = &limits;
        let is_limited = call_max.or(*game_left).or(*nodes).is_some() || depth.is_some();
        if is_limited { limits } else { self.usual.clone() }
    }

    /// What is left of so many milliseconds, in microseconds; never nothing.
    pub fn time_us(&self, ms: u64) -> u64 {
        ms.saturating_mul(1000).saturating_sub(self.overhead_us).max(1000)
    }
}

/// How long an engine may overrun a limit before it is killed, in microseconds: the other program keeps the time, and this is
/// for engines that never come back.
pub(super) const GRACE_US: u64 = 10_000_000;

/// The game as it stands.
pub(super) struct Table {
    pub(super) offer: Offer,
    pub(super) game: Box<dyn DynGame>,
    start: String,
    number: u64,
    /// Whether the engine was asked about the game of this number.
    is_asked: bool,
    options: Vec<(String, String)>,
    barred: Vec<Barred>,
}

/// What an engine has decided, as far as rules have looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// A legal move.
    Play(String),
    Resign,
    AcceptDraw,
}

impl Table {
    pub(super) fn new(offer: Offer) -> Result<Self, String> {
        let game = (offer.game.new)(&offer.variant, None).map_err(|error| error.to_string())?;
        let options = offer.set.clone();
        let (start, barred) = (String::new(), Vec::new());
        Ok(Self { offer, game, start, number: 0, is_asked: false, options, barred })
    }

    /// From now on another game is meant. An instance that was made ready and not asked is as good for that one.
    pub(super) fn new_game(&mut self) {
        self.number += u64::from(std::mem::take(&mut self.is_asked));
    }

    /// The game begins here; empty: as the variant does. Err: why not, and nothing has changed.
    pub(super) fn set_up(&mut self, variant: &Variant, start: &str) -> Result<(), String> {
        if !self.offer.plays(variant) {
            let known = self.offer.variants.join(", ");
            return Err(format!("the engine does not play {}; it plays {known}", variant.text()));
        }
        let text = (!start.is_empty()).then_some(start);
        self.game = (self.offer.game.new)(variant, text).map_err(|error| error.to_string())?;
        start.clone_into(&mut self.start);
        Ok(())
    }

    /// The game as it stands, to be gone back to.
    pub(super) fn saved(&self) -> (Box<dyn DynGame>, String) {
        (self.game.boxed_clone(), self.start.clone())
    }

    /// Goes back to what was saved.
    pub(super) fn restore(&mut self, (game, start): (Box<dyn DynGame>, String)) {
        (self.game, self.start) = (game, start);
    }

    /// Has a game go on that our rules have ended by what was played before, which other programs may not look at: it begins
    /// anew in its position. One that the position itself has ended stays as it is.
    pub(super) fn revive(&mut self) {
        if self.game.outcome().is_none() {
            return;
        }
        let anew = self.game.anew();
        if anew.outcome().is_none() {
            self.start = anew.position();
            self.game = anew;
        }
    }

    /// The same variant from its own start.
    pub(super) fn clear(&mut self) -> Result<(), String> {
        let variant = self.game.variant();
        self.set_up(&variant, "")
    }

    /// Plays a move. Err: why it is none, and nothing has changed.
    pub(super) fn play(&mut self, mv: &str) -> Result<String, String> {
        self.game.play(mv).map_err(|refusal| refusal.to_string())
    }

    /// The legal moves.
    pub(super) fn legal(&self) -> Vec<String> {
        let mut line = String::new();
        self.game.write_legal(&mut line);
        line.split_ascii_whitespace().map(str::to_owned).collect()
    }

    /// The question about the position as it stands, these moves excepted.
    pub(super) fn question(&mut self, limits: Limits, barred: Vec<String>) -> Box<Question> {
        let excluded = |mv| Barred { r#move: mv, reason: "excluded".into() };
        self.barred = barred.into_iter().map(excluded).collect();
        self.is_asked = true;
        self.position(limits)
    }

    /// The question for which an engine is made ready in the position as it stands, before anything is asked.
    pub(super) fn readiness(&self) -> Box<Question> {
        self.position(Limits::default())
    }

    fn position(&self, limits: Limits) -> Box<Question> {
        Box::new(Question {
            game: self.number,
            variant: self.game.variant().text(),
            start: self.start.clone(),
            moves: self.game.moves(),
            seats: (0..self.offer.game.seats).collect(),
            options: self.options.clone(),
            limits: Limits { grace: GRACE_US, ..limits },
            barred: self.barred.clone(),
        })
    }

    /// What the answer to the last question comes to.
    pub(super) fn decided(&self, choice: &Choice) -> Result<Decided, Fault> {
        if choice.decision == Decision::AcceptDraw {
            return Ok(Decided::AcceptDraw);
        }
        let mv = checked(self.game.as_ref(), choice, &self.barred)?;
        Ok(mv.map_or(Decided::Resign, Decided::Play))
    }

    /// Sets an option, by its name in any case of letters. Err: what is wrong with it.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_it = |spec: &&OptionSpec| spec.name.eq_ignore_ascii_case(name);
        let Some(spec) = self.offer.options.iter().find(is_it) else {
            let names: Vec<&str> =
                self.offer.options.iter().map(|spec| spec.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("there is no option `{name}`; there is {known}"));
        };
        spec.kind.check(value).map_err(|why| format!("option `{}`: {why}", spec.name))?;
        self.options.retain(|(set, _)| *set != spec.name);
        if spec.initial != value {
            self.options.push((spec.name.clone(), value.to_owned()));
        }
        Ok(())
    }

    /// The value of an option now.
    pub(super) fn value<'a>(&'a self, spec: &'a OptionSpec) -> &'a str {
        let set = self.options.iter().find(|(name, _)| *name == spec.name);
        set.map_or(&spec.initial, |(_, value)| value)
    }
}
