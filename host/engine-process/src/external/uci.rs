//! The client of UCI. Measures no time; `ExternalEngine` does that.

use sandboard_abi::{Choice, Decision, Limits, Line, Setup, Unit};

use crate::external::client::{
    ProtocolClient, invalid_move_fault, reported_error_fault, unexpected_answer_fault,
};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{ProgramIdentity, label};
use crate::external::offered_options::{OfferedOptions, is_in_manifest};
use sandboard_engine::{Fault, validate_choice};
use sandboard_protocols::uci::{
    CHESS960, CHESS960_OPTION, Clocks, Id, Info, Message, parse_id, set_option,
};

/// A game in UCI.
pub(crate) struct UciClient {
    offered_options: OfferedOptions,
    /// The number of lines of `MultiPV` that was set last.
    lines_set: u16,
}

impl Default for UciClient {
    fn default() -> Self {
        Self { offered_options: OfferedOptions::default(), lines_set: 1 }
    }
}

/// Waits until the program has processed all commands, while no search runs.
fn await_ready(connection: &mut Connection) -> Result<(), Fault> {
    connection.send("isready")?;
    loop {
        let line = connection.read_line()?;
        match sandboard_protocols::uci::parse(&line) {
            Message::ReadyOk => return Ok(()),
            Message::BestMove(_) => return Err(Connection::unrequested_answer_fault(&line)),
            Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
            Message::Option(_) | Message::UciOk | Message::Info(_) | Message::Nothing => (),
        }
    }
}

impl UciClient {
    /// Reads the name and the options of the program. Its options are in `offered_options`.
    fn handshake(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        connection.send("uci")?;
        let mut identity = ProgramIdentity::default();
        loop {
            let line = connection.read_line()?;
            match parse_id(&line) {
                Some(Id::Name(name)) => identity.name = label(name),
                Some(Id::Author(author)) => identity.author = label(author),
                None => (),
            }
            match sandboard_protocols::uci::parse(&line) {
                Message::UciOk => return Ok(identity),
                Message::Option(Some(offered)) => self.offered_options.add(offered)?,
                Message::ReadyOk | Message::BestMove(_) => {
                    return Err(unexpected_answer_fault("uci", &line));
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Option(None) => connection.log_debug(&line)?,
                Message::Info(_) | Message::Nothing => (),
            }
        }
    }

    fn await_move(connection: &mut Connection, unit: Unit) -> Result<Choice, Fault> {
        let mut best: Option<Line> = None;
        loop {
            let line = connection.read_line()?;
            match sandboard_protocols::uci::parse(&line) {
                Message::Info(info) => {
                    if let Some(line) = report_line(connection, info, unit) {
                        connection.report(line, &mut best)?;
                    }
                }
                Message::BestMove(Some(mv)) => {
                    let Some(mv) = connection.config.dialect.to_game(mv) else {
                        return Err(invalid_move_fault(mv, "which is not a move in its notation"));
                    };
                    let line =
                        best.filter(|line| line.moves.split(' ').next() == Some(mv.as_str()));
                    let choice = Choice { decision: Decision::Play(mv), offers_draw: false, line };
                    return validate_choice(choice);
                }
                Message::BestMove(None) => {
                    return Err(reported_error_fault("reported that it has no move", &line));
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Option(_) | Message::UciOk | Message::ReadyOk | Message::Nothing => (),
            }
        }
    }
}

/// A report of the search. None: it contains neither a score nor moves.
pub(crate) fn report_line(connection: &Connection, info: Info, unit: Unit) -> Option<Line> {
    if info.score.is_none() && info.moves.is_empty() {
        return None;
    }
    let dialect = connection.config.dialect;
    let moves: Vec<String> = info.moves.iter().map_while(|mv| dialect.to_game(mv)).collect();
    Some(Line {
        rank: info.rank.unwrap_or(1),
        score: info.score,
        depth: info.depth.unwrap_or(0),
        nodes: info.nodes.unwrap_or(0),
        spent: connection.spent(unit),
        moves: moves.join(" "),
    })
}

impl ProtocolClient for UciClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        let identity = self.handshake(connection)?;
        Ok(ProgramIdentity { options: self.offered_options.identified(), ..identity })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        self.handshake(connection)?;
        for (name, value) in self.offered_options.values_to_set(connection, setup)? {
            connection.send(&set_option(&name, &value))?;
        }
        if setup.variant == CHESS960 && !is_in_manifest(connection, CHESS960_OPTION) {
            let source = "the variant chess960";
            let name = self.offered_options.check_value(CHESS960_OPTION, "true", source)?;
            connection.send(&set_option(&name, "true"))?;
        }
        await_ready(connection)?;
        connection.send("ucinewgame")?;
        await_ready(connection)
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let lines = limits.lines.max(1);
        let has_multi_pv = self
            .offered_options
            .find("MultiPV")
            .is_some_and(|it| it.check(&lines.to_string()).is_ok());
        if lines != self.lines_set && has_multi_pv {
            connection.send(&set_option("MultiPV", &lines.to_string()))?;
            self.lines_set = lines;
        }
        let (dialect, view) = (connection.config.dialect, request.view);
        connection.send(&sandboard_protocols::uci::position(&dialect.position(&view.position)))?;
        // An answer that arrives before this belongs to no request.
        await_ready(connection)?;
        let clocks = Clocks { left_us: connection.left_us(), seat: view.to_move };
        let only: Vec<String> = request.only.iter().map(|mv| dialect.to_program(mv)).collect();
        connection.begin_search(&sandboard_protocols::uci::go(limits, clocks, &only))?;
        Self::await_move(connection, limits.unit)
    }

    fn wait_until_idle(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        await_ready(connection)
    }
}
