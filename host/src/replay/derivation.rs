//! From a record to the calls that each of its engines got. The referee of the
//! bout is set up again and told what the record says that came; what it then
//! commands is what the engines were asked. Calls no engine.

use std::collections::VecDeque;

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup, Unit};

use super::script::{Answered, Call, Expected, Script, ScriptError, Step, incoherent};
use super::{sound, timeline};
use crate::engine::{CallName, Fault, FaultCode, Spent};
use crate::record::{EngineRecord, LineRecord, Record, Start};
use crate::referee::{
    Command, Event, Incident, PlayerKind, Pondered, Referee, Rejection, Termination, What,
};

/// Sessions of a bout that are played again; a record with more is made up.
const SESSIONS_MAX: usize = 1000;
/// Refused moves that engines are told of, over all requests of a bout: what is
/// kept of a record stays in proportion to it.
const BARRED_MAX: usize = 1_000_000;

/// The calls behind a record that begins at `start`.
pub(super) fn derived(record: &Record, start: Start) -> Result<Script, ScriptError> {
    let referee = fresh(record, &start)?;
    let mut derivation = Derivation {
        record,
        start,
        referee,
        now_us: 0,
        commands: VecDeque::new(),
        asked: None,
        settling: None,
        compared: 0,
        given_up: None,
        sessions: 1,
        barred: 0,
        players: vec![Vec::new(); record.players.len()],
    };
    derivation.run()?;
    Ok(Script { players: derivation.players, start: derivation.start })
}

fn fresh(record: &Record, start: &Start) -> Result<Referee, ScriptError> {
    let game = start.set_up().map_err(|error| incoherent("start", error))?;
    Referee::new(game, record.setups(), record.settings)
        .map_err(|error| incoherent("players", error))
}

struct Derivation<'a> {
    record: &'a Record,
    start: Start,
    referee: Referee,
    now_us: u64,
    commands: VecDeque<Command>,
    asked: Option<Asked>,
    /// The call under which the end of the bout was to be settled.
    settling: Option<u64>,
    /// So many incidents of the referee are known to be the record's.
    compared: usize,
    /// The player whose call was given up last: it may still fail.
    given_up: Option<usize>,
    sessions: usize,
    /// Refused moves that engines were told of so far.
    barred: usize,
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
                if self.compared < self.record.events.len() {
                    return Err(incoherent(self.place(), "the bout was over before"));
                }
                return sound::compare_end(self.record, &self.referee);
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
                Some(recorded) if sound::alike(recorded, noted) => (),
                Some(_) => {
                    let reason = format!("here the bout has {}", sound::in_json(noted));
                    return Err(incoherent(place, reason));
                }
                None => {
                    return Err(incoherent(place, format!("{} is missing", sound::in_json(noted))));
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
            Command::Settle { call } => {
                self.settling = Some(call);
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
        self.step(player, call, expected, None);
        match fault {
            None => Ok(()),
            Some(fault) => {
                self.feed(Event::Fault { player, call: None, fault, reported: Vec::new() })
            }
        }
    }

    fn step(&mut self, player: usize, call: Call, expected: Expected, from_report: Option<String>) {
        let at_ply = self.referee.plies().len() as u32;
        if let Some(steps) = self.players.get_mut(player) {
            steps.push(Step { at_ply, call, expected, from_report });
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
            Some((Termination::Disconnected, sentence)) => {
                let gone = (0..self.referee.players()).find(|player| {
                    let name = self.referee.player(*player).map(|setup| setup.name.as_str());
                    !self.is_engine(*player) && name.is_some_and(|name| sentence.starts_with(name))
                });
                let gone = gone.ok_or_else(|| incoherent("result", "no person was gone"))?;
                self.feed(Event::Disconnect { player: gone })?;
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
        let ply = made.and_then(|made| made.ply);
        self.stopped_late(ply.and_then(|ply| ply.pondered.as_deref()))?;
        let (Some(made), Some(asked)) = (made, self.asked.take()) else {
            return Err(incoherent(self.place(), "nobody was asked for a move"));
        };
        let offered = self.next_event().is_some_and(
            |next| matches!(next.what, What::DrawOffered { player } if player == asked.player),
        );
        // What an undone move had taken is not recorded, and was given back.
        let nothing = Spent { cpu_us: Some(0), fuel: Some(0), ..Spent::default() };
        let spent = made.ply.map_or(nothing, |ply| ply.spent);
        let choice = Choice {
            decision: Decision::Play(made.mv.to_owned()),
            offers_draw: made.ply.map_or(offered, |ply| ply.offers_draw),
            // What was said of an undone move is not recorded; it ended nothing, or it would stand.
            line: made.ply.and_then(|ply| ply.line.as_ref()).map(LineRecord::to_line),
        };
        let expected = match made.ply {
            Some(ply) => {
                let (mv, offers_draw) = (made.mv.to_owned(), ply.offers_draw);
                Expected::Answer(Answered::Move { mv, offers_draw }, Box::new(spent))
            }
            None => Expected::Unknown,
        };
        self.answer(&asked, expected, choice, spent)
    }

    /// What the player that is asked took to stop thinking on its opponents' time: it is
    /// asked with so much less.
    fn stopped_late(&mut self, pondered: Option<&Pondered>) -> Done {
        let (Some(pondered), Some(asked)) = (pondered, &self.asked) else { return Ok(()) };
        let (player, late_us) = (asked.player, pondered.late_us);
        // More of it than was late is told nobody: what was fair then is fair now.
        let spent = Spent { wall_us: late_us, cpu_us: Some(late_us), ..Spent::default() };
        self.feed(Event::Pondered { player, spent, late_us })?;
        while let Some(command) = self.commands.pop_front() {
            self.execute(command)?;
        }
        Ok(())
    }

    /// Hands an answer in, as if its time had passed.
    fn answer(&mut self, asked: &Asked, expected: Expected, choice: Choice, spent: Spent) -> Done {
        let &Asked { player, call, .. } = asked;
        if self.is_engine(player) {
            self.choose(asked, expected)?;
        } else {
            self.now_us = self.now_us.saturating_add(spent.wall_us);
        }
        let reported = self.reported();
        self.feed(Event::Chosen { player, call, choice, spent, reported })
    }

    fn choose(&mut self, asked: &Asked, expected: Expected) -> Done {
        let barred = self.barred(asked.player);
        self.barred = self.barred.saturating_add(barred.len());
        if self.barred > BARRED_MAX {
            return Err(incoherent(
                self.place(),
                "more moves are refused than can be played again",
            ));
        }
        let from_report = match expected {
            Expected::Fault(_) => self.reported().pop(),
            _ => None,
        };
        let call = Call::Choose(Box::new(asked.limits.clone()), barred);
        self.step(asked.player, call, expected, from_report);
        Ok(())
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
        // Of an undone move it is not recorded; but without it, the bout would be lost.
        let marked = made.filter(|made| made.ply.is_none_or(|ply| ply.mark.is_some()));
        marked.map(|made| vec![made.mv.to_owned()]).unwrap_or_default()
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
                    false => (Decision::Play(r#move.clone()), Answered::Refused(r#move.clone())),
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
                None => self.says(*player, Event::Resign { player: *player }),
            },
            What::DrawAccepted { player, spent } => match spent {
                Some(spent) => {
                    let answered = Answered::DrawAccepted;
                    self.ends(*player, Decision::AcceptDraw, answered, *spent)
                }
                None => self.says(*player, Event::AcceptDraw { player: *player }),
            },
            What::Undone { moves, thinking } => {
                if let Some(asked) = self.asked.take()
                    && *thinking
                {
                    let call = asked.call;
                    self.choose(&asked, Expected::Unknown)?;
                    self.given_up = Some(asked.player);
                    self.feed(Event::Asked { call })?;
                }
                let plies = u32::try_from(moves.len()).unwrap_or(u32::MAX);
                self.feed(Event::Undo { plies: Some(plies), by: None })
            }
            What::DrawOffered { player } => {
                self.says(*player, Event::OfferDraw { player: *player })
            }
            What::DrawDeclined { player } => {
                let side = self.referee.side(*player);
                let by = (0..self.referee.players())
                    .find(|other| self.referee.side(*other) != side && !self.is_engine(*other));
                let player = by.unwrap_or(*player);
                self.says(player, Event::DeclineDraw { player })
            }
            What::Settled { score } => {
                let place = self.place();
                let unasked = || incoherent(place, "nothing was to be settled there");
                let call = self.settling.take().ok_or_else(unasked)?;
                self.feed(Event::Settled { call, score: *score })
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

    /// A word of a person; what an engine says is an answer, with a receipt.
    fn says(&mut self, player: usize, event: Event) -> Done {
        if self.is_engine(player) {
            let reason = format!("player {player} is an engine, and gave no such answer");
            return Err(incoherent(self.place(), reason));
        }
        self.feed(event)
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
        if fault.call == Some(CallName::Think) {
            // On its opponent's time, whoever is asked.
            if !self.record.players.get(player).is_some_and(|player| player.ponders) {
                let reason = format!("player {player} does not think on its opponent's time");
                return Err(incoherent(self.place(), reason));
            }
            let reported = Vec::new();
            return self.feed(Event::Fault { player, call: None, fault, reported });
        }
        let asked = self.asked.take_if(|asked| asked.player == player);
        let given_up = self.given_up.take_if(|given_up| *given_up == player);
        if asked.is_none() && given_up.is_none() {
            let reason = format!("player {player} was not asked for anything that could fail");
            return Err(incoherent(self.place(), reason));
        }
        // Where the engine's receipt says nothing, the time went by the referee's clock.
        let after = self.record.events.get(self.referee.incidents().len() + 1);
        if let Some(What::Late { spent, .. }) = after.map(|event| &event.what) {
            self.now_us = self.now_us.saturating_add(*spent);
        }
        // A call that was given up before it failed has no number any more.
        let call = Some(asked.as_ref().map_or(0, |asked| asked.call));
        if let Some(asked) = &asked {
            self.choose(asked, Expected::Fault(Box::new(fault.clone())))?;
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
        if asked.limits.unit == Unit::Fuel {
            let reason = "an engine that uses up its fuel does not answer any more";
            return Err(incoherent(self.place(), reason));
        }
        self.choose(&asked, Expected::Unknown)?;
        let spent =
            Spent { wall_us: spent, cpu_us: Some(spent), fuel: Some(spent), ..Spent::default() };
        let choice = Choice { decision: Decision::Resign, offers_draw: false, line: None };
        let (call, reported) = (asked.call, self.reported());
        self.feed(Event::Chosen { player, call, choice, spent, reported })
    }

    /// A new session: fresh instances, which are told all moves so far.
    fn reload(&mut self) -> Done {
        self.sessions += 1;
        if self.sessions > SESSIONS_MAX {
            return Err(incoherent(self.place(), format!("more than {SESSIONS_MAX} sessions")));
        }
        let place = self.place();
        let ended = std::mem::replace(&mut self.referee, fresh(self.record, &self.start)?);
        let (past, incidents) = ended.into_past();
        self.referee.reload(past, incidents, 0).map_err(|error| incoherent(place, error))?;
        (self.asked, self.settling, self.given_up) = (None, None, None);
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
