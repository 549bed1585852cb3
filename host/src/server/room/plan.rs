//! What a room was opened for: from a request that nobody has checked to players, budgets and a
//! start that a bout can have. Kept in the store, so that a room that waits survives a restart.

use sandboard_abi::Unit;
use sandboard_abi::limits::LABEL_BYTES;
use sandboard_games::{GameInfo, Seat};
use serde::{Deserialize, Serialize};

use crate::bout::{BoutSetup, EnginePlayer, Hint, Mover, Participant, Place};
use crate::budget::Budget;
use crate::record::{Record, Start};
use crate::referee::{PlayerKind, PlayerSetup, Referee, Settings, tidy};
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::supply::Supplier;
use crate::server::wire::{EngineSeat, NewPlayer, NewRoom, NewSettings};

/// The most moves that a request may bring.
const MOVES_MAX: usize = 20_000;
/// What an engine may spend on a move where nobody says: a hint, a seat of an untimed bout.
pub const USUAL_US: u64 = 5_000_000;

/// What a room was opened for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub game: String,
    pub variant: String,
    pub start: Option<String>,
    pub seed: u64,
    pub settings: Settings,
    pub players: Vec<Planned>,
    pub hint: Option<PlannedHint>,
    /// The player whose ticket may pause, abort and seat engines; none: a ticket without a player.
    pub host: Option<usize>,
    /// Whether it came of a quick game.
    pub quick: bool,
}

/// A player of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Planned {
    pub name: String,
    pub seats: Vec<u8>,
    pub budget: Budget,
    /// None: a person.
    pub engine: Option<EngineSeat>,
    pub ponders: bool,
}

/// Who gives hints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlannedHint {
    pub engine: EngineSeat,
    pub budget: Budget,
}

/// The game with this id.
pub fn game_named(id: &str) -> Answer<&'static GameInfo> {
    let unknown = || Problem::bad("game", format!("there is no game `{}`", tidy(id, LABEL_BYTES)));
    sandboard_games::game(id).ok_or_else(unknown)
}

/// Where a bout of this game begins that is asked for in such words.
pub fn start_of(
    game: &str,
    variant: &str,
    position: Option<String>,
    moves: &[String],
) -> Answer<Start> {
    let game = game_named(game)?;
    let variant = game.variant(variant).map_err(|error| Problem::bad("variant", error))?;
    let mut start = Start { game, variant, position };
    let mut set_up = start.set_up().map_err(|error| Problem::bad("start", error))?;
    if moves.len() > MOVES_MAX {
        let detail = format!("there are {} moves, more than {MOVES_MAX}", moves.len());
        return Err(Problem::bad("moves", detail));
    }
    for (index, mv) in moves.iter().enumerate() {
        let refused = |refusal| Problem::new(Kind::IllegalMove, refusal);
        set_up.play(mv).map_err(|refusal| refused(refusal).at(format!("moves[{index}]")))?;
    }
    if !moves.is_empty() {
        (start.variant, start.position) = (set_up.variant(), Some(set_up.position()));
    }
    Ok(start)
}

/// A budget as it is written.
pub fn budget(text: &str, place: String) -> Answer<Budget> {
    let text = if text.is_empty() { "none" } else { text };
    text.parse().map_err(|error| Problem::bad(place, error))
}

impl Plan {
    /// The plan that a request asks for. Plays moves and, where a game can be solved, solves its
    /// start: not for a thread that must not wait.
    pub fn of(wanted: NewRoom, seed: u64) -> Answer<Self> {
        let NewRoom { game, variant, start, moves, players, settings, hint, record, ply, host } =
            wanted;
        let bad_start = |error: String| Problem::bad("start", error);
        let is_dealt = start.is_none() && moves.is_empty();
        let begins = match record {
            Some(record) => {
                let bytes = serde_json::to_vec(&record).unwrap_or_default();
                let wrong = |error: crate::record::RecordError| Problem::bad("record", error);
                let record = Record::parse(&bytes, sandboard_games::game).map_err(wrong)?;
                record.start_after(ply, sandboard_games::game).map_err(wrong)?
            }
            None => {
                let mut begins = start_of(&game, &variant, start, &moves)?;
                if let (true, Some(deal)) = (is_dealt, begins.game.deal) {
                    begins.position = Some(deal(&begins.variant, seed));
                }
                begins
            }
        };
        let begins = crate::exact::marked(&begins, &|| true)
            .map_err(|error| bad_start(error.to_string()))?;
        let set_up = begins.set_up().map_err(|error| bad_start(error.to_string()))?;
        if let Some(outcome) = set_up.outcome() {
            return Err(bad_start(format!("the game is over there: {}", outcome.reason)));
        }
        let side = |seat: u8| set_up.side_name(set_up.side(Seat(seat)));
        let players = players.into_iter().enumerate();
        let players = players.map(|(index, player)| planned(index, player, side));
        let players: Vec<Planned> = players.collect::<Answer<_>>()?;
        let hint = hint.map(|hint| {
            let usual = Budget::wall_per_move(USUAL_US);
            let asked = hint.budget.as_deref().map(|text| budget(text, "hint.budget".into()));
            let budget = asked.transpose()?.filter(|budget| !budget.is_none()).unwrap_or(usual);
            Ok(PlannedHint { engine: hint.seat(), budget })
        });
        let first = players.iter().position(|player| player.engine.is_none());
        if host.is_some_and(|host| players.get(host).is_none_or(|it| it.engine.is_some())) {
            return Err(Problem::bad("host", "it is no player that is a person"));
        }
        let plan = Self {
            game: begins.game.id.into(),
            variant: begins.variant.text(),
            start: begins.position,
            seed,
            settings: with(settings),
            players,
            hint: hint.transpose()?,
            host: host.or(first),
            quick: false,
        };
        plan.referee()?;
        Ok(plan)
    }

    /// Where the bout begins.
    pub fn start(&self) -> Answer<Start> {
        start_of(&self.game, &self.variant, self.start.clone(), &[])
    }

    /// A referee that stands where the bout begins.
    pub fn referee(&self) -> Answer<Referee> {
        let set_up = self.start()?.set_up().map_err(|error| Problem::bad("start", error))?;
        let setup = |player: &Planned| PlayerSetup {
            name: player.name.clone(),
            seats: player.seats.clone(),
            budget: player.budget,
            kind: match player.engine {
                Some(_) => PlayerKind::Engine,
                None => PlayerKind::Person,
            },
            ponder_threads: player.engine.as_ref().filter(|_| player.ponders).map(|_| 1),
        };
        let players = self.players.iter().map(setup).collect();
        let referee = Referee::new(set_up, players, self.settings);
        referee.map_err(|error| Problem::bad("players", error))
    }

    /// The bout itself, its engines loaded: that takes time.
    pub fn setup(&self, supplier: &dyn Supplier, place: Place) -> Answer<BoutSetup> {
        let start = self.start()?;
        let mut players = Vec::with_capacity(self.players.len());
        for (index, player) in self.players.iter().enumerate() {
            let mover = match &player.engine {
                None => Mover::Person,
                Some(seat) => {
                    let found = supplier.player(seat, player.budget.unit(), &start);
                    let placed = |problem: Problem| problem.at(format!("players[{index}].engine"));
                    Mover::Engine(found.map_err(placed)?)
                }
            };
            players.push(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                mover,
                ponders: player.ponders,
            });
        }
        Ok(BoutSetup {
            hint: self.adviser(supplier, &start)?,
            start,
            seed: self.seed,
            settings: self.settings,
            players,
            live: None,
            place,
            resumed: None,
        })
    }

    /// Who gives hints, loaded.
    pub fn adviser(&self, supplier: &dyn Supplier, start: &Start) -> Answer<Option<Hint>> {
        let Some(PlannedHint { engine, budget }) = &self.hint else { return Ok(None) };
        let found = supplier.player(engine, budget.unit(), start);
        let engine: EnginePlayer = found.map_err(|problem| problem.at("hint"))?;
        Ok(Some(Hint { engine, budget: *budget }))
    }

    /// The same bout once more, the sides exchanged.
    pub fn rematch(&self, seed: u64) -> Answer<Self> {
        let start = self.start()?;
        let count = start.game.seats.max(1);
        let mut players = self.players.clone();
        for player in &mut players {
            // Sides sit in turn, so that the next seat is of the other one.
            player.seats.iter_mut().for_each(|seat| *seat = (*seat + 1) % count);
            player.seats.sort_unstable();
        }
        let plan = Self { players, seed, ..self.clone() };
        plan.referee()?;
        Ok(plan)
    }

    /// Two people whose names are what their sides are called.
    pub fn for_two(start: &Start, budget: Budget, seed: u64) -> Answer<Self> {
        let set_up = start.set_up().map_err(|error| Problem::bad("variant", error))?;
        let seats = 0..start.game.seats;
        let player = |side: u8| {
            let of_side = |seat: &u8| set_up.side(Seat(*seat)).0 == side;
            Planned {
                name: set_up.side_name(sandboard_games::Side(side)).to_owned(),
                seats: seats.clone().filter(of_side).collect(),
                budget,
                engine: None,
                ponders: false,
            }
        };
        let position = start.position.clone();
        let position = position.or_else(|| start.game.deal.map(|deal| deal(&start.variant, seed)));
        let plan = Self {
            game: start.game.id.into(),
            variant: start.variant.text(),
            start: position,
            seed,
            settings: Settings::default(),
            players: vec![player(0), player(1)],
            hint: None,
            host: None,
            quick: true,
        };
        plan.referee()?;
        Ok(plan)
    }

    /// The players that are persons.
    pub fn persons(&self) -> impl Iterator<Item = usize> + '_ {
        let person = |(index, player): (usize, &Planned)| player.engine.is_none().then_some(index);
        self.players.iter().enumerate().filter_map(person)
    }
}

fn with(settings: NewSettings) -> Settings {
    let usual = Settings::default();
    Settings {
        undo: settings.undo.unwrap_or(usual.undo),
        draw_offers: settings.draw_offers.unwrap_or(usual.draw_offers),
        ..usual
    }
}

fn planned(index: usize, player: NewPlayer, side: impl Fn(u8) -> &'static str) -> Answer<Planned> {
    let place = |field: &str| format!("players[{index}].{field}");
    let NewPlayer { name, seats, budget: text, person, engine, ponders } = player;
    let mut budget = budget(&text, place("budget"))?;
    match (&person, &engine) {
        (Some(_), Some(_)) => {
            return Err(Problem::bad(
                place("engine"),
                "it is a person already: one of both is null",
            ));
        }
        (None, None) => {
            return Err(Problem::bad(place("person"), "it is neither a person nor an engine"));
        }
        _ => (),
    }
    if engine.is_some() && budget.is_none() {
        budget = Budget::wall_per_move(USUAL_US);
    }
    if engine.is_none() && matches!(budget.unit(), Unit::Cpu | Unit::Fuel) {
        let detail = format!("a person spends wall time, not what `{budget}` counts");
        return Err(Problem::bad(place("budget"), detail));
    }
    let name = tidy(name.trim(), LABEL_BYTES);
    let first = seats.first().copied().unwrap_or(0);
    let name = match (name.is_empty(), &engine) {
        (false, _) => name,
        (true, Some(engine)) => tidy(&engine.id, LABEL_BYTES),
        (true, None) => side(first).to_owned(),
    };
    Ok(Planned { name, seats, budget, engine, ponders })
}
