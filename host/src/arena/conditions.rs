//! What games in pairs have in common, and the bout that a job makes of it: for arenas and for tuning. A pure value.

use sandboard_games::{GameInfo, Seat, SetupError, Side};

use super::job::{Job, Plan};
use crate::bout::{BoutSetup, EnginePlayer, Mover, Participant, Place};
use crate::budget::Budget;
use crate::exact::{self, ExactError};
use crate::record::Start;
use crate::referee::Settings;

/// What games have in common.
pub struct Conditions {
    /// Where games begin without an opening; its variant has the size in force.
    pub start: Start,
    /// The seats of each side.
    pub seats: [Vec<u8>; 2],
    /// The openings, by number; empty: none.
    pub openings: Vec<Start>,
    /// What its jobs have in common.
    pub plan: Plan,
    /// The rules of its bouts that are not the game's.
    pub settings: Settings,
}

/// A player of an arena.
#[derive(Clone)]
pub struct Rival {
    /// Its name in records and results.
    pub name: String,
    /// What it may spend.
    pub budget: Budget,
    /// Its engine.
    pub engine: EnginePlayer,
    /// Whether it may think on its opponent's time.
    pub ponders: bool,
}

/// The seats of each side in the games that begin there.
fn seats_by_side(start: &Start) -> Result<[Vec<u8>; 2], SetupError> {
    let game = start.set_up()?;
    let of = |side: u8| {
        (0..game.info().seats).filter(|seat| game.side(Seat(*seat)) == Side(side)).collect()
    };
    Ok([of(0), of(1)])
}

impl Conditions {
    /// Games from there or from these openings. Err: nothing begins there.
    pub fn new(
        start: Start,
        openings: Vec<Start>,
        plan: Plan,
        settings: Settings,
    ) -> Result<Self, SetupError> {
        Ok(Self { seats: seats_by_side(&start)?, start, openings, plan, settings })
    }

    /// The game.
    pub fn game(&self) -> &'static GameInfo {
        self.start.game
    }

    /// Where a game begins: with its opening, else with the deal of its number, where the game
    /// begins by chance.
    pub fn start_of(&self, job: &Job) -> Start {
        let opening = job.opening.and_then(|opening| self.openings.get(opening as usize));
        let start = opening.unwrap_or(&self.start);
        match self.game().deal.filter(|_| opening.is_none()) {
            Some(deal) => {
                let seed = self.plan.deal_seed(job.pair.opening);
                Start { position: Some(deal(&start.variant, seed)), ..start.clone() }
            }
            None => start.clone(),
        }
    }

    /// The bout of a job between two of these; its record is kept nowhere but in its report. Err: where it begins has
    /// no exact value, which the game is marked with.
    pub fn bout(&self, job: &Job, rivals: &[Rival]) -> Result<BoutSetup, ExactError> {
        let player = |player: usize| {
            let rival = rivals.get(job.pair.players[player] as usize)?;
            let mut engine = rival.engine.clone();
            engine.seed = engine.seed.or_else(|| self.plan.engine_seed(job, player));
            Some(Participant {
                name: rival.name.clone(),
                seats: self.seats[usize::from(job.side_of(player))].clone(),
                budget: rival.budget,
                mover: Mover::Engine(engine),
                ponders: rival.ponders,
            })
        };
        Ok(BoutSetup {
            start: exact::marked(&self.start_of(job), &|| true)?,
            seed: job.seed,
            settings: self.settings,
            players: [0, 1].into_iter().filter_map(player).collect(),
            hint: None,
            live: None,
            place: Place::Nowhere,
            resumed: None,
        })
    }
}
