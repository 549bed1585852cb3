//! The border as a Rust trait, and [`BaseEngine`], which implements all of it
//! and leaves one function to the author: the next move. Searches nothing
//! itself, and reads no clock but the host's.

use std::fmt;
use std::sync::Arc;

use sandboard_abi::{
    Abilities, Barred, Choice, Decision, Description, GameSpec, Kind, Limits, Line, OptionSpec,
    Setup, Unit,
};
use sandboard_games::{Generate, Phase, Rules};

use crate::decisions;
use crate::host::{Host, Team};
use crate::ponder::{self, Ahead, Foresight, Watch, Watched};
use crate::random::Random;
use crate::weights::{Weight, Weights};

/// The six calls of the border. `export_engine!` makes a native library and a
/// wasm component of any type that has it; nearly every engine gets it from
/// [`BaseEngine`]. An `Err` is a fault with that text. `Send`, since a host does
/// not make all calls from the same thread.
///
/// An engine that wants a word in every call wraps a `BaseEngine`:
///
/// ```
/// use sandboard_sdk::abi::{Barred, Choice, Description, Level, Limits, Setup};
/// use sandboard_sdk::{BaseEngine, Cargo, Chooser, Engine, Host};
///
/// /// Says how much was left when it was asked, and lets `C` choose.
/// struct Telling<C: Chooser>(BaseEngine<C>, Host);
///
/// impl<C: Chooser> Engine for Telling<C> {
///     fn describe(cargo: Cargo) -> Description {
///         <BaseEngine<C> as Engine>::describe(cargo)
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
    /// What the engine says of itself; the same at every call.
    fn describe(cargo: Cargo) -> Description;
    /// Begins a game.
    fn start(setup: &Setup, host: Host) -> Result<Self, String>;
    /// A move was accepted, perhaps an own one.
    fn played(&mut self, mv: &str) -> Result<(), String>;
    /// The last `plies` moves are undone.
    fn taken_back(&mut self, plies: u32) -> Result<(), String>;
    /// The next move.
    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String>;
    /// Think on the opponent's time, or help the instance that chooses, until the host's
    /// `left()` is 0.
    fn think(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// What cargo knows of the engine's crate; `export_engine!` fills it in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cargo {
    /// The package's name: the engine's id unless it says otherwise.
    pub name: &'static str,
    /// The package's version.
    pub version: &'static str,
    /// The package's authors, separated by colons.
    pub authors: &'static str,
}

/// What an engine author writes. Every method but one has a default.
///
/// ```
/// use sandboard_sdk::games::gomoku::Gomoku;
/// use sandboard_sdk::{Chooser, Reply, Turn};
///
/// /// Plays the first legal move.
/// #[derive(Default)]
/// struct First;
///
/// impl Chooser for First {
///     type Rules = Gomoku;
///
///     fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
///         Reply::play(turn.legal_moves()[0])
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is exported as an engine, but does not implement `Chooser`",
    label = "`Chooser` is not implemented for `{Self}`",
    note = "write `impl Chooser for {Self}` with `type Rules = …;` and `fn next_move(…)`",
    note = "if `{Self}` implements `Engine`, the whole border, say so: `export_engine!(engine {Self})`"
)]
pub trait Chooser: Default + Send + 'static {
    /// The game it plays.
    type Rules: Rules;

    /// Chooses in a game that is not over; [`Turn::legal_moves`] is not empty
    /// unless every legal move is barred. The position is one of ordinary play
    /// ([`Phase::Play`]), and not always that of the game: the defaults of the
    /// methods below ask about positions that a decision leads to.
    fn next_move(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules>;

    /// Makes a move that an opening procedure prescribes ([`Phase::Opening`]). Default: by
    /// [`next_move`](Self::next_move)'s own scores in the positions that the moves lead to, one
    /// after which nobody is ahead, if sides may still be exchanged, else the best; any, if
    /// it gives no scores.
    fn opening(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        match turn.position.sides_may_change() {
            true => decisions::fairest(self, turn),
            false => decisions::best(self, turn),
        }
    }

    /// Decides whether sides are exchanged ([`Phase::Swap`]). Default: what is better for the
    /// own side, by the scores of [`next_move`](Self::next_move).
    fn swap(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::best(self, turn)
    }

    /// Says how many moves will be offered ([`Phase::Announce`]). Default: a third
    /// of as many as may be.
    fn announce(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::few(turn)
    }

    /// Offers one of several moves, of which the opponent picks ([`Phase::Offer`]). Default: the
    /// best that is not offered yet, by the scores of [`next_move`](Self::next_move).
    fn offer(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::best(self, turn)
    }

    /// Picks one of the moves that were offered ([`Phase::Pick`]). Default: the best for the own
    /// side, by the scores of [`next_move`](Self::next_move).
    fn pick(&mut self, turn: &mut Turn<'_, Self::Rules>) -> Reply<Self::Rules> {
        decisions::best(self, turn)
    }

    /// Changes what the engine says of itself: name, variants, options.
    fn describe(_description: &mut Description) {}

    /// A game begins. Options arrive as checked texts, see [`NewGame`].
    /// Err: why this game cannot be played.
    fn started(&mut self, _game: &NewGame<'_, Self::Rules>) -> Result<(), String> {
        Ok(())
    }

    /// A move was played, whoever played it; `position` is the one after it.
    fn played(&mut self, _position: &Self::Rules, _mv: <Self::Rules as Rules>::Move) {}

    /// Moves were undone; `position` is the one now.
    fn taken_back(&mut self, _position: &Self::Rules, _plies: u32) {}

    /// Whether it is to think on its opponents' time in this game. No for one that plays at a
    /// level of strength: with more time it would be another one.
    fn ponders(&self) -> bool {
        true
    }

    /// Thinks on the opponents' time until `host.left()` is 0; coming back before is fine.
    /// `position` is where this engine will be asked next if everybody plays as its last line has
    /// it, else the one now, in which somebody else is to move; always one of ordinary play. Nobody
    /// hears what is reported.
    ///
    /// Default: chooses in that position by [`next_move`](Self::next_move), without limits, for the
    /// sake of what it finds out on the way (a [`Search`](crate::Search) keeps it), once it has been
    /// seen in a choice that the engine looks at the clock; one that does not could not be stopped.
    fn ponder(&mut self, position: &Self::Rules, host: &Host) {
        ponder::by_choosing(self, position, host);
    }
}

/// One request for a move.
#[derive(Debug)]
pub struct Turn<'a, R: Rules> {
    /// The position in which to choose.
    pub position: &'a R,
    /// What the choice may cost.
    pub limits: &'a Limits,
    /// Moves not to be chosen: refused just now, or shielded by the caller.
    pub barred: &'a [R::Move],
    /// The clock and the log.
    pub host: &'a Host,
    /// Randomness, from the game's seed.
    pub random: &'a mut Random,
    pub(crate) moves: &'a mut Vec<R::Move>,
}

impl<R: Rules> Turn<'_, R> {
    /// The legal moves that are not barred, in the game's fixed order.
    pub fn legal_moves(&mut self) -> &[R::Move] {
        self.moves.clear();
        self.position.generate(Generate::All, self.moves);
        let (position, barred) = (self.position, self.barred);
        self.moves.retain(|mv| position.is_legal(*mv) && !barred.contains(mv));
        self.moves
    }

    /// The text of the first legal move that is not barred.
    fn first_move(&mut self) -> Option<String> {
        let mv = self.legal_moves().first().copied()?;
        let mut text = String::new();
        self.position.write_move(mv, &mut text);
        Some(text)
    }

    /// One of [`legal_moves`](Self::legal_moves), each as likely as another;
    /// none when there are none.
    pub fn random_move(&mut self) -> Option<R::Move> {
        if self.barred.is_empty()
            && let Some(count) =
                self.position.count_moves().and_then(|count| usize::try_from(count).ok())
        {
            // The same number is drawn for the same move, whether or not there is a list.
            let number = (count > 0).then(|| self.random.below(count))?;
            let found = self.position.nth_move(number as u64);
            return found.or_else(|| self.legal_moves().get(number).copied());
        }
        let count = self.legal_moves().len();
        (count > 0).then(|| self.moves[self.random.below(count)])
    }
}

/// What an engine answers.
#[derive(Clone, Debug)]
pub struct Reply<R: Rules> {
    decision: Answer<R::Move>,
    /// Offer a draw with the move.
    pub offers_draw: bool,
    /// The search behind it.
    pub line: Option<Line>,
}

#[derive(Clone, Debug)]
enum Answer<M> {
    Play(M),
    Resign,
    AcceptDraw,
}

impl<R: Rules> Reply<R> {
    /// Play this move.
    pub fn play(mv: R::Move) -> Self {
        Self::from(Answer::Play(mv))
    }

    /// Give up.
    pub fn resign() -> Self {
        Self::from(Answer::Resign)
    }

    /// Take the draw that the opponent offers.
    pub fn accept_draw() -> Self {
        Self::from(Answer::AcceptDraw)
    }

    /// The same with the line behind it.
    pub fn with_line(self, line: Line) -> Self {
        Self { line: Some(line), ..self }
    }

    fn from(decision: Answer<R::Move>) -> Self {
        Self { decision, offers_draw: false, line: None }
    }
}

/// A game as it begins for an engine.
#[derive(Debug)]
pub struct NewGame<'a, R: Rules> {
    /// All that the host said.
    pub setup: &'a Setup,
    /// The position after the moves already played.
    pub position: &'a R,
    /// The host.
    pub host: &'a Host,
    options: &'a [OptionSpec],
}

impl<R: Rules> NewGame<'_, R> {
    /// The value of an option: as set, else initial; empty if there is no such option.
    pub fn text(&self, name: &str) -> &str {
        let set = self.setup.options.iter().rev().find(|(key, _)| key == name);
        let initial = || self.options.iter().find(|spec| spec.name == name);
        set.map(|(_, value)| value.as_str())
            .or_else(|| initial().map(|spec| spec.initial.as_str()))
            .unwrap_or_default()
    }

    /// The value of a whole-number option; 0 if there is no such option.
    pub fn whole(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// Whether a toggle is on.
    pub fn toggle(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// Weights as the options of the same names have them. Err: why not, in words for an author.
    pub fn weights(&self, table: &'static [Weight]) -> Result<Weights, String> {
        let mut weights = Weights::new(table);
        for weight in table {
            let value =
                i32::try_from(self.whole(weight.name)).map_err(|error| error.to_string())?;
            weights.set(weight.name, value)?;
        }
        Ok(weights)
    }

    /// The bytes that tables may take: the MiB that an option says, but half of what the host admits at
    /// most, of which a warning is logged.
    pub fn table_bytes(&self, option: &str) -> usize {
        let wanted = usize::try_from(self.whole(option) << 20).unwrap_or(usize::MAX);
        let cap = usize::try_from(self.setup.memory_bytes).unwrap_or(usize::MAX);
        if cap == 0 || wanted <= cap / 2 {
            return wanted;
        }
        let mib = cap / 2 / (1 << 20);
        let text = format!("{option} is {mib}: half of the memory that the host admits");
        self.host.log(sandboard_abi::Level::Warning, &text);
        cap / 2
    }
}

/// The whole border over a [`Chooser`]: keeps the position, the history, the
/// options and the seed, and checks what comes in.
pub struct BaseEngine<C: Chooser> {
    chooser: C,
    position: C::Rules,
    history: Vec<<C::Rules as Rules>::Undo>,
    host: Host,
    watch: Arc<Watch>,
    seats: Vec<u8>,
    foresight: Foresight,
    /// No choice was asked for yet.
    first: bool,
    random: Random,
    barred: Vec<<C::Rules as Rules>::Move>,
    moves: Vec<<C::Rules as Rules>::Move>,
}

impl<C: Chooser> BaseEngine<C> {
    fn describe_with(cargo: Cargo) -> Description {
        let info = C::Rules::INFO;
        let variants = info.variants.iter().map(|variant| variant.id.to_owned()).collect();
        let mut description = Description {
            id: cargo.name.to_owned(),
            name: cargo.name.to_owned(),
            author: cargo.authors.replace(':', ", "),
            version: cargo.version.to_owned(),
            games: vec![GameSpec { game: info.id.to_owned(), variants }],
            options: Vec::new(),
            abilities: Abilities { ponders: true, ..Abilities::default() },
        };
        C::describe(&mut description);
        description
    }

    /// Helps the instance that chooses, if it does now: chooses in the same position, for the sake
    /// of what a [`Search`](crate::Search) shares. Nobody hears of the choice. One that plays at a level
    /// would be another with help.
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

    fn line_of_moves(&mut self, line: &str) -> Result<(), String> {
        for text in line.split_ascii_whitespace() {
            let (_, undo) = self.position.play(text).map_err(|refusal| refusal.to_string())?;
            self.history.push(undo);
        }
        Ok(())
    }
}

impl<C: Chooser> Engine for BaseEngine<C> {
    fn describe(cargo: Cargo) -> Description {
        Self::describe_with(cargo)
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let options = Self::describe_with(Cargo::default()).options;
        check_options(&options, &setup.options)?;
        let position = position_of::<C::Rules>(setup)?;
        let watch = Watch::new(host);
        let host = Host::new(Watched(watch.clone())).in_team(Team::of(setup));
        let mut engine = Self {
            chooser: C::default(),
            position,
            history: Vec::new(),
            host,
            watch,
            seats: setup.seats.clone(),
            foresight: Foresight::default(),
            first: true,
            random: Random::seeded(setup.seed),
            barred: Vec::new(),
            moves: Vec::new(),
        };
        engine.line_of_moves(&setup.moves)?;
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
        self.foresight.played(text);
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
        self.foresight.forget();
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
        // A move at hand costs a list of moves: only where time can run out, and not for an engine
        // that never looks whether it does.
        let may_overrun = limits.unit != Unit::Unlimited;
        let thinks = std::mem::take(&mut self.first) || self.watch.looks();
        let ready = (may_overrun && thinks).then(|| turn.first_move()).flatten();
        self.watch.begin(ready);
        let decide = match self.position.phase() {
            Phase::Play => C::next_move,
            Phase::Opening => C::opening,
            Phase::Swap => C::swap,
            Phase::Announce => C::announce,
            Phase::Offer => C::offer,
            Phase::Pick => C::pick,
        };
        let reply = decide(&mut self.chooser, &mut turn);
        let lent = self.watch.end();
        self.foresight.chosen(reply.line.as_ref());
        let decision = match reply.decision {
            Answer::Play(mv) => {
                let mut text = String::new();
                self.position.write_move(mv, &mut text);
                Decision::Play(text)
            }
            Answer::Resign => Decision::Resign,
            Answer::AcceptDraw => Decision::AcceptDraw,
        };
        let line = match &decision {
            // Else the line of its move would begin with another one.
            Decision::Play(text) if lent && reply.line.is_none() => {
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
            let (position, moves) = self.foresight.expected(&self.position, &self.seats);
            if position.phase() != Phase::Play || position.outcome().is_some() {
                return Ok(());
            }
            let looks = self.watch.looks();
            let ahead = Host::new(Ahead { host: self.host.clone(), moves }).watched(looks);
            self.chooser.ponder(&position, &ahead);
        }
        Ok(())
    }
}

impl<C: Chooser> fmt::Debug for BaseEngine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BaseEngine").field("position", &self.position).finish_non_exhaustive()
    }
}

fn position_of<R: Rules>(setup: &Setup) -> Result<R, String> {
    if setup.game != R::INFO.id {
        return Err(format!("plays {}, not {}", R::INFO.id, setup.game));
    }
    let variant = R::INFO.variant(&setup.variant).map_err(|error| error.to_string())?;
    if setup.start.is_empty() {
        return Ok(R::start(&variant));
    }
    R::parse_position(&variant, &setup.start).map_err(|error| error.to_string())
}

fn check_options(specs: &[OptionSpec], set: &[(String, String)]) -> Result<(), String> {
    for (name, value) in set {
        let spec = specs.iter().find(|spec| spec.name == *name);
        let kind = &spec.ok_or_else(|| format!("has no option `{name}`"))?.kind;
        kind.check(value).map_err(|reason| format!("option `{name}`: {reason}"))?;
    }
    Ok(())
}

/// A toggle for a description.
pub fn toggle(name: &str, initial: bool, about: &str) -> OptionSpec {
    option(name, Kind::Toggle, initial.to_string(), about)
}

/// A whole-number option for a description; the range is inclusive.
pub fn whole(
    name: &str,
    range: std::ops::RangeInclusive<i64>,
    initial: i64,
    about: &str,
) -> OptionSpec {
    option(name, Kind::Whole(*range.start(), *range.end()), initial.to_string(), about)
}

/// An option that takes one of a few words.
pub fn pick(name: &str, words: &[&str], initial: &str, about: &str) -> OptionSpec {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    option(name, Kind::Pick(words), initial.to_owned(), about)
}

fn option(name: &str, kind: Kind, initial: String, about: &str) -> OptionSpec {
    OptionSpec { name: name.to_owned(), about: about.to_owned(), kind, initial, tunable: false }
}
