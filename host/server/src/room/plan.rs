//! Turns a request to open a room into checked players, budgets and a start position. The plan is
//! stored, so that a waiting room survives a restart.

use sandboard_abi::Unit;
use sandboard_abi::limits::LABEL_BYTES;
use sandboard_games::splitmix::SplitMix64;
use sandboard_games::{GameInfo, Games, Seat};
use serde::{Deserialize, Serialize};

use crate::engine_provider::EngineProvider;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::wire::{EngineSeat, MOVES_MAX, NewPlayer, NewRoom, NewSettings};
use sandboard_bout::clock::Grace;
use sandboard_bout::driver::{BoutSetup, EnginePlayer, HintEngine, Participant, RecordDestination};
use sandboard_bout::record::Record;
use sandboard_bout::referee::{BoutSettings, PlayerKind, PlayerSetup, Referee};
use sandboard_bout::start::StartPosition;
use sandboard_bout::text::sanitize;
use sandboard_engine::Budget;

/// The default wall time of a move in microseconds: for hints, and for engines without a budget.
pub(crate) const DEFAULT_MOVE_US: u64 = 5_000_000;

/// What a room plays.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub game: String,
    pub variant: String,
    pub start: Option<String>,
    /// The moves from `start` to where the bout begins.
    #[serde(default)]
    pub opening: Vec<String>,
    pub seed: u64,
    pub settings: BoutSettings,
    pub players: Vec<PlannedPlayer>,
    pub hint: Option<PlannedHint>,
    /// The player whose ticket may pause, abort and seat engines; none: a ticket without a player.
    pub host: Option<usize>,
    /// Whether it is a quick game.
    pub quick_game: bool,
}

/// A player of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlannedPlayer {
    pub name: String,
    pub seats: Vec<u8>,
    pub budget: Budget,
    /// None: a person.
    pub engine: Option<EngineSeat>,
    pub ponders: bool,
    /// Whether `name` is a placeholder until the person joins.
    #[serde(default)]
    pub chooses_name: bool,
}

/// The engine that gives hints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlannedHint {
    pub engine: EngineSeat,
    pub budget: Budget,
}

/// Returns the game with this id.
pub(crate) fn find_game(games: &Games, id: &str) -> ApiResult<&'static GameInfo> {
    let unknown =
        || Problem::unprocessable("game", crate::messages::no_such_game(sanitize(id, LABEL_BYTES)));
    games.find(id).ok_or_else(unknown)
}

/// Checks a variant, a position and moves, and returns where a bout with them begins. It keeps the
/// moves, if the game can.
pub(crate) fn parse_start(
    games: &Games,
    game: &str,
    variant: &str,
    position: Option<String>,
    moves: &[String],
) -> ApiResult<StartPosition> {
    let game = find_game(games, game)?;
    let variant =
        game.variant(variant).map_err(|error| Problem::unprocessable("variant", error))?;
    let start = StartPosition::new(game, variant, position);
    let mut set_up = start.set_up().map_err(|error| Problem::unprocessable("start", error))?;
    check_count(moves)?;
    let mut played = Vec::with_capacity(moves.len());
    for (index, mv) in moves.iter().enumerate() {
        let refused = |refusal| Problem::new(ProblemKind::IllegalMove, refusal);
        let result = set_up.play(mv);
        played.push(result.map_err(|refusal| refused(refusal).at(format!("moves[{index}]")))?);
    }
    Ok(start.after(played, &*set_up))
}

/// Checks that a request has not too many moves.
pub(crate) fn check_count(moves: &[String]) -> ApiResult<()> {
    match moves.len() {
        0..=MOVES_MAX => Ok(()),
        count => {
            let detail = format!("there are {count} moves, more than {MOVES_MAX}");
            Err(Problem::bad_request("moves", detail))
        }
    }
}

/// Parses a budget; empty: unlimited.
pub(crate) fn parse_budget(text: &str, location: String) -> ApiResult<Budget> {
    let text = if text.is_empty() { "none" } else { text };
    text.parse().map_err(|error| Problem::unprocessable(location, error))
}

impl Plan {
    /// Checks a request. Blocks: it plays moves and, where a game can be solved, solves its start.
    pub(crate) fn from_request(games: &Games, request: NewRoom, seed: u64) -> ApiResult<Self> {
        let NewRoom {
            game,
            variant,
            start,
            moves,
            mut players,
            random_seats,
            settings,
            hint,
            record,
            ply,
            host,
        } = request;
        if random_seats {
            exchange_seats(&mut players, seed);
        }
        let bad_start = |error: String| Problem::unprocessable("start", error);
        let is_dealt = start.is_none() && moves.is_empty();
        let start = match record {
            Some(record) => {
                let bytes = serde_json::to_vec(&record).unwrap_or_default();
                let wrong = |error: sandboard_bout::record::RecordError| {
                    Problem::unprocessable("record", error)
                };
                let record = Record::parse(&bytes, games).map_err(wrong)?;
                record.start_position_after(ply, games).map_err(wrong)?
            }
            None => {
                let mut start = parse_start(games, &game, &variant, start, &moves)?;
                if let (true, Some(deal)) = (is_dealt, start.game.deal) {
                    start.position = Some(deal(&start.variant, seed));
                }
                start
            }
        };
        let start = sandboard_bout::solver::with_mark(&start, &|| true)
            .map_err(|error| bad_start(error.to_string()))?;
        let set_up = start.set_up().map_err(|error| bad_start(error.to_string()))?;
        if let Some(ending) = set_up.ending() {
            return Err(bad_start(format!("the game is over at the start: {}", ending.reason)));
        }
        let side = |seat: u8| set_up.side_name(set_up.side(Seat(seat)));
        let players = players.into_iter().enumerate();
        let players = players.map(|(index, player)| plan_player(index, player, side));
        let players: Vec<PlannedPlayer> = players.collect::<ApiResult<_>>()?;
        let hint = hint.map(|hint| {
            let default = Budget::wall_per_move(DEFAULT_MOVE_US);
            let asked = hint.budget.as_deref().map(|text| parse_budget(text, "hint.budget".into()));
            let budget = asked.transpose()?.filter(|budget| !budget.is_none()).unwrap_or(default);
            Ok(PlannedHint { engine: hint.seat(), budget })
        });
        let host = host.map(usize::from);
        let first = players.iter().position(|player| player.engine.is_none());
        if host.is_some_and(|host| players.get(host).is_none_or(|it| it.engine.is_some())) {
            return Err(Problem::unprocessable(
                "host",
                "the host must be a player that is a person",
            ));
        }
        let settings = settings_from(settings, &start)?;
        let plan = Self {
            game: start.game.id.into(),
            variant: start.variant.text(),
            start: start.position,
            opening: start.moves,
            seed,
            settings,
            players,
            hint: hint.transpose()?,
            host: host.or(first),
            quick_game: false,
        };
        plan.new_referee(games)?;
        Ok(plan)
    }

    /// Returns where the bout begins.
    pub(crate) fn start(&self, games: &Games) -> ApiResult<StartPosition> {
        parse_start(games, &self.game, &self.variant, self.start.clone(), &self.opening)
    }

    /// Returns a referee at the start of the bout.
    pub(crate) fn new_referee(&self, games: &Games) -> ApiResult<Referee> {
        let set_up =
            self.start(games)?.set_up().map_err(|error| Problem::unprocessable("start", error))?;
        let setup = |player: &PlannedPlayer| PlayerSetup {
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
        let referee = Referee::new(set_up, players, self.settings, self.seed);
        referee.map_err(|error| Problem::unprocessable("players", error))
    }

    /// Returns the bout's setup. Blocks while it loads engines.
    pub(crate) fn bout_setup(
        &self,
        games: &Games,
        engine_provider: &dyn EngineProvider,
        destination: RecordDestination,
    ) -> ApiResult<BoutSetup> {
        let start = self.start(games)?;
        let mut players = Vec::with_capacity(self.players.len());
        for (index, player) in self.players.iter().enumerate() {
            let engine = match &player.engine {
                None => None,
                Some(seat) => {
                    let found = engine_provider.load_player(seat, player.budget.unit(), &start);
                    let placed = |problem: Problem| problem.at(format!("players[{index}].engine"));
                    Some(found.map_err(placed)?)
                }
            };
            players.push(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                engine,
                ponders: player.ponders,
            });
        }
        Ok(BoutSetup {
            hint: self.load_hint_engine(engine_provider, &start)?,
            start,
            seed: self.seed,
            settings: self.settings,
            players,
            output_listener: None,
            destination,
            resumed_from: None,
        })
    }

    /// Loads the engine that gives hints.
    pub(crate) fn load_hint_engine(
        &self,
        engine_provider: &dyn EngineProvider,
        start: &StartPosition,
    ) -> ApiResult<Option<HintEngine>> {
        let Some(PlannedHint { engine, budget }) = &self.hint else { return Ok(None) };
        let found = engine_provider.load_player(engine, budget.unit(), start);
        let engine: EnginePlayer = found.map_err(|problem| problem.at("hint"))?;
        Ok(Some(HintEngine { engine, budget: *budget }))
    }

    /// Returns a plan of the same players with the sides exchanged.
    pub(crate) fn rematch(&self, games: &Games, seed: u64) -> ApiResult<Self> {
        let start = self.start(games)?;
        let count = start.game.seats_of(&start.variant).max(1);
        let mut players = self.players.clone();
        for player in &mut players {
            // Sides alternate by seat, so the next seat belongs to the other side.
            player.seats.iter_mut().for_each(|seat| *seat = (*seat + 1) % count);
            player.seats.sort_unstable();
        }
        let plan = Self { players, seed, ..self.clone() };
        plan.new_referee(games)?;
        Ok(plan)
    }

    /// Returns the plan of a quick game: people, named after their sides.
    pub(crate) fn quick_game(
        games: &Games,
        start: &StartPosition,
        budget: Budget,
        seed: u64,
    ) -> ApiResult<Self> {
        let set_up = start.set_up().map_err(|error| Problem::unprocessable("variant", error))?;
        let player = |seats: Vec<u8>| PlannedPlayer {
            name: set_up.side_name(set_up.side(Seat(seats[0]))).to_owned(),
            seats,
            budget,
            engine: None,
            ponders: false,
            chooses_name: false,
        };
        let players = start.game.seats_of_players(&start.variant).into_iter().map(player).collect();
        let position = start.position.clone();
        let position = position.or_else(|| start.game.deal.map(|deal| deal(&start.variant, seed)));
        let plan = Self {
            game: start.game.id.into(),
            variant: start.variant.text(),
            start: position,
            opening: start.moves.clone(),
            seed,
            settings: settings_from(NewSettings::default(), start)?,
            players,
            hint: None,
            host: None,
            quick_game: true,
        };
        plan.new_referee(games)?;
        Ok(plan)
    }

    /// Returns the players that are persons.
    pub(crate) fn persons(&self) -> impl Iterator<Item = usize> + '_ {
        let person =
            |(index, player): (usize, &PlannedPlayer)| player.engine.is_none().then_some(index);
        self.players.iter().enumerate().filter_map(person)
    }
}

/// The time rules of a room: people play for pleasure, on machines and networks that are late.
const GRACE_MS_DEFAULT: u32 = 1_000;
const FIRST_MOVE_MS_DEFAULT: u32 = 30_000;
const GRACE_MS_MAX: u32 = 60_000;
const FIRST_MOVE_MS_MAX: u32 = 3_600_000;

fn settings_from(settings: NewSettings, start: &StartPosition) -> ApiResult<BoutSettings> {
    let default = BoutSettings::default();
    let us = |name: &str, ms: Option<u32>, default: u32, max: u32| match ms.unwrap_or(default) {
        ms if ms <= max => Ok(u64::from(ms) * 1000),
        ms => {
            let detail = format!("{ms} milliseconds are more than {max}");
            Err(Problem::bad_request(format!("settings.{name}"), detail))
        }
    };
    let grace_us = us("grace_ms", settings.grace_ms, GRACE_MS_DEFAULT, GRACE_MS_MAX)?;
    let first_move_us =
        us("first_move_ms", settings.first_move_ms, FIRST_MOVE_MS_DEFAULT, FIRST_MOVE_MS_MAX)?;
    let settings = BoutSettings {
        grace: Grace { us: grace_us, ..default.grace },
        first_move_us,
        undo: settings.undo.unwrap_or(default.undo),
        draw_offers: settings.draw_offers.unwrap_or(default.draw_offers),
        ..default
    };
    Ok(settings.for_game(start.game, &start.variant))
}

/// Gives each player the seats of a player drawn at random.
fn exchange_seats(players: &mut [NewPlayer], seed: u64) {
    let take = |player: &mut NewPlayer| std::mem::take(&mut player.seats);
    let mut seats: Vec<Vec<u8>> = players.iter_mut().map(take).collect();
    SplitMix64::new(seed).shuffle(&mut seats);
    for (player, seats) in players.iter_mut().zip(seats) {
        player.seats = seats;
    }
}

fn plan_player(
    index: usize,
    player: NewPlayer,
    side: impl Fn(u8) -> &'static str,
) -> ApiResult<PlannedPlayer> {
    let location = |field: &str| format!("players[{index}].{field}");
    let NewPlayer { name, seats, budget: text, person, engine, ponders } = player;
    let mut budget = parse_budget(&text, location("budget"))?;
    match (&person, &engine) {
        (Some(_), Some(_)) => {
            return Err(Problem::unprocessable(
                location("engine"),
                "set either `person` or `engine`, not both",
            ));
        }
        (None, None) => {
            return Err(Problem::unprocessable(
                location("person"),
                "set either `person` or `engine`",
            ));
        }
        _ => (),
    }
    if engine.is_some() && budget.is_none() {
        budget = Budget::wall_per_move(DEFAULT_MOVE_US);
    }
    if engine.is_none() && matches!(budget.unit(), Unit::Cpu | Unit::Fuel) {
        let detail = crate::messages::persons_budget(budget);
        return Err(Problem::unprocessable(location("budget"), detail));
    }
    let name = sanitize(name.trim(), LABEL_BYTES);
    let first = seats.first().copied().unwrap_or(0);
    let name = match (name.is_empty(), &engine) {
        (false, _) => name,
        (true, Some(engine)) => sanitize(&engine.id, LABEL_BYTES),
        (true, None) => side(first).to_owned(),
    };
    let chooses_name = person.is_some_and(|person| person.chooses_name);
    Ok(PlannedPlayer { name, seats, budget, engine, ponders, chooses_name })
}
