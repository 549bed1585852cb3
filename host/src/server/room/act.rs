//! What people want: who may want it, and how it goes to the bout. Each message is done once, by
//! its id; what became of it comes back from the bout.

use std::sync::Arc;

use super::live::{Live, Spoken, Stage};
use super::{Room, To, Told};
use crate::bout::{EnginePlayer, PersonEvent, Word};
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::wire::{EngineSeat, Event, Presence, Said, UndoAsked, Want};
use crate::server::writer::Emission;

/// The longest id of a message, in bytes.
const ID_BYTES: usize = 64;
/// The longest move that is looked at, in bytes.
const MOVE_BYTES: usize = sandboard_abi::limits::MOVE_BYTES;

/// What is to be done about a message.
pub enum Heard {
    /// Nothing more: what became of it comes later.
    Later,
    /// This is to be told.
    Now(Emission),
    /// An engine is to be loaded, and then seated ([`Room::seat`]).
    Seat {
        /// In whose place.
        player: usize,
        /// Which.
        engine: EngineSeat,
        /// The ticket and the message, for the answer.
        by: (usize, String),
    },
}

/// How a wish is carried out.
enum Deed {
    /// By this word to the bout.
    Word {
        player: Option<usize>,
        ply: Option<u32>,
        event: PersonEvent,
    },
    /// It is done, and everybody is told this.
    Done(Vec<Told>),
    Seat(usize, EngineSeat),
    /// The room ends before its bout has begun.
    Close,
}

fn forbidden(detail: &str) -> Problem {
    Problem::new(Kind::Forbidden, detail)
}

fn conflict(detail: &str) -> Problem {
    Problem::new(Kind::Conflict, detail)
}

impl Room {
    /// Takes in what somebody with this ticket says.
    pub fn hear(self: &Arc<Self>, ticket: usize, said: Said) -> Heard {
        let Said { id, want, .. } = said;
        let to = To::Ticket(ticket);
        let now = |event: Event| self.emission(Vec::new(), vec![Told { to, event }]);
        if id.len() > ID_BYTES {
            let id = id[..id.floor_char_boundary(ID_BYTES)].to_owned();
            let detail = format!("an id has at most {ID_BYTES} bytes");
            return Heard::Now(now(Event::Error { id, kind: Kind::BadRequest.word(), detail }));
        }
        if want == Want::Ping {
            return Heard::Now(now(Event::Pong { id }));
        }
        let mut live = self.live();
        match live.tickets.get_mut(ticket).and_then(|it| it.seen(&id)) {
            Some(Some(answer)) => return Heard::Now(now(answer)),
            Some(None) => return Heard::Later,
            None => (),
        }
        let deed = self.deed(&mut live, ticket, want);
        match deed {
            Ok(Deed::Word { player, ply, event }) => match &live.input {
                Some(input) => {
                    let input = input.clone();
                    let number = live.next_word;
                    live.next_word += 1;
                    let refusal = match event {
                        PersonEvent::Move(_) => Kind::IllegalMove,
                        _ => Kind::Conflict,
                    };
                    live.words.insert(number, Spoken { ticket, id: id.clone(), refusal });
                    let event = Box::new(event);
                    let word = PersonEvent::Said(Word { number, player, ply, event });
                    if input.send(word) {
                        return Heard::Later;
                    }
                    live.words.remove(&number);
                    let over = Err(conflict("the bout is over"));
                    Heard::Now(now(live.settle(ticket, id, over)))
                }
                None => {
                    let early = Err(conflict("the bout has not begun"));
                    Heard::Now(now(live.settle(ticket, id, early)))
                }
            },
            Ok(Deed::Seat(player, engine)) => Heard::Seat { player, engine, by: (ticket, id) },
            Ok(Deed::Done(mut told)) => {
                let event = live.settle(ticket, id, Ok(()));
                let writes = vec![self.kept(&live)];
                told.push(Told { to, event });
                Heard::Now(self.emission(writes, told))
            }
            Ok(Deed::Close) => {
                let event = live.settle(ticket, id, Ok(()));
                drop(live);
                let mut emission = self.aborted("its host has closed the room");
                emission.told.push(Told { to, event });
                Heard::Now(emission)
            }
            Err(problem) => Heard::Now(now(live.settle(ticket, id, Err(problem)))),
        }
    }

    fn deed(&self, live: &mut Live, ticket: usize, want: Want) -> Answer<Deed> {
        let player = live.player(ticket);
        let host = live.is_host(ticket);
        match live.stage {
            Stage::Over => return Err(conflict("the bout is over")),
            Stage::Waiting if want == Want::Abort && host => return Ok(Deed::Close),
            Stage::Waiting | Stage::Asleep(_) => return Err(conflict("the bout has not begun")),
            Stage::Playing => (),
        }
        let word = |player, event| Deed::Word { player, ply: None, event };
        let own = || player.ok_or_else(|| forbidden("this ticket is for no player"));
        let of_host = || match host {
            true => Ok(()),
            false => Err(forbidden("only the host of the room may do that")),
        };
        match want {
            Want::Ping => Ok(Deed::Done(Vec::new())),
            Want::Move { r#move, ply } => {
                let player = Some(own()?);
                if r#move.len() > MOVE_BYTES {
                    let detail = format!("a move has at most {MOVE_BYTES} bytes");
                    return Err(Problem::new(Kind::IllegalMove, detail));
                }
                Ok(Deed::Word { player, ply: Some(ply), event: PersonEvent::Move(r#move) })
            }
            Want::Undo { plies } => self.undo(live, own()?, plies),
            Want::AcceptUndo => {
                let player = own()?;
                let asked = live.undo_asked.take_if(|it| it.player != player);
                let asked = asked.ok_or_else(|| conflict("nobody has asked to undo anything"))?;
                let event = PersonEvent::Undo(Some(asked.plies));
                Ok(Deed::Word { player: Some(asked.player), ply: Some(live.at.plies), event })
            }
            Want::DeclineUndo => {
                let player = own()?;
                let asked = live.undo_asked.take_if(|it| it.player != player);
                let asked = asked.ok_or_else(|| conflict("nobody has asked to undo anything"))?;
                let event = Event::UndoDeclined { player: asked.player };
                Ok(Deed::Done(vec![Told::all(event)]))
            }
            Want::Resign => Ok(word(Some(own()?), PersonEvent::Resign)),
            Want::OfferDraw => Ok(word(Some(own()?), PersonEvent::OfferDraw)),
            Want::AcceptDraw => Ok(word(Some(own()?), PersonEvent::AcceptDraw)),
            Want::DeclineDraw => Ok(word(Some(own()?), PersonEvent::DeclineDraw)),
            Want::Hint => Ok(word(Some(own()?), PersonEvent::Hint)),
            Want::MoveNow => own()
                .or_else(|e| of_host().map(|()| 0).map_err(|_| e))
                .map(|_| word(None, PersonEvent::MoveNow)),
            Want::Pause => of_host().map(|()| self.pause(live)),
            Want::Resume | Want::Step => {
                of_host()?;
                if !live.paused {
                    return Err(conflict("the bout is not paused"));
                }
                live.stepping = want == Want::Step;
                Ok(word(None, PersonEvent::Resume))
            }
            Want::Abort => {
                of_host()?;
                let name = player.and_then(|player| live.plan.players.get(player));
                let by = name.map_or("the host".to_owned(), |player| player.name.clone());
                Ok(word(None, PersonEvent::Abort(format!("ended by {by}"))))
            }
            Want::Claim => {
                let gone = gone(live, own()?).ok_or_else(|| {
                    conflict("nobody of the other side is gone from an untimed bout")
                })?;
                Ok(word(None, PersonEvent::Gone(gone)))
            }
            Want::SeatEngine { player: place, engine } => {
                let chair = live.chairs.get(place).filter(|chair| chair.person);
                let chair = chair.ok_or_else(|| conflict("no person sits there"))?;
                match player == Some(place) || host || chair.state == Presence::Gone {
                    true => Ok(Deed::Seat(place, engine)),
                    false => Err(forbidden("that player is not gone")),
                }
            }
        }
    }

    /// A bout that stands still for somebody who is absent stands still for people from now on.
    fn pause(&self, live: &mut Live) -> Deed {
        if live.held.take().is_none() {
            return Deed::Word { player: None, ply: None, event: PersonEvent::Pause };
        }
        live.paused = true;
        let players = self.shown().view.clocks_now();
        Deed::Done(vec![Told::all(Event::Paused { players })])
    }

    /// Where another person plays, it is asked first.
    fn undo(&self, live: &mut Live, player: usize, plies: Option<u32>) -> Answer<Deed> {
        let other = |it: usize| it != player && !live.same_side(it, player);
        let others = live.chairs.iter().enumerate().filter(|(_, chair)| chair.person);
        let asks = others.map(|(it, _)| it).any(other);
        if !asks {
            let event = PersonEvent::Undo(plies);
            return Ok(Deed::Word { player: Some(player), ply: None, event });
        }
        if !live.plan.settings.undo {
            return Err(conflict("moves may not be undone in this bout"));
        }
        let (have, own) = {
            let shown = self.shown();
            let plies = &shown.view.plies;
            (plies.len() as u32, plies.iter().rposition(|ply| ply.player == player))
        };
        let since_own = || own.map(|own| have - own as u32);
        match plies.or_else(since_own) {
            Some(plies) if (1..=have).contains(&plies) => {
                live.undo_asked = Some(UndoAsked { player, plies });
                Ok(Deed::Done(vec![Told::all(Event::UndoAsked { player, plies })]))
            }
            _ => Err(conflict("there is nothing to undo, or not so much")),
        }
    }

    /// The bout has said what became of a word.
    pub(super) fn answer(&self, number: u64, answer: Result<(), &str>) -> Option<Told> {
        let mut live = self.live();
        let Spoken { ticket, id, refusal } = live.words.remove(&number)?;
        let answer = answer.map_err(|reason| Problem::new(refusal, reason));
        let event = live.settle(ticket, id, answer);
        Some(Told { to: To::Ticket(ticket), event })
    }

    /// What somebody is told whose engine cannot be seated.
    pub fn refuse(self: &Arc<Self>, (ticket, id): (usize, String), problem: Problem) -> Emission {
        let event = self.live().settle(ticket, id, Err(problem));
        self.emission(Vec::new(), vec![Told { to: To::Ticket(ticket), event }])
    }

    /// Puts an engine in a person's place: the bout stops, and goes on with it.
    pub fn seat(
        self: &Arc<Self>,
        player: usize,
        engine: EnginePlayer,
        (ticket, id): (usize, String),
    ) -> Emission {
        let mut live = self.live();
        let person = live.chairs.get(player).is_some_and(|chair| chair.person);
        let answer = match (&live.stage, person) {
            (Stage::Playing, true) => match live.input.clone() {
                Some(input) => {
                    live.successor = Some((player, engine));
                    input.send(PersonEvent::Quit);
                    Ok(())
                }
                None => Err(conflict("the bout has not begun")),
            },
            _ => Err(conflict("no person plays there any more")),
        };
        let event = live.settle(ticket, id, answer);
        drop(live);
        self.emission(Vec::new(), vec![Told { to: To::Ticket(ticket), event }])
    }

    /// Where the bout began: for engines that are to be seated.
    pub fn start_position(&self) -> Answer<crate::record::Start> {
        self.live().plan.start()
    }

    /// In what a player's engine would be limited.
    pub fn unit_of(&self, player: usize) -> sandboard_abi::Unit {
        let live = self.live();
        live.plan.players.get(player).map(|it| it.budget.unit()).unwrap_or_default()
    }
}

/// Somebody whose game another may claim: of the other side, untimed, and gone.
fn gone(live: &Live, player: usize) -> Option<usize> {
    let gone = |(it, chair): &(usize, &super::live::Chair)| {
        chair.person
            && chair.state == Presence::Gone
            && !live.same_side(*it, player)
            && live.is_untimed(*it)
    };
    live.chairs.iter().enumerate().find(gone).map(|(it, _)| it)
}

impl Live {
    /// The answer to a message, kept for the case that it comes again.
    fn settle(&mut self, ticket: usize, id: String, answer: Answer<()>) -> Event {
        let event = match answer {
            Ok(()) => Event::Ack { id: id.clone() },
            Err(Problem { kind, detail, .. }) => {
                Event::Error { id: id.clone(), kind: kind.word(), detail }
            }
        };
        if let Some(ticket) = self.tickets.get_mut(ticket) {
            ticket.answered(&id, &event);
        }
        event
    }
}
