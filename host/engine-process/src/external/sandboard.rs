//! The client of the Sandboard protocol. While a search runs, it answers the program's requests
//! from the host state, as for any engine. An answer without a question is a fault.

use sandboard_abi::{Choice, Decision, Description, Limits, Line, OptionSpec, Setup, limits};

use crate::external::client::{ProtocolClient, start_fault, unexpected_answer_fault};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{IdentifiedOption, ProgramIdentity};
use sandboard_common::text::clean_text;
use sandboard_engine::{Fault, FaultCode, move_too_long, validate_choice, validate_description};
use sandboard_protocols::option_values;
use sandboard_protocols::sandboard::{
    BEGIN, CHOOSE, DESCRIBE, DescriptionParser, GREETING, Message, PING,
};

/// A game in the Sandboard protocol.
#[derive(Default)]
pub(crate) struct SandboardClient;

/// The answer to `begin` or `choose`.
enum Answer {
    Ready,
    Choice(Decision, bool),
    Error(String),
}

/// Reads until the program answers the last command. Meanwhile it may ask, report and log. `best`
/// becomes its last report of rank 1.
fn read_answer(
    connection: &mut Connection,
    limits: Option<&Limits>,
    best: &mut Option<Line>,
) -> Result<Answer, Fault> {
    loop {
        let line = connection.read_line()?;
        match Message::parse(&line).map_err(|why| malformed(&line, &why))? {
            Message::Legal(moves) => {
                let answer = connection.do_charged_work(|host_state| {
                    sandboard_protocols::sandboard::legal(&host_state.legal(moves))
                });
                connection.answer(&answer)?;
            }
            Message::Look(moves) => {
                let answer = connection.do_charged_work(|host_state| {
                    sandboard_protocols::sandboard::look(&host_state.look(moves)).join("\n")
                });
                connection.answer(&answer)?;
            }
            Message::Left => {
                let left_us = connection.left_us();
                connection.answer(&sandboard_protocols::sandboard::left(left_us))?;
            }
            Message::Log(level, text) => connection.host_state.log(level, text)?,
            Message::Report(found) => {
                let spent = limits.map_or(0, |limits| connection.spent(limits.unit));
                connection.report(Line { spent, ..found }, best)?;
            }
            Message::Error(reason) => return Ok(Answer::Error(reason.to_owned())),
            Message::Ready => return Ok(Answer::Ready),
            Message::Play { mv, .. } if mv.len() > limits::MOVE_BYTES => {
                return Err(move_too_long(mv.len()));
            }
            Message::Play { mv, offers_draw } => {
                return Ok(Answer::Choice(Decision::Play(mv.to_owned()), offers_draw));
            }
            Message::Resign => return Ok(Answer::Choice(Decision::Resign, false)),
            Message::AcceptDraw => return Ok(Answer::Choice(Decision::AcceptDraw, false)),
            Message::Pong => return Err(Connection::unrequested_answer_fault(&line)),
        }
    }
}

/// Reads what has already arrived. Logs may come at any time; any other line is a fault, because
/// nothing was requested.
fn read_pending_logs(connection: &mut Connection) -> Result<(), Fault> {
    while let Some(arrived) = connection.peek_line()? {
        if !arrived.starts_with("log ") {
            return Err(Connection::unrequested_answer_fault(&arrived));
        }
        let line = connection.read_line()?;
        match Message::parse(&line).map_err(|why| malformed(&line, &why))? {
            Message::Log(level, text) => connection.host_state.log(level, text)?,
            _ => return Err(Connection::unrequested_answer_fault(&line)),
        }
    }
    Ok(())
}

fn malformed(line: &str, why: &str) -> Fault {
    let line = clean_text(line, limits::LABEL_BYTES);
    Fault::new(
        FaultCode::Protocol,
        format!("printed an invalid line of the sandboard protocol: `{line}`: {why}"),
    )
}

/// Requests the program's description of itself.
pub(crate) fn describe(connection: &mut Connection) -> Result<Description, Fault> {
    connection.send(GREETING)?;
    connection.send(DESCRIBE)?;
    let mut parser = DescriptionParser::default();
    loop {
        let line = connection.read_line()?;
        if let Some(description) = parser.add_line(&line).map_err(|why| malformed(&line, &why))? {
            return validate_description(description, connection.host_state.games());
        }
    }
}

impl ProtocolClient for SandboardClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        let Description { name, author, version, games, options, .. } = describe(connection)?;
        let identified = |spec: OptionSpec| {
            let protocol_name = spec.name.clone();
            IdentifiedOption { spec, protocol_name }
        };
        let options = options.into_iter().map(identified).collect();
        Ok(ProgramIdentity { name, author, version, games, options })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        connection.send(GREETING)?;
        let options = connection.options.clone();
        let options = option_values(&options, &setup.options);
        let options = options.map(|(option, value)| (option.name.as_str(), value));
        for line in sandboard_protocols::sandboard::game(setup, options) {
            connection.send(&line)?;
        }
        connection.send(BEGIN)?;
        match read_answer(connection, None, &mut None)? {
            Answer::Ready => Ok(()),
            Answer::Error(reason) => {
                Err(start_fault(&sandboard_engine::messages::answered_with_error(reason)))
            }
            Answer::Choice(..) => Err(unexpected_answer_fault(BEGIN, "a choice")),
        }
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let moves = connection.host_state.moves();
        for line in sandboard_protocols::sandboard::choice(
            &moves,
            request.view.to_move,
            limits,
            &request.barred,
        ) {
            connection.send(&line)?;
        }
        read_pending_logs(connection)?;
        connection.begin_search(CHOOSE)?;
        let mut best = None;
        match read_answer(connection, Some(limits), &mut best)? {
            Answer::Choice(decision, offers_draw) => {
                let line = best.filter(|line| match &decision {
                    Decision::Play(mv) => line.moves.split(' ').next() == Some(mv.as_str()),
                    Decision::Resign | Decision::AcceptDraw => false,
                });
                validate_choice(Choice { decision, offers_draw, line })
            }
            Answer::Error(reason) => {
                let reason = clean_text(&reason, limits::REASON_BYTES);
                Err(Fault::new(
                    FaultCode::Error,
                    sandboard_engine::messages::answered_with_error(reason),
                ))
            }
            Answer::Ready => Err(unexpected_answer_fault(CHOOSE, "ready")),
        }
    }

    fn wait_until_idle(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        connection.send(PING)?;
        loop {
            let line = connection.read_line()?;
            match Message::parse(&line).map_err(|why| malformed(&line, &why))? {
                Message::Pong => return Ok(()),
                Message::Log(level, text) => connection.host_state.log(level, text)?,
                _ => return Err(Connection::unrequested_answer_fault(&line)),
            }
        }
    }
}
