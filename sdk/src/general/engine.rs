//! [`GeneralEngine`] implements the ABI for a [`GeneralChooser`]. Searches nothing itself, and
//! reads no clock.

use std::fmt;

use sandboard_abi::{Barred, Choice, Decision, Description, Level, Limits, Setup};
use sandboard_games::Seat;
use sandboard_games::general::{Actor, GeneralRules};

use super::chooser::{GeneralChooser, GeneralTurn};
use super::determinize::Determinize;
use super::knowledge::Knowledge;
use crate::chooser::{NewGame, ReplyDecision};
use crate::engine::{CrateInfo, Engine, check_options, description_of};
use crate::host::Host;
use crate::random::Random;

/// The whole ABI over a [`GeneralChooser`]: keeps what the player knows, asks the host for its
/// view, samples a first world, checks options, and seeds the random numbers. Export it by
/// `export_engine!(engine GeneralEngine<Mine>)`. It does not ponder, and has no helpers.
///
/// If no world fits what the player knows, the engine logs a warning and plays one of the host's
/// legal moves at random, without a call of the chooser.
pub struct GeneralEngine<C: GeneralChooser> {
    chooser: C,
    knowledge: Knowledge<C::Rules>,
    worlds: C::Worlds,
    host: Host,
    random: Random,
}

impl<C: GeneralChooser> GeneralEngine<C> {
    fn description(crate_info: CrateInfo) -> Description {
        let mut description = description_of(crate_info, C::Rules::INFO);
        C::describe(&mut description);
        description
    }

    /// A legal move of the host at random. Err: every legal move is barred.
    fn random_legal_move(&mut self, barred: &[Barred]) -> Result<Choice, String> {
        let legal = self.host.legal("")?;
        let is_allowed = |text: &&str| !barred.iter().any(|it| it.r#move == *text);
        let moves: Vec<&str> = legal.split_ascii_whitespace().filter(is_allowed).collect();
        let mv = moves.get(self.random.below(moves.len())).ok_or("every legal move is barred")?;
        let plies = self.knowledge.seen.len();
        let text = format!("plays a random move: no position fits the {plies} plies that it saw");
        self.host.log(Level::Warning, &text);
        let decision = Decision::Play((*mv).to_owned());
        Ok(Choice { decision, offers_draw: false, line: None })
    }
}

impl<C: GeneralChooser> Engine for GeneralEngine<C> {
    fn describe(crate_info: CrateInfo) -> Description {
        Self::description(crate_info)
    }

    fn start(setup: &Setup, host: Host) -> Result<Self, String> {
        let options = Self::description(CrateInfo::default()).options;
        check_options(&options, &setup.options)?;
        let knowledge = knowledge_at_start::<C::Rules>(setup)?;
        let mut chooser = C::default();
        let position = &knowledge;
        chooser.started(&NewGame { setup, position, host: &host, options: &options })?;
        let (worlds, random) = (C::Worlds::default(), Random::seeded(setup.seed));
        Ok(Self { chooser, knowledge, worlds, host, random })
    }

    fn played(&mut self, text: &str) -> Result<(), String> {
        self.knowledge.seen.push(text.to_owned());
        self.chooser.played(&self.knowledge);
        Ok(())
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), String> {
        let seen = &mut self.knowledge.seen;
        let info = C::Rules::INFO;
        if !info.allows_undo() {
            let id = info.id;
            return Err(format!(
                "cannot take back moves of {id}, which has chance or hides something"
            ));
        }
        let Some(left) = seen.len().checked_sub(plies as usize) else {
            return Err(format!("cannot take back {plies} plies of a game of {}", seen.len()));
        };
        seen.truncate(left);
        self.chooser.taken_back(&self.knowledge, plies);
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Choice, String> {
        self.knowledge.view = self.host.look("")?.position;
        let world = self.worlds.sample(&self.knowledge, &mut self.random);
        let Some(world) = world.filter(|world| self.knowledge.fits(world)) else {
            return self.random_legal_move(barred);
        };
        let Some(seat) = self.knowledge.seat_to_move(&world) else {
            return Err("is to choose a move, but no seat of it is to move".into());
        };
        let actor = Actor::Seat(seat);
        let moves = barred.iter().filter_map(|it| world.parse_move(actor, &it.r#move).ok());
        let barred: Vec<_> = moves.collect();
        let reply = self.chooser.next_move(&mut GeneralTurn {
            seat,
            knowledge: &self.knowledge,
            world: &world,
            worlds: &mut self.worlds,
            limits,
            barred: &barred,
            host: &self.host,
            random: &mut self.random,
        });
        let decision = match reply.decision {
            ReplyDecision::Play(mv) => {
                let mut text = String::new();
                world.write_move(actor, &mv, &mut text);
                Decision::Play(text)
            }
            ReplyDecision::Resign => Decision::Resign,
            ReplyDecision::AcceptDraw => Decision::AcceptDraw,
        };
        Ok(Choice { decision, offers_draw: reply.offers_draw, line: reply.line })
    }
}

impl<C: GeneralChooser> fmt::Debug for GeneralEngine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeneralEngine").field("knowledge", &self.knowledge).finish_non_exhaustive()
    }
}

fn knowledge_at_start<G: GeneralRules>(setup: &Setup) -> Result<Knowledge<G>, String> {
    let info = G::INFO;
    if setup.game != info.id {
        return Err(format!("plays {}, not {}", info.id, setup.game));
    }
    let variant = info.variant(&setup.variant).map_err(|error| error.to_string())?;
    let start = match setup.start.as_str() {
        "" => Some(G::start(&variant)),
        text => match G::parse_position(&variant, text) {
            Ok(start) => Some(start),
            // The view of a seat is not always the text of a position.
            Err(_) if info.features.hidden_information => None,
            Err(error) => return Err(error.to_string()),
        },
    };
    let seats: Vec<Seat> = setup.seats.iter().copied().map(Seat).collect();
    if seats.is_empty() {
        return Err("has no seat in the game".into());
    }
    let seen = setup.moves.split_ascii_whitespace().map(str::to_owned).collect();
    let start_view = setup.start.clone();
    Ok(Knowledge { variant, start, start_view, seats, seen, view: String::new() })
}
