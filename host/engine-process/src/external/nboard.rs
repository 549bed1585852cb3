//! The client of the NBoard protocol. It sends the whole position for each move, and a `ping` whose
//! answer shows that the program has read it.

use sandboard_abi::{Bound, Choice, Decision, Limits, Line, Score, Setup, Unit};

use crate::external::client::{ProtocolClient, invalid_move_fault, start_fault};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{ProgramIdentity, label};
use sandboard_engine::{Fault, FaultCode, validate_choice};
use sandboard_protocols::nboard::{Message, parse_name};
use sandboard_protocols::option_values;

/// The command that begins the protocol, with its version.
const GREETING: &str = "nboard 2";

/// A game in the NBoard protocol.
#[derive(Default)]
pub(crate) struct NboardClient {
    number: u64,
    /// The depth of the manifest, for searches without a depth limit.
    depth: Option<String>,
    /// The depth that was sent last.
    sent_depth: Option<String>,
}

impl NboardClient {
    /// Waits until the program has processed all commands, while no search runs. Returns the name
    /// that it sent meanwhile; empty if it sent none.
    fn await_ready(&mut self, connection: &mut Connection) -> Result<String, Fault> {
        self.number += 1;
        connection.send(&format!("ping {}", self.number))?;
        let mut name = String::new();
        loop {
            let line = connection.read_line()?;
            if let Some(sent) = parse_name(&line) {
                name = label(sent);
            }
            match sandboard_protocols::nboard::parse(&line) {
                Message::Pong(number) if number == self.number => return Ok(name),
                Message::Pong(_) | Message::Move(..) => {
                    return Err(Connection::unrequested_answer_fault(&line));
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Search(..) | Message::Nodes(_) | Message::Nothing => (),
            }
        }
    }

    /// Sends the depth of the search, if it has changed.
    fn send_depth(&mut self, connection: &mut Connection, limits: &Limits) -> Result<(), Fault> {
        let depth = limits.depth.map(|depth| depth.max(1).to_string()).or(self.depth.clone());
        if let Some(depth) = depth.filter(|depth| Some(depth) != self.sent_depth.as_ref()) {
            connection.send(&format!("set depth {depth}"))?;
            self.sent_depth = Some(depth);
        }
        Ok(())
    }

    fn await_move(connection: &mut Connection, unit: Unit) -> Result<Choice, Fault> {
        let (mut best, mut nodes) = (None, 0);
        loop {
            let line = connection.read_line()?;
            match sandboard_protocols::nboard::parse(&line) {
                Message::Nodes(number) => nodes = number,
                Message::Search(moves, value, depth) => {
                    let (score, spent) = (value.map(score), connection.spent(unit));
                    let (depth, moves) = (depth.unwrap_or(0), moves.join(" "));
                    let line = Line { rank: 1, score, depth, nodes, spent, moves };
                    connection.report(line, &mut best)?;
                }
                Message::Move(mv, _) if mv.is_empty() => {
                    return Err(invalid_move_fault(line.trim(), "which names no move"));
                }
                Message::Move(mv, value) => {
                    let own = Line {
                        rank: 1,
                        score: value.map(score),
                        depth: 0,
                        nodes,
                        spent: connection.spent(unit),
                        moves: mv.clone(),
                    };
                    let is_its = |line: &Line| line.moves.split(' ').next() == Some(mv.as_str());
                    let line = Some(best.filter(is_its).unwrap_or(own));
                    let (decision, offers_draw) = (Decision::Play(mv), false);
                    return validate_choice(Choice { decision, offers_draw, line });
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Pong(_) => return Err(Connection::unrequested_answer_fault(&line)),
                Message::Nothing => (),
            }
        }
    }
}

/// A score in discs.
fn score(discs: f64) -> Score {
    // No board has more than 64 discs.
    Score { value: discs.clamp(-64.0, 64.0).round() as i32, bound: Bound::Estimate }
}

impl ProtocolClient for NboardClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        connection.send(GREETING)?;
        let name = self.await_ready(connection)?;
        Ok(ProgramIdentity { name, ..ProgramIdentity::default() })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!(
                "cannot be given {threads} threads: nboard cannot express a number of threads"
            );
            return Err(start_fault(&reason));
        }
        connection.send(GREETING)?;
        let (options, config) = (connection.options.clone(), connection.config.clone());
        for (option, value) in option_values(&options, &setup.options) {
            let name = config.option_name(&option.name);
            if name == "depth" {
                self.depth = Some(value.to_owned());
                self.sent_depth = self.depth.clone();
            }
            connection.send(&format!("set {name} {value}"))?;
        }
        self.await_ready(connection).map(drop)
    }

    fn check_limits(&self, _wire: &Connection, limits: &Limits) -> Result<(), Fault> {
        if limits.unit == Unit::Unlimited && limits.nodes.is_some() && limits.depth.is_none() {
            let sentence = "cannot be limited in nodes alone: nboard can express only depth";
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        Ok(())
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let Some(game) = sandboard_protocols::nboard::game_of(&request.view.position) else {
            return Err(Fault::new(
                FaultCode::Host,
                "cannot be sent the position: it is not a board",
            ));
        };
        self.send_depth(connection, limits)?;
        connection.send(&format!("set game {game}"))?;
        // An answer that arrives before this belongs to no request.
        self.await_ready(connection)?;
        connection.begin_search("go")?;
        Self::await_move(connection, limits.unit)
    }

    fn wait_until_idle(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        self.await_ready(connection).map(drop)
    }
}
