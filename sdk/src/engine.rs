//! The ABI as a Rust trait, and [`BaseEngine`], which implements it for a [`Chooser`].
//! Searches nothing itself, and reads no clock but the host's.

use std::fmt;
use std::sync::Arc;

use sandboard_abi::{
    Abilities, Barred, Choice, Decision, Description, GameSpec, Limits, Line, OptionSpec, Setup,
    Unit,
};
use sandboard_games::{GameInfo, Phase, Rules};

use crate::chooser::{Chooser, NewGame, ReplyDecision, Turn};
use crate::host::{Host, Team};
use crate::ponder::{ClockMonitor, ExpectedMoves, MonitoredHost, PonderHost};
use crate::random::Random;

/// The six calls of the ABI.
///
/// `export_engine!` makes a native library and a wasm component of any type that implements it.
/// Nearly every engine gets it from [`BaseEngine`]. An `Err` is a fault with that text. The trait
/// needs `Send`, since a host may make the calls from different threads.
///
/// An engine that adds something to every call wraps a `BaseEngine`:
///
/// ```
/// use sandboard_sdk::abi::{Barred, Choice, Description, Level, Limits, Setup};
/// use sandboard_sdk::{BaseEngine, Chooser, CrateInfo, Engine, Host};
///
/// /// Logs how much is left at each choice, and lets `C` choose.
/// struct Logging<C: Chooser>(BaseEngine<C>, Host);
///
/// impl<C: Chooser> Engine for Logging<C> {
///     fn describe(crate_info: CrateInfo) -> Description {
///         <BaseEngine<C> as Engine>::describe(crate_info)
///     }
///
///     fn start(setup: &Setup, host: Host) -> Result<Self, String> {
///         Ok(Self(BaseEngine::start(setup, host.clone())?, host))
///     }
///
///     fn played(&mut self, mv: &str) -> Result<(), String> {
///         self.0.played(mv)
///     }
///
///     fn taken_back(&mut self, plies: u32) -> Result<(), String> {
///         self.0.taken_back(plies)
///     }
///
///     fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
///         self.1.log(Level::Info, &format!("{} left", self.1.left()));
///         self.0.choose(limits, barred)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is exported as a whole engine, but does not implement `Engine`",
    label = "`Engine` is not implemented for `{Self}`",
    note = "if `{Self}` implements `Chooser`, leave the word `engine` out: `export_engine!({Self})`"
)]
pub trait Engine: Sized + Send + 'static {
    /// The engine's description; the same at every call.
    fn describe(crate_info: CrateInfo) -> Description;
    /// Begins a game.
    fn start(setup: &Setup, host: Host) -> Result<Self, String>;
    /// The referee has accepted a move of any seat, the engine's own included.
    fn played(&mut self, mv: &str) -> Result<(), String>;
    /// Takes back the last `plies` moves.
    fn taken_back(&mut self, plies: u32) -> Result<(), String>;
    /// Chooses the next move.
    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String>;
    /// Thinks on the opponent's time, or helps the instance that chooses, until the host's
    /// `left()` is 0.
    fn think(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// Cargo's metadata of the engine's crate; `export_engine!` fills it in.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrateInfo {
    /// The package's name: the default of the engine's id.
    pub name: &'static str,
    /// The package's version.
    pub version: &'static str,
    /// The package's authors, separated by colons.
    pub authors: &'static str,
}

/// The whole ABI over a [`Chooser`]: keeps the position, the history, the options and the seed,
/// and checks the host's input.
pub struct BaseEngine<C: Chooser> {
    chooser: C,
    position: C::Rules,
    history: Vec<<C::Rules as Rules>::Undo>,
    host: Host,
    monitor: Arc<ClockMonitor>,
    seats: Vec<u8>,
    expected_moves: ExpectedMoves,
    /// Whether the engine has made no choice yet.
    is_first_choice: bool,
    random: Random,
    barred: Vec<<C::Rules as Rules>::Move>,
    moves: Vec<<C::Rules as Rules>::Move>,
}

/// The description of an engine for all variants of a game, by its crate.
pub(crate) fn description_of(crate_info: CrateInfo, info: &GameInfo) -> Description {
    let variants = info.variants.iter().map(|variant| variant.id.to_owned()).collect();
    Description {
        id: crate_info.name.to_owned(),
        name: crate_info.name.to_owned(),
        author: crate_info.authors.replace(':', ", "),
        version: crate_info.version.to_owned(),
        games: vec![GameSpec { game: info.id.to_owned(), variants }],
        ..Description::default()
    }
}

impl<C: Chooser> BaseEngine<C> {
    fn description(crate_info: CrateInfo) -> Description {
        let mut description = Description {
            abilities: Abilities { ponders: true, ..Abilities::default() },
            ..description_of(crate_info, C::Rules::INFO)
        };
        C::describe(&mut description);
        description
    }

    /// Helps the instance that chooses, if it is choosing now: chooses in the same position, so
    /// that a [`Search`](crate::Search) shares what it finds, and drops the choice. A level of
    /// limited strength does not help, since help would make it stronger.
    fn help(&mut self) {
        let position = &self.position;
        let chooses = self.seats.contains(&position.to_move().0) && position.outcome().is_none();
        if chooses && position.phase() == Phase::Play && self.chooser.ponders() {
            self.chooser.next_move(&mut Turn {
                position,
                limits: &Limits::default(),
                barred: &[],
                host: &self.host,
                random: &mut Random::seeded(0),
                moves: &mut self.moves,
            });
        }
    }

    fn play_moves(&mut self, moves: &str) -> Result<(), String> {
        for text in moves.split_ascii_whitespace() {
            let (_, undo) = self.position.play(text).map_err(|refusal| refusal.to_string())?;
            self.history.push(undo);
        }
        Ok(())
    }
}

impl<C: Chooser> Engine for BaseEngine<C> {
    fn describe(crate_info: CrateInfo) -> Description {
        Self::description(crate_info)
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let options = Self::description(CrateInfo::default()).options;
        check_options(&options, &setup.options)?;
        let position = start_position::<C::Rules>(setup)?;
        let monitor = ClockMonitor::new(host);
        let host = Host::new(MonitoredHost(monitor.clone())).in_team(Team::of(setup));
        let mut engine = Self {
            chooser: C::default(),
            position,
            history: Vec::new(),
            host,
            monitor,
            seats: setup.seats.clone(),
            expected_moves: ExpectedMoves::default(),
            is_first_choice: true,
            random: Random::seeded(setup.seed),
            barred: Vec::new(),
            moves: Vec::new(),
        };
        engine.play_moves(&setup.moves)?;
        engine.chooser.started(&NewGame {
            setup,
            position: &engine.position,
            host: &engine.host,
            options: &options,
        })?;
        Ok(engine)
    }

    fn played(&mut self, text: &str) -> Result<(), String> {
        let (mv, undo) = self.position.play(text).map_err(|refusal| refusal.to_string())?;
        self.history.push(undo);
        self.expected_moves.played(text);
        self.chooser.played(&self.position, mv);
        Ok(())
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        let count = plies as usize;
        if count > self.history.len() {
            return Err(format!(
                "cannot take back {plies} plies of a game of {}",
                self.history.len()
            ));
        }
        for undo in self.history.drain(self.history.len() - count..).rev() {
            self.position.unmake(undo);
        }
        self.expected_moves.clear();
        self.chooser.taken_back(&self.position, plies);
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        self.barred.clear();
        self.barred.extend(barred.iter().filter_map(|b| self.position.parse_move(&b.r#move).ok()));
        let mut turn = Turn {
            position: &self.position,
            limits,
            barred: &self.barred,
            host: &self.host,
            random: &mut self.random,
            moves: &mut self.moves,
        };
        // Finding a fallback move takes time: only where time can run out, and not for an engine
        // that never reads the clock.
        let may_overrun = limits.unit != Unit::Unlimited;
        let may_read_clock =
            std::mem::take(&mut self.is_first_choice) || self.monitor.has_read_clock();
        let fallback = (may_overrun && may_read_clock).then(|| turn.first_move()).flatten();
        self.monitor.begin_choice(fallback);
        let decide = match self.position.phase() {
            Phase::Play => C::next_move,
            Phase::Opening => C::opening,
            Phase::Swap => C::swap,
            Phase::Announce => C::announce,
            Phase::Offer => C::offer,
            Phase::Pick => C::pick,
        };
        let reply = decide(&mut self.chooser, &mut turn);
        let reported_only_fallback = self.monitor.end_choice();
        self.expected_moves.set_from(reply.line.as_ref());
        let decision = match reply.decision {
            ReplyDecision::Play(mv) => {
                let mut text = String::new();
                self.position.write_move(mv, &mut text);
                Decision::Play(text)
            }
            ReplyDecision::Resign => Decision::Resign,
            ReplyDecision::AcceptDraw => Decision::AcceptDraw,
        };
        let line = match &decision {
            // Otherwise the last report is the fallback move, which may be another move.
            Decision::Play(text) if reported_only_fallback && reply.line.is_none() => {
                Some(Line { rank: 1, moves: text.clone(), ..Line::default() })
            }
            _ => reply.line,
        };
        Ok(Choice { decision, offers_draw: reply.offers_draw, line })
    }

    fn think(&mut self) -> Result<(), String> {
        if self.host.team().helper > 0 {
            self.help();
        } else if self.chooser.ponders() {
            let (position, moves) = self.expected_moves.next_own_turn(&self.position, &self.seats);
            if position.phase() != Phase::Play || position.outcome().is_some() {
                return Ok(());
            }
            let reads_clock = self.monitor.has_read_clock();
            let host = Host::new(PonderHost { host: self.host.clone(), moves });
            self.chooser.ponder(&position, &host.with_clock_reader(reads_clock));
        }
        Ok(())
    }
}

impl<C: Chooser> fmt::Debug for BaseEngine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BaseEngine").field("position", &self.position).finish_non_exhaustive()
    }
}

fn start_position<R: Rules>(setup: &Setup) -> Result<R, String> {
    if setup.game != R::INFO.id {
        return Err(format!("plays {}, not {}", R::INFO.id, setup.game));
    }
    let variant = R::INFO.variant(&setup.variant).map_err(|error| error.to_string())?;
    if setup.start.is_empty() {
        return Ok(R::start(&variant));
    }
    R::parse_position(&variant, &setup.start).map_err(|error| error.to_string())
}

pub(crate) fn check_options(specs: &[OptionSpec], set: &[(String, String)]) -> Result<(), String> {
    for (name, value) in set {
        let spec = specs.iter().find(|spec| spec.name == *name);
        let kind = &spec.ok_or_else(|| format!("has no option `{name}`"))?.kind;
        kind.check(value).map_err(|reason| format!("option `{name}`: {reason}"))?;
    }
    Ok(())
}
