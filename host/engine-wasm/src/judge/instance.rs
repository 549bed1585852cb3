//! One instance of a judge, with a store of its own. Fuel limits its calls, not time: the verdict
//! does not depend on the machine.

use std::sync::Arc;

use sandboard_abi::{Unit, limits};
use sandboard_common::text::clean_text;
use sandboard_component::judge::{
    self as types, Outcome, Played, PlayoutResults, PositionFault, Started as GameStarted,
};
use sandboard_engine::{Amount, Fault, FaultCode};
use sandboard_games::board::Board;
use sandboard_games::general::{Actor, Observer};
use sandboard_games::{PlayoutPlan, Playouts, Seat};

use super::checks::{self, Answer};
use super::{JudgeTemplate, board};
use crate::backend::{Backend, Context, StoreData};
use crate::call_error::CallError;
use crate::canonical_call::{CanonicalState, GuestFunction};
use crate::compiled_modules::Instantiated;
use crate::counters::ModuleCounters;
use crate::faults::{self, Circumstances};
use crate::memory_limiter::MemoryLimiter;
use crate::prices;

/// The limit of instantiation and of each `start`, in units of fuel: about a second.
const START_FUEL: u64 = 1_000_000_000;
/// The limit of every other call, in units of fuel: about a tenth of a second.
const CALL_FUEL: u64 = 100_000_000;
/// The limit of a call of `playouts`, in units of fuel: about ten seconds.
const PLAYOUTS_FUEL: u64 = 10_000_000_000;
/// The fuel that a call of `playouts` should use, in units: about a twentieth of a second.
const PLAYOUTS_FUEL_WANTED: u64 = 50_000_000;
/// The most games of a call of `playouts`.
const PLAYOUTS_MAX: u32 = 4096;
/// The memory of an instance, in bytes.
const MEMORY_BYTES: u64 = 64 << 20;

/// The data of an instance's store.
pub(crate) struct JudgeState<B: Backend> {
    canonical_state: CanonicalState<B>,
    memory: MemoryLimiter,
    /// The last text that the judge logged in the current call.
    pub(super) logged: Option<String>,
}

impl<B: Backend> StoreData<B> for JudgeState<B> {
    fn canonical_state(&mut self) -> &mut CanonicalState<B> {
        &mut self.canonical_state
    }

    fn memory_limiter(&mut self) -> &mut MemoryLimiter {
        &mut self.memory
    }

    /// Fuel ends every call.
    fn is_overdue(&self) -> bool {
        false
    }
}

/// A game that has just begun, as the judge answers.
pub(super) struct Started {
    /// The handle of the game.
    pub(super) game: u32,
    /// The text of its variant, with the actual size.
    pub(super) variant: String,
    /// What the judge says about the start position.
    pub(super) answer: Answer,
}

/// The functions of a judge. `F` is a core function of a backend.
struct Functions<F> {
    start: GuestFunction<F>,
    clone: GuestFunction<F>,
    close: GuestFunction<F>,
    play: GuestFunction<F>,
    canonical: GuestFunction<F>,
    legal: GuestFunction<F>,
    notation: GuestFunction<F>,
    chance: GuestFunction<F>,
    playouts: GuestFunction<F>,
    position: GuestFunction<F>,
    view: GuestFunction<F>,
    seen: GuestFunction<F>,
    sides: GuestFunction<F>,
    prompt: GuestFunction<F>,
    board: GuestFunction<F>,
    diagram: GuestFunction<F>,
}

impl<F> Functions<F> {
    fn of<B: Backend<Function = F>>(
        judge: &Instantiated<'_, B>,
        store: &mut B::Store<JudgeState<B>>,
    ) -> Result<Self, CallError> {
        Ok(Self {
            start: judge.function(store, "start")?,
            clone: judge.function(store, "clone")?,
            close: judge.function(store, "close")?,
            play: judge.function(store, "play")?,
            canonical: judge.function(store, "canonical")?,
            legal: judge.function(store, "legal")?,
            notation: judge.function(store, "notation")?,
            chance: judge.function(store, "chance")?,
            playouts: judge.function(store, "playouts")?,
            position: judge.function(store, "position")?,
            view: judge.function(store, "view")?,
            seen: judge.function(store, "seen")?,
            sides: judge.function(store, "sides")?,
            prompt: judge.function(store, "prompt")?,
            board: judge.function(store, "board")?,
            diagram: judge.function(store, "diagram")?,
        })
    }
}

/// An instance of a judge. It holds games by their handles.
pub(super) struct JudgeInstance<B: Backend> {
    store: B::Store<JudgeState<B>>,
    counters: ModuleCounters<B::Counters>,
    functions: Functions<B::Function>,
    fault: Option<Fault>,
}

impl<B: Backend> JudgeInstance<B> {
    pub(super) fn new(template: &JudgeTemplate<B>) -> Result<Self, Fault> {
        let JudgeTemplate { backend, functions, modules, .. } = template;
        let memory = MemoryLimiter::new(MEMORY_BYTES);
        let canonical_state = CanonicalState::default();
        let mut store = backend.new_store(JudgeState { canonical_state, memory, logged: None });
        let start = ("start", START_FUEL);
        let counters = B::new_counters(&mut store);
        let counters = counters.map_err(|error| fault(&error, store.data(), start))?;
        let counters = ModuleCounters(counters);
        let functions = counted::<B, _>(counters, &mut store, START_FUEL, |store| {
            let judge = modules.instantiate(store, functions, Some(counters))?;
            Functions::of(&judge, store)
        });
        match functions {
            Ok(functions) => Ok(Self { store, counters, functions, fault: None }),
            Err(error) => Err(faults::initial_memory_fault(&store.data().memory)
                .unwrap_or_else(|| fault(&error, store.data(), start))),
        }
    }

    /// The fault that poisoned the instance; none: it works.
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Makes this fault the result of all further calls, unless there is one already.
    pub(super) fn poison(&mut self, fault: Fault) -> Fault {
        self.fault.get_or_insert(fault).clone()
    }

    /// Begins a game. The inner error has the faults of the position text.
    pub(super) fn start(
        &mut self,
        variant: &str,
        position: &str,
    ) -> Result<Result<Started, Vec<PositionFault>>, Fault> {
        let started: Result<GameStarted, Vec<PositionFault>> = self
            .call(("start", START_FUEL), |judge, store| {
                judge.start.call(store, &(variant, position))
            })?;
        match started {
            Ok(started) => {
                let variant = self.checked(checks::label(started.variant, "a variant"))?;
                let answer = self.checked(checks::answer(started.turn))?;
                Ok(Ok(Started { game: started.game, variant, answer }))
            }
            Err(faults) => Ok(Err(faults)),
        }
    }

    pub(super) fn clone_game(&mut self, game: u32) -> Result<u32, Fault> {
        self.call(("clone", CALL_FUEL), |judge, store| judge.clone.call(store, &(game,)))
    }

    /// Gives up a handle. A fault of it is the fault of the next call.
    pub(super) fn close(&mut self, game: u32) {
        // The next call returns the fault again.
        let _: Result<(), Fault> =
            self.call(("close", CALL_FUEL), |judge, store| judge.close.call(store, &(game,)));
    }

    /// Plays a move; returns its canonical text and what follows. The inner error is the reason of
    /// a refusal.
    pub(super) fn play(
        &mut self,
        game: u32,
        mv: &str,
    ) -> Result<Result<(String, Answer), String>, Fault> {
        let played: Result<Played, String> =
            self.call(("play", CALL_FUEL), |judge, store| judge.play.call(store, &(game, mv)))?;
        match played {
            Ok(played) => {
                let mv = self.checked(checks::move_text(played.r#move))?;
                Ok(Ok((mv, self.checked(checks::answer(played.turn))?)))
            }
            Err(reason) => Ok(Err(clean_text(&reason, limits::REASON_BYTES))),
        }
    }

    /// The canonical text of a move of a seat. The inner error is the reason of a refusal.
    pub(super) fn canonical(
        &mut self,
        game: u32,
        seat: Seat,
        mv: &str,
    ) -> Result<Result<String, String>, Fault> {
        let canonical: Result<String, String> = self
            .call(("canonical", CALL_FUEL), |judge, store| {
                judge.canonical.call(store, &(game, seat.0, mv))
            })?;
        match canonical {
            Ok(mv) => Ok(Ok(self.checked(checks::move_text(mv))?)),
            Err(reason) => Ok(Err(clean_text(&reason, limits::REASON_BYTES))),
        }
    }

    pub(super) fn legal(&mut self, game: u32, seat: Seat) -> Result<String, Fault> {
        let line: String = self
            .call(("legal", CALL_FUEL), |judge, store| judge.legal.call(store, &(game, seat.0)))?;
        self.checked(checks::legal_moves(line))
    }

    /// A legal move in the notation of files; none: the canonical text.
    pub(super) fn notation(&mut self, game: u32, mv: &str) -> Result<Option<String>, Fault> {
        let text: Option<String> = self.call(("notation", CALL_FUEL), |judge, store| {
            judge.notation.call(store, &(game, mv))
        })?;
        text.map(|text| self.checked(checks::move_text(text))).transpose()
    }

    pub(super) fn chance(&mut self, game: u32) -> Result<Vec<(String, u32)>, Fault> {
        let outcomes: Vec<Outcome> =
            self.call(("chance", CALL_FUEL), |judge, store| judge.chance.call(store, &(game,)))?;
        self.checked(checks::outcomes(outcomes))
    }

    /// The results of random games from the position of a game with this number of seats. The plan
    /// is divided into calls by the fuel that the games use.
    pub(super) fn playouts(
        &mut self,
        game: u32,
        seats: u8,
        plan: &PlayoutPlan,
    ) -> Result<Playouts, Fault> {
        let (mut results, mut left, mut games) = (Playouts::default(), *plan, 1);
        while left.games > 0 {
            let part = PlayoutPlan { games: left.games.min(games), ..left };
            let played: PlayoutResults =
                self.call(("playouts", PLAYOUTS_FUEL), |judge, store| {
                    let PlayoutPlan { seed, games, plies_max } = part;
                    judge.playouts.call(store, &(game, seed, games, plies_max))
                })?;
            results.append(self.checked(checks::playouts(played, seats, &part))?);
            let used = PLAYOUTS_FUEL - prices::units_floor(self.counters.left(&mut self.store));
            let wanted = u64::from(part.games) * PLAYOUTS_FUEL_WANTED / used.max(1);
            let most = PLAYOUTS_MAX.min(part.games.saturating_mul(8));
            games = u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, most);
            left = left.after(part.games);
        }
        Ok(results)
    }

    pub(super) fn view(&mut self, game: u32, observer: Observer) -> Result<String, Fault> {
        let text: String = self.call(("view", CALL_FUEL), |judge, store| {
            judge.view.call(store, &(game, wit_observer(observer)))
        })?;
        self.checked(checks::view(text))
    }

    /// A move of an actor as an observer sees it; none: it is not noticed.
    pub(super) fn seen(
        &mut self,
        game: u32,
        observer: Observer,
        actor: Actor,
        mv: &str,
    ) -> Result<Option<String>, Fault> {
        let actor = match actor {
            Actor::Seat(seat) => types::Actor::Seat(seat.0),
            Actor::Chance => types::Actor::Chance,
        };
        let text: Option<String> = self.call(("seen", CALL_FUEL), |judge, store| {
            judge.seen.call(store, &(game, wit_observer(observer), actor, mv))
        })?;
        text.map(|text| self.checked(checks::move_text(text))).transpose()
    }

    pub(super) fn position(&mut self, game: u32) -> Result<String, Fault> {
        let text: String = self
            .call(("position", CALL_FUEL), |judge, store| judge.position.call(store, &(game,)))?;
        self.checked(checks::position(text))
    }

    pub(super) fn sides(&mut self, game: u32) -> Result<Vec<String>, Fault> {
        self.call(("sides", CALL_FUEL), |judge, store| judge.sides.call(store, &(game,)))
    }

    pub(super) fn prompt(&mut self, game: u32) -> Result<Option<String>, Fault> {
        let prompt: Option<String> =
            self.call(("prompt", CALL_FUEL), |judge, store| judge.prompt.call(store, &(game,)))?;
        Ok(prompt.map(|text| clean_text(&text, limits::LABEL_BYTES)))
    }

    /// The board as data, as an observer sees it. It is checked against the legal moves of `mover`;
    /// none: no seat is to move.
    pub(super) fn board(
        &mut self,
        game: u32,
        observer: Observer,
        mover: Option<Seat>,
    ) -> Result<Option<Board>, Fault> {
        let json: Option<String> = self.call(("board", CALL_FUEL), |judge, store| {
            judge.board.call(store, &(game, wit_observer(observer)))
        })?;
        let Some(json) = json else { return Ok(None) };
        let legal = match mover {
            Some(seat) => self.legal(game, seat)?,
            None => String::new(),
        };
        self.checked(board::checked(&json, &legal)).map(Some)
    }

    pub(super) fn diagram(
        &mut self,
        game: u32,
        observer: Observer,
    ) -> Result<Option<String>, Fault> {
        let text: Option<String> = self.call(("diagram", CALL_FUEL), |judge, store| {
            judge.diagram.call(store, &(game, wit_observer(observer)))
        })?;
        text.map(|text| self.checked(checks::diagram(&text))).transpose()
    }

    /// The answer, or the fault of a wrong one.
    fn checked<T>(&mut self, answer: Result<T, String>) -> Result<T, Fault> {
        answer.map_err(|sentence| self.poison(Fault::new(FaultCode::Protocol, sentence)))
    }

    /// Makes a call with this name and limit of fuel, in units.
    fn call<T>(
        &mut self,
        (name, units): (&'static str, u64),
        make: impl FnOnce(&Functions<B::Function>, &mut B::Store<JudgeState<B>>) -> Result<T, CallError>,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.store.data_mut().logged = None;
        let Self { store, counters, functions, .. } = self;
        let result = counted::<B, _>(*counters, store, units, |store| make(functions, store));
        result.map_err(|error| {
            let fault = fault(&error, self.store.data(), (name, units));
            self.poison(fault)
        })
    }
}

/// Makes a call with this limit of fuel, in units.
fn counted<B: Backend, T>(
    counters: ModuleCounters<B::Counters>,
    store: &mut B::Store<JudgeState<B>>,
    units: u64,
    make: impl FnOnce(&mut B::Store<JudgeState<B>>) -> Result<T, CallError>,
) -> Result<T, CallError> {
    counters.begin(store, prices::parts(units));
    let result = make(store);
    match counters.exhausted(store) {
        Some(exhausted) => Err(CallError::Exhausted(exhausted)),
        None => result,
    }
}

fn wit_observer(observer: Observer) -> types::Observer {
    match observer {
        Observer::Seat(seat) => types::Observer::Seat(seat.0),
        Observer::Spectator => types::Observer::Spectator,
        Observer::Everything => types::Observer::Everything,
    }
}

fn fault<B: Backend>(
    error: &CallError,
    state: &JudgeState<B>,
    (name, units): (&str, u64),
) -> Fault {
    let units = Amount { unit: Unit::Fuel, value: units };
    let sentence = format!("used up its {units} units of fuel in {name}");
    let circumstances = Circumstances {
        memory: &state.memory,
        message: state.logged.as_deref(),
        out_of_fuel: Fault::new(FaultCode::Fuel, sentence),
    };
    faults::fault_in(error, circumstances)
}

/// An instance that several games share.
pub(super) type SharedInstance<B> = Arc<std::sync::Mutex<JudgeInstance<B>>>;
