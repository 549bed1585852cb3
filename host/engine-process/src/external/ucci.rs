//! The client of UCCI.

use sandboard_abi::{Choice, Decision, Limits, Line, Setup, Unit};

use crate::external::client::{
    ProtocolClient, invalid_move_fault, reported_error_fault, unexpected_answer_fault,
};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{ProgramIdentity, label};
use crate::external::offered_options::OfferedOptions;
use crate::external::uci::report_line;
use sandboard_engine::{Fault, validate_choice};
use sandboard_protocols::ucci::{Clocks, Message};
use sandboard_protocols::uci::{Id, OfferedOption, OptionType, parse_id};

/// The option that switches times to milliseconds.
const MILLISECONDS_OPTION: &str = "usemillisec";
/// The option that is pressed when a game starts.
const NEW_GAME_OPTION: &str = "newgame";

/// A game in UCCI.
#[derive(Default)]
pub(crate) struct UcciClient {
    offered_options: OfferedOptions,
    in_milliseconds: bool,
}

/// Waits until the program has processed all commands, while no search runs.
fn await_ready(connection: &mut Connection) -> Result<(), Fault> {
    connection.send("isready")?;
    loop {
        let line = connection.read_line()?;
        match sandboard_protocols::ucci::parse(&line) {
            Message::ReadyOk => return Ok(()),
            // The answer to a stop command that came after the choice.
            Message::NoBestMove if connection.writer.take_late_answer() => (),
            Message::BestMove(_) | Message::NoBestMove => {
                return Err(Connection::unrequested_answer_fault(&line));
            }
            Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
            Message::Option(_) | Message::UcciOk | Message::Info(_) | Message::Nothing => (),
        }
    }
}

impl UcciClient {
    /// Reads the name and the options of the program. Its options are in `offered_options`.
    fn handshake(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        connection.send("ucci")?;
        let mut identity = ProgramIdentity::default();
        loop {
            let line = connection.read_line()?;
            match parse_id(&line) {
                Some(Id::Name(name)) => identity.name = label(name),
                Some(Id::Author(author)) => identity.author = label(author),
                None => (),
            }
            match sandboard_protocols::ucci::parse(&line) {
                Message::UcciOk => return Ok(identity),
                Message::Option(Some(offered)) => self.offered_options.add(offered)?,
                Message::ReadyOk | Message::BestMove(_) | Message::NoBestMove => {
                    return Err(unexpected_answer_fault("ucci", &line));
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Option(None) => connection.log_debug(&line)?,
                Message::Info(_) | Message::Nothing => (),
            }
        }
    }

    fn await_move(
        connection: &mut Connection,
        unit: Unit,
        is_offered: bool,
    ) -> Result<Choice, Fault> {
        let mut best: Option<Line> = None;
        loop {
            let line = connection.read_line()?;
            match sandboard_protocols::ucci::parse(&line) {
                Message::Info(info) => {
                    if let Some(line) = report_line(connection, info, unit) {
                        connection.report(line, &mut best)?;
                    }
                }
                Message::BestMove(chosen) => {
                    let decision = match connection.config.dialect.to_game(chosen.mv) {
                        _ if chosen.resigns => Decision::Resign,
                        _ if chosen.draws && is_offered => Decision::AcceptDraw,
                        Some(mv) if !mv.is_empty() => Decision::Play(mv),
                        _ => {
                            return Err(invalid_move_fault(
                                chosen.mv,
                                "which is not a move in its notation",
                            ));
                        }
                    };
                    let line = best.filter(|line| match &decision {
                        Decision::Play(mv) => line.moves.split(' ').next() == Some(mv),
                        Decision::Resign | Decision::AcceptDraw => true,
                    });
                    return validate_choice(Choice { decision, offers_draw: chosen.draws, line });
                }
                Message::NoBestMove => {
                    return Err(reported_error_fault("reported that it has no move", &line));
                }
                Message::Text(text) | Message::Unknown(text) => connection.log_debug(text)?,
                Message::Option(_) | Message::UcciOk | Message::ReadyOk | Message::Nothing => (),
            }
        }
    }
}

impl ProtocolClient for UcciClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        let identity = self.handshake(connection)?;
        Ok(ProgramIdentity { options: self.offered_options.identified(), ..identity })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        self.handshake(connection)?;
        // Some programs count milliseconds without offering the option. The manifest can set it for
        // them.
        let config = connection.config.clone();
        let mut named = connection.options.iter().map(|option| config.option_name(&option.name));
        if self.offered_options.find(MILLISECONDS_OPTION).is_none()
            && let Some(name) = named.find(|name| name.eq_ignore_ascii_case(MILLISECONDS_OPTION))
        {
            self.offered_options.add(OfferedOption {
                name: name.to_owned(),
                accepts: OptionType::Check,
                initial: None,
            })?;
        }
        let chosen = self.offered_options.values_to_set(connection, setup)?;
        for (name, value) in &chosen {
            connection.send(&sandboard_protocols::ucci::set_option(name, value))?;
        }
        let set = chosen.iter().find(|(name, _)| name.eq_ignore_ascii_case(MILLISECONDS_OPTION));
        self.in_milliseconds = match set {
            Some((_, value)) => value == "true",
            None => self.offered_options.find(MILLISECONDS_OPTION).is_some(),
        };
        if self.in_milliseconds && set.is_none() {
            connection.send(&sandboard_protocols::ucci::set_option(MILLISECONDS_OPTION, "true"))?;
        }
        await_ready(connection)?;
        if self.offered_options.find(NEW_GAME_OPTION).is_some() {
            connection.send(&sandboard_protocols::ucci::set_option(NEW_GAME_OPTION, ""))?;
            await_ready(connection)?;
        }
        Ok(())
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let (dialect, view) = (connection.config.dialect, request.view);
        connection.send(&sandboard_protocols::uci::position(&dialect.position(&view.position)))?;
        if !request.barred.is_empty() {
            let barred: Vec<String> =
                request.barred.iter().map(|it| dialect.to_program(&it.r#move)).collect();
            connection.send(&format!("banmoves {}", barred.join(" ")))?;
        }
        // An answer that arrives before this belongs to no request.
        await_ready(connection)?;
        let clocks = Clocks {
            left_us: connection.left_us(),
            seat: view.to_move,
            in_milliseconds: self.in_milliseconds,
        };
        connection.begin_search(&sandboard_protocols::ucci::go(limits, clocks))?;
        Self::await_move(connection, limits.unit, limits.draw_offered)
    }

    fn wait_until_idle(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        await_ready(connection)
    }
}
