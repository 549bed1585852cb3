//! The client of GTP. Commands have numbers, and a response must have the number of its command.
//! The client knows which moves the program has received. It clears the board and sends all
//! moves again after others were taken back.

use sandboard_abi::{Choice, Decision, Limits, Setup, Unit, limits};

use crate::external::client::{
    ProtocolClient, invalid_move_fault, reported_error_fault, start_fault,
};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{ProgramIdentity, label};
use sandboard_engine::{Fault, validate_choice};
use sandboard_protocols::option_values;

/// A game in GTP.
#[derive(Default)]
pub(crate) struct GtpClient {
    number: u32,
    game: String,
    /// The moves on the program's board; None: the board must be cleared.
    sent_moves: Option<Vec<String>>,
    /// Whether the game's clock was sent.
    is_clock_sent: bool,
}

/// The text of a response. Err: the text of a failure.
type CommandResult = Result<String, String>;

impl GtpClient {
    fn command(&mut self, text: &str) -> String {
        self.number += 1;
        format!("{} {text}", self.number)
    }

    /// Sends a command and reads its response.
    fn run_command(
        &mut self,
        connection: &mut Connection,
        text: &str,
    ) -> Result<CommandResult, Fault> {
        let command = self.command(text);
        connection.send(&command)?;
        self.read_response(connection)
    }

    /// Reads the response to the last command, with all its lines.
    fn read_response(&mut self, connection: &mut Connection) -> Result<CommandResult, Fault> {
        let (is_ok, mut text) = loop {
            let line = connection.read_line()?;
            match sandboard_protocols::gtp::response(&line) {
                Some(it) => match it.to(self.number) {
                    Some(text) => break (it.is_ok, text.to_owned()),
                    None => return Err(Connection::unrequested_answer_fault(&line)),
                },
                None if line.trim().is_empty() => (),
                None => connection.log_debug(&line)?,
            }
        };
        loop {
            let line = connection.read_line()?;
            if line.trim().is_empty() {
                return Ok(if is_ok { Ok(text) } else { Err(text) });
            }
            if text.len() < limits::LOG_TEXT_BYTES {
                text.push(' ');
                text.push_str(line.trim());
            }
        }
    }

    /// Sends a command that must succeed, at the start of a game.
    fn require(&mut self, connection: &mut Connection, text: &str) -> Result<(), Fault> {
        match self.run_command(connection, text)? {
            Ok(_) => Ok(()),
            Err(why) => Err(start_fault(&format!("refused `{text}`: {why}"))),
        }
    }

    /// Sends a command that may fail.
    fn attempt(&mut self, connection: &mut Connection, text: &str) -> Result<(), Fault> {
        if let Err(why) = self.run_command(connection, text)? {
            connection.log_debug(&format!("{text}: {why}"))?;
        }
        Ok(())
    }

    /// Updates the program's board to the position after these moves.
    fn send_moves(&mut self, connection: &mut Connection, moves: &[String]) -> Result<(), Fault> {
        let known = self.sent_moves.take().filter(|sent_moves| moves.starts_with(sent_moves));
        let from = match known {
            Some(sent_moves) => sent_moves.len(),
            None => {
                self.require(connection, "clear_board")?;
                0
            }
        };
        for (ply, mv) in moves.iter().enumerate().skip(from) {
            let vertex = sandboard_protocols::gtp::vertex(&self.game, mv);
            let command = format!("play {} {vertex}", color(ply));
            match self.run_command(connection, &command)? {
                Ok(_) => (),
                // Some programs have no move text for a pass and make it themselves.
                Err(why) if self.game == "reversi" && mv == "pass" => {
                    connection.log_debug(&format!("{command}: {why}"))?;
                }
                Err(why) => {
                    let text = format!("refused `{command}`, which was played");
                    return Err(reported_error_fault(&text, &why));
                }
            }
        }
        Ok(())
    }

    /// Sends the times, in whole seconds: GTP has no smaller unit.
    fn send_times(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        ply: usize,
    ) -> Result<(), Fault> {
        let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
        let Some(left_us) = connection.left_us().filter(|_| timed) else { return Ok(()) };
        let seconds = (left_us / 1_000_000).max(1);
        let (settings, stones) = match limits.game_left {
            Some(_) => (format!("time_settings {seconds} 0 0"), 0),
            None => (format!("time_settings 0 {seconds} 1"), 1),
        };
        // `time_settings` starts a clock. While it runs, only the remaining time is sent.
        if limits.game_left.is_none() || !self.is_clock_sent {
            self.attempt(connection, &settings)?;
        }
        self.is_clock_sent = limits.game_left.is_some();
        self.attempt(connection, &format!("time_left {} {seconds} {stones}", color(ply)))
    }
}

/// The colour of the ply with this number: black begins. Lower case, because some programs compare
/// it exactly.
fn color(ply: usize) -> char {
    if ply.is_multiple_of(2) { 'b' } else { 'w' }
}

impl ProtocolClient for GtpClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        let [name, version] = ["name", "version"].map(|field| self.run_command(connection, field));
        let [name, version] = [name?, version?].map(|text| label(&text.unwrap_or_default()));
        Ok(ProgramIdentity { name, version, ..ProgramIdentity::default() })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        let unknown_game = || start_fault("cannot begin: there is no such game");
        let info = connection.host_state.games().find(&setup.game).ok_or_else(unknown_game)?;
        let variant = info.variant(&setup.variant).map_err(|_| unknown_game())?;
        let start = (info.new)(&variant, None).map_err(|_| unknown_game())?;
        if !setup.start.is_empty() && setup.start != start.position() {
            return Err(start_fault(
                "cannot begin: gtp cannot express a start position, only moves from the variant's \
                 own start",
            ));
        }
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!(
                "cannot be given {threads} threads: gtp cannot express a number of threads"
            );
            return Err(start_fault(&reason));
        }
        setup.game.clone_into(&mut self.game);
        self.attempt(connection, "protocol_version")?;
        let stop_known = self.run_command(
            connection,
            &format!("known_command {}", sandboard_protocols::gtp::INTERRUPT_QUERY),
        )?;
        connection
            .writer
            .set_knows_stop(stop_known.is_ok_and(|text| text.eq_ignore_ascii_case("true")));
        let (options, config) = (connection.options.clone(), connection.config.clone());
        for (option, value) in option_values(&options, &setup.options) {
            let command = format!("{} {value}", config.option_name(&option.name));
            self.require(connection, command.trim_end())?;
        }
        let size = start.variant().size.unwrap_or(8);
        self.require(connection, &format!("boardsize {size}"))?;
        self.require(connection, "clear_board")?;
        self.sent_moves = Some(Vec::new());
        Ok(())
    }

    fn check_limits(&self, connection: &Connection, limits: &Limits) -> Result<(), Fault> {
        connection.require_time_limit(limits)
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        _request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let mut moves = connection.host_state.moves();
        self.send_moves(connection, &moves)?;
        self.send_times(connection, limits, moves.len())?;
        let command = self.command(&format!("genmove {}", color(moves.len())));
        connection.begin_search(&command)?;
        let answer = match self.read_response(connection)? {
            Ok(answer) => answer,
            Err(why) => return Err(reported_error_fault("reported that it has no move", &why)),
        };
        if answer.eq_ignore_ascii_case("resign") {
            let (decision, offers_draw) = (Decision::Resign, false);
            return Ok(Choice { decision, offers_draw, line: None });
        }
        let mv = sandboard_protocols::gtp::move_of(&self.game, &answer);
        let mv = mv.ok_or_else(|| invalid_move_fault(&answer, "which is not a point"))?;
        moves.push(mv.clone());
        self.sent_moves = Some(moves);
        let (decision, offers_draw) = (Decision::Play(mv), false);
        validate_choice(Choice { decision, offers_draw, line: None })
    }
}
