//! From a record to the calls that each of its engines got. The referee of the
//! bout is set up again and told what the record says that came; what it then
//! commands is what the engines were asked. Calls no engine.

use std::collections::VecDeque;

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup};

use super::timeline;
use crate::engine::{CallName, Fault, FaultCode, Spent};
use crate::record::{EngineRecord, GameTable, Record, RecordError, Start};
use crate::referee::{
    Command, Event, Incident, PastPly, PlayerKind, Referee, Rejection, Termination, What,
};

/// A text that no rules of any game take for a move.
const NO_MOVE: &str = "\0";

/// What the engines of a bout were asked, by player; nothing for people.
#[derive(Clone, Debug)]
pub struct Script {
    /// The calls of each player's instances, in order.
    pub players: Vec<Vec<Step>>,
}

/// One call, and what is known of how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// How many moves had been played.
    pub at_ply: u32,
    /// What was called.
    pub call: Call,
    /// How it ended.
    pub expected: Expected,
}

/// A call over the border.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A fresh instance, in place of an earlier one.
    Start(Box<Setup>),
    /// A move was told.
    Played(String),
    /// So many moves were taken back.
    TakenBack(u32),
    /// A move was asked for.
    Choose(Box<Limits>, Vec<Barred>),
}

/// How a recorded call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// It came back.
    Done,
    /// It brought an answer.
    Answer(Answered, Box<Spent>),
    /// It ended in a fault.
    Fault(Box<Fault>),
    /// The record does not know: the answer was given up.
    Unknown,
}

/// What an engine had answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// This move, which was played.
    Move(String),
    /// This text, cut and cleared, which was refused.
    Refused(String),
    /// It gave up.
    Resigned,
    /// It took the draw that was offered.
    DrawAccepted,
}

/// Why a record gives no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// It is not sound.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What it tells cannot have happened in this order.
    #[error("{place}: {reason}")]
    Incoherent {
        /// Which field, as in `events[3]`.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Script {
    /// The calls behind a record. Err: it contradicts itself, at this place.
    pub fn of(record: &Record, games: GameTable) -> Result<Self, ScriptError> {
        let start = record.start(games)?;
        let referee = fresh(record, &start)?;
        let mut derivation = Derivation {
            record,
            start,
            referee,
            now_us: 0,
            commands: VecDeque::new(),
            asked: None,
            compared: 0,
            exact_clocks: true,
            players: vec![Vec::new(); record.players.len()],
        };
        derivation.run()?;
        Ok(Self { players: derivation.players })
    }
}

fn fresh(record: &Record, start: &Start) -> Result<Referee, ScriptError> {
    let game = start.set_up().map_err(|error| incoherent("start", error))?;
    Referee::new(game, record.setups(), record.settings)
        .map_err(|error| incoherent("players", error))
}

fn incoherent(place: impl Into<String>, reason: impl ToString) -> ScriptError {
    ScriptError::Incoherent { place: place.into(), reason: reason.to_string() }
}

struct Derivation<'a> {
    record: &'a Record,
    start: Start,
    referee: Referee,
    now_us: u64,
    commands: VecDeque<Command>,
    asked: Option<Asked>,
    /// So many incidents of the referee are known to be the record's.
    compared: usize,
    /// No session before this one, whose clocks the record has only at its end.
    exact_clocks: bool,
    players: Vec<Vec<Step>>,
}

/// The request that is open.
#[derive(Clone)]
struct Asked {
    player: usize,
    call: u64,
    limits: Limits,
}

type Done = Result<(), ScriptError>;

impl<'a> Derivation<'a> {
    fn run(&mut self) -> Done {
        self.feed(Event::Begin)?;
        loop {
            while let Some(command) = self.commands.pop_front() {
                self.execute(command)?;
            }
            if self.referee.result().is_some() || !self.go_on()? {
                return self.compare_result();
            }
        }
    }

    /// Hands an event to the referee, and holds what it notes against the record.
    fn feed(&mut self, event: Event) -> Done {
        let mut out = Vec::new();
        self.referee.handle(self.now_us, event, &mut out);
        for (index, noted) in self.referee.incidents().iter().enumerate().skip(self.compared) {
            let place = format!("events[{index}]");
            match self.record.events.get(index) {
                Some(recorded) if alike(recorded, noted) => (),
                Some(_) => {
                    let reason = format!("here the bout has {:?}", noted.what);
                    return Err(incoherent(place, reason));
                }
                None => {
                    return Err(incoherent(place, format!("{:?} is missing", noted.what)));
                }
            }
        }
        self.compared = self.referee.incidents().len();
        self.commands.extend(out);
        Ok(())
    }

    fn execute(&mut self, command: Command) -> Done {
        match command {
            Command::Start { player } => {
                let Some(setup) = self.setup(player) else { return Ok(()) };
                self.told(player, Call::Start(Box::new(setup)), CallName::Start)
            }
            Command::Tell { player, mv } => {
                self.told(player, Call::Played(mv.to_string()), CallName::Played)
            }
            Command::TakeBack { player, plies } => {
                self.told(player, Call::TakenBack(plies), CallName::TakenBack)
            }
            Command::Ask { player, call, limits, .. } if self.referee.asked(call) => {
                self.asked = Some(Asked { player, call, limits });
                Ok(())
            }
            Command::Rejected(reason) => Err(incoherent(
                self.place(),
                format!("the bout does not go on like this: {reason}"),
            )),
            _ => Ok(()),
        }
    }

    /// A call other than `choose`, which failed if the record says so next.
    fn told(&mut self, player: usize, call: Call, name: CallName) -> Done {
        if self.referee.result().is_some() {
            // Whatever came of it was of no consequence, and is not recorded.
            return Ok(());
        }
        let fault = self.next_event().and_then(|next| fault_of(next, player, name));
        let expected = match &fault {
            None => Expected::Done,
            Some(fault) => Expected::Fault(Box::new(fault.clone())),
        };
        self.step(player, call, expected);
        match fault {
            None => Ok(()),
            Some(fault) => {
                self.feed(Event::Fault { player, call: None, fault, reported: Vec::new() })
            }
        }
    }

    fn step(&mut self, player: usize, call: Call, expected: Expected) {
        let at_ply = self.referee.plies().len() as u32;
        if let Some(steps) = self.players.get_mut(player) {
            steps.push(Step { at_ply, call, expected });
        }
    }

    /// What the record says that happened next beside the moves.
    fn next_event(&self) -> Option<&'a Incident> {
        self.record.events.get(self.referee.incidents().len())
    }

    fn place(&self) -> String {
        let plies = self.referee.plies().len();
        match self.next_event() {
            Some(next) if next.at_ply as usize <= plies || plies >= self.record.plies.len() => {
                format!("events[{}]", self.referee.incidents().len())
            }
            _ => format!("plies[{plies}]"),
        }
    }

    /// Goes on with the next thing that the record tells. False: there is none.
    fn go_on(&mut self) -> Result<bool, ScriptError> {
        let plies = self.referee.plies().len();
        let next = self.next_event();
        if let Some(next) = next.filter(|next| next.at_ply as usize <= plies) {
            if (next.at_ply as usize) < plies {
                return Err(incoherent(self.place(), format!("{plies} moves have been played")));
            }
            self.happens(&next.what)?;
            return Ok(true);
        }
        if timeline::next(self.record, plies, self.referee.incidents().len()).is_some() {
            self.moves()?;
            return Ok(true);
        }
        if next.is_some() {
            return Err(incoherent(self.place(), "there are fewer moves"));
        }
        match self.record.result.as_ref().map(|result| (&result.termination, &result.sentence)) {
            Some((Termination::Aborted, sentence)) => {
                let reason = sentence.strip_prefix("aborted: ").unwrap_or(sentence).to_owned();
                self.feed(Event::Abort { reason })?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The player that is asked answers with the next move of the record.
    fn moves(&mut self) -> Done {
        let events = self.referee.incidents().len();
        let plies = self.referee.plies().len();
        let made = timeline::next(self.record, plies, events);
        let (Some(made), Some(asked)) = (made, self.asked.take()) else {
            return Err(incoherent(self.place(), "nobody was asked for a move"));
        };
        let offered = self.next_event().is_some_and(
            |next| matches!(next.what, What::DrawOffered { player } if player == asked.player),
        );
        let spent = made.ply.map(|ply| ply.spent).unwrap_or_default();
        let choice = Choice {
            decision: Decision::Play(made.mv.to_owned()),
            offers_draw: made.ply.map_or(offered, |ply| ply.offers_draw),
            line: None,
        };
        let expected = match made.ply {
            Some(_) => Expected::Answer(Answered::Move(made.mv.to_owned()), Box::new(spent)),
            None => Expected::Unknown,
        };
        self.answer(&asked, expected, choice, spent)?;
        let clock = made.ply.and_then(|ply| ply.clock_left);
        let left = self.referee.plies().last().and_then(|ply| ply.after.left());
        if made.ply.is_some() && self.exact_clocks && clock != left {
            let reason = format!("{clock:?} is recorded, {left:?} is what the moves give");
            return Err(incoherent(format!("plies[{plies}].clock_left"), reason));
        }
        Ok(())
    }

    /// Hands an answer in, as if its time had passed.
    fn answer(&mut self, asked: &Asked, expected: Expected, choice: Choice, spent: Spent) -> Done {
        let &Asked { player, call, .. } = asked;
        if self.is_engine(player) {
            self.choose(asked, expected);
        } else {
            self.now_us = self.now_us.saturating_add(spent.wall_us);
        }
        let reported = self.reported();
        self.feed(Event::Chosen { player, call, choice, spent, reported })
    }

    fn choose(&mut self, asked: &Asked, expected: Expected) {
        let call = Call::Choose(Box::new(asked.limits.clone()), self.barred(asked.player));
        self.step(asked.player, call, expected);
    }

    /// What the player was told not to choose: what was refused of it in this turn.
    fn barred(&self, player: usize) -> Vec<Barred> {
        let at_ply = self.referee.plies().len() as u32;
        let events = self.record.events.get(..self.referee.incidents().len()).unwrap_or_default();
        let this_turn = events.iter().rev().take_while(|event| {
            event.at_ply == at_ply && !matches!(event.what, What::Undone { .. } | What::Reloaded)
        });
        let refused = this_turn.filter_map(|event| match &event.what {
            What::Refused { player: other, r#move, reason, .. } if *other == player => {
                Some(Barred { r#move: r#move.clone(), reason: reason.clone() })
            }
            _ => None,
        });
        let mut barred: Vec<Barred> = refused.collect();
        barred.reverse();
        barred
    }

    /// The move that was taken from the reports of a late engine, if one was.
    fn reported(&self) -> Vec<String> {
        let events = self.referee.incidents().len();
        let made = timeline::next(self.record, self.referee.plies().len(), events);
        let marked = made.and_then(|made| made.ply).filter(|ply| ply.mark.is_some());
        marked.map(|ply| vec![ply.r#move.clone()]).unwrap_or_default()
    }

    /// The open request, if it is this player's.
    fn take_asked(&mut self, player: usize) -> Result<Asked, ScriptError> {
        let asked = self.asked.take().filter(|asked| asked.player == player);
        asked.ok_or_else(|| incoherent(self.place(), format!("player {player} was not asked")))
    }

    /// Brings about what the record says that happened.
    fn happens(&mut self, what: &What) -> Done {
        match what {
            What::Refused { player, r#move, reason, spent, .. } => {
                let asked = self.take_asked(*player)?;
                let spent = spent.unwrap_or_default();
                let no_offer = Rejection::NoOffer.to_string();
                let (decision, answered) = match r#move == "accept-draw" && *reason == no_offer {
                    true => (Decision::AcceptDraw, Answered::DrawAccepted),
                    false => (Decision::Play(NO_MOVE.into()), Answered::Refused(r#move.clone())),
                };
                let choice = Choice { decision, offers_draw: false, line: None };
                let expected = Expected::Answer(answered, Box::new(spent));
                self.answer(&asked, expected, choice, spent)?;
                if !self.is_engine(*player) {
                    // A person tries again on the same request.
                    self.asked = Some(asked);
                }
                Ok(())
            }
            What::Fault { player, code, sentence, call, spent } => {
                let fault = fault(*code, sentence, *call, *spent);
                self.fails(*player, fault)
            }
            What::Late { player, spent, .. } => self.is_late(*player, *spent),
            What::Resigned { player, spent } => match spent {
                Some(spent) => {
                    let answered = Answered::Resigned;
                    self.ends(*player, Decision::Resign, answered, *spent)
                }
                None => self.feed(Event::Resign { player: *player }),
            },
            What::DrawAccepted { player, spent } => match spent {
                Some(spent) => {
                    let answered = Answered::DrawAccepted;
                    self.ends(*player, Decision::AcceptDraw, answered, *spent)
                }
                None => self.feed(Event::AcceptDraw { player: *player }),
            },
            What::Undone { moves, thinking } => {
                if let Some(asked) = self.asked.take()
                    && *thinking
                {
                    let call = asked.call;
                    self.choose(&asked, Expected::Unknown);
                    self.feed(Event::Asked { call })?;
                }
                let plies = u32::try_from(moves.len()).unwrap_or(u32::MAX);
                self.feed(Event::Undo { plies: Some(plies), by: None })
            }
            What::DrawOffered { player } => self.feed(Event::OfferDraw { player: *player }),
            What::DrawDeclined { player } => {
                let side = self.referee.side(*player);
                let all = 0..self.referee.players();
                let by = all.into_iter().find(|other| self.referee.side(*other) != side);
                self.feed(Event::DeclineDraw { player: by.unwrap_or(*player) })
            }
            What::Paused => self.feed(Event::Pause),
            What::Resumed => self.feed(Event::Resume),
            What::Reloaded => self.reload(),
            What::Started { player } => {
                let reason = format!("nothing had an instance of player {player} started");
                Err(incoherent(self.place(), reason))
            }
        }
    }

    /// An answer that ends the bout.
    fn ends(
        &mut self,
        player: usize,
        decision: Decision,
        answered: Answered,
        spent: Spent,
    ) -> Done {
        let asked = self.take_asked(player)?;
        let choice = Choice { decision, offers_draw: false, line: None };
        self.answer(&asked, Expected::Answer(answered, Box::new(spent)), choice, spent)
    }

    /// A call of an engine ends in a fault.
    fn fails(&mut self, player: usize, fault: Fault) -> Done {
        let asked = self.asked.take_if(|asked| asked.player == player);
        // Where the engine's receipt says nothing, the time went by the referee's clock.
        let after = self.record.events.get(self.referee.incidents().len() + 1);
        if let Some(What::Late { spent, .. }) = after.map(|event| &event.what) {
            self.now_us = self.now_us.saturating_add(*spent);
        }
        // A call that was given up before it failed has no number any more.
        let call = Some(asked.as_ref().map_or(0, |asked| asked.call));
        if let Some(asked) = &asked {
            self.choose(asked, Expected::Fault(Box::new(fault.clone())));
        }
        let reported = self.reported();
        self.feed(Event::Fault { player, call, fault, reported })
    }

    /// A player's time is up without a fault.
    fn is_late(&mut self, player: usize, spent: u64) -> Done {
        let asked = self.take_asked(player)?;
        self.now_us = self.now_us.saturating_add(spent);
        if !self.is_engine(player) {
            return self.feed(Event::Tick);
        }
        self.choose(&asked, Expected::Unknown);
        let spent =
            Spent { wall_us: spent, cpu_us: Some(spent), fuel: Some(spent), ..Spent::default() };
        let choice = Choice { decision: Decision::Resign, offers_draw: false, line: None };
        let (call, reported) = (asked.call, self.reported());
        self.feed(Event::Chosen { player, call, choice, spent, reported })
    }

    /// A new session: fresh instances, which are told all moves so far.
    fn reload(&mut self) -> Done {
        let past = self.referee.plies().iter().map(|ply| PastPly {
            mv: ply.mv.to_string(),
            spent: ply.spent,
            left: ply.after.left(),
            line: ply.line.clone(),
            mark: ply.mark,
            offers_draw: ply.offers_draw,
        });
        let (past, incidents) = (past.collect(), self.referee.incidents().to_vec());
        self.referee = fresh(self.record, &self.start)?;
        self.referee.reload(past, incidents, 0).map_err(|error| incoherent(self.place(), error))?;
        (self.asked, self.exact_clocks) = (None, false);
        self.feed(Event::Begin)
    }

    fn is_engine(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Engine)
    }

    fn setup(&self, player: usize) -> Option<Setup> {
        let player = self.record.players.get(player)?;
        let engine: &EngineRecord = player.engine.as_ref()?;
        let start = self.start.position.as_deref().unwrap_or_default();
        Some(engine.setup(&self.referee, start, player.seats.clone()))
    }

    fn compare_result(&self) -> Done {
        if self.compared < self.record.events.len() {
            return Err(incoherent(self.place(), "the bout was over before"));
        }
        let (found, recorded) = (self.referee.result(), self.record.result.as_ref());
        match (found, recorded) {
            (found, recorded) if found == recorded => Ok(()),
            // The sentence has the refused text, which the record has cut and cleared.
            (Some(found), Some(recorded))
                if found.termination == Termination::IllegalMove
                    && (found.winner, &found.termination)
                        == (recorded.winner, &recorded.termination) =>
            {
                Ok(())
            }
            // Nobody tells the record why somebody was gone.
            (None, Some(result)) if result.termination == Termination::Disconnected => Ok(()),
            (Some(found), _) => {
                Err(incoherent("result", format!("the bout ends with: {}", found.sentence)))
            }
            (None, _) => Err(incoherent("result", "the moves do not lead to an end")),
        }
    }
}

/// Whether the referee notes what the record says. A refused text is recorded
/// cut and cleared, which is not the text that was refused.
fn alike(recorded: &Incident, noted: &Incident) -> bool {
    match (&recorded.what, &noted.what) {
        (What::Refused { player, spent, .. }, What::Refused { player: other, spent: same, .. }) => {
            recorded.at_ply == noted.at_ply && player == other && spent == same
        }
        _ => recorded == noted,
    }
}

/// The fault that this incident tells, if it is one of this call of this player.
fn fault_of(event: &Incident, player: usize, name: CallName) -> Option<Fault> {
    match &event.what {
        What::Fault { player: other, code, sentence, call, spent }
            if *other == player && *call == Some(name) =>
        {
            Some(fault(*code, sentence, *call, *spent))
        }
        _ => None,
    }
}

fn fault(code: FaultCode, sentence: &str, call: Option<CallName>, spent: Spent) -> Fault {
    Fault { call, spent, ..Fault::new(code, sentence) }
}
