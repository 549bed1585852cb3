//! The client of the Gomocup protocol. It knows the program's board. If one more stone does not
//! lead to the position of the game, it sends the whole board again.

use sandboard_abi::{Choice, Decision, Level, Limits, Line, Setup, Unit};

use crate::external::client::{
    ProtocolClient, invalid_move_fault, reported_error_fault, start_fault, unexpected_answer_fault,
};
use crate::external::connection::{Connection, MoveRequest};
use crate::external::identity::{ProgramIdentity, label};
use sandboard_common::jail_paths::PROGRAM_FOLDER;
use sandboard_engine::{Fault, FaultCode, validate_choice};
use sandboard_protocols::gomocup::{
    Board, Message, Point, Stone, Times, about_field, parse_remark, point_of, rule_number, text_of,
};
use sandboard_protocols::option_values;

/// A game in the Gomocup protocol.
#[derive(Default)]
pub(crate) struct GomocupClient {
    /// The `INFO` lines of rules and options, sent after each `START`.
    info_lines: Vec<String>,
    size: u8,
    /// The stones on the program's board, including its own last move; None: a board must be set
    /// up.
    known: Option<Vec<Stone>>,
    /// The time of the whole game that was sent last, in milliseconds.
    match_ms: Option<u64>,
    /// The time of the game's clock at its start, in microseconds.
    whole_us: Option<u64>,
    /// In an opening: the moves of the game, followed by all moves of the program's decision.
    plan: Vec<String>,
}

/// Reads until the next message that `answer` accepts. Logs texts for people.
fn read_message<T>(
    connection: &mut Connection,
    answer: impl FnMut(&mut Connection, Message<'_>, &str) -> Result<Option<T>, Fault>,
) -> Result<T, Fault> {
    read_message_and_texts(connection, |_, _| Ok(()), answer)
}

/// As [`read_message`], and passes on each text for people, too.
fn read_message_and_texts<T>(
    connection: &mut Connection,
    mut text_read: impl FnMut(&mut Connection, &str) -> Result<(), Fault>,
    mut answer: impl FnMut(&mut Connection, Message<'_>, &str) -> Result<Option<T>, Fault>,
) -> Result<T, Fault> {
    loop {
        let line = connection.read_line()?;
        match sandboard_protocols::gomocup::parse(&line) {
            Message::Text(text, is_for_author) => {
                let level = if is_for_author { Level::Debug } else { Level::Info };
                connection.host_state.log(level, text)?;
                text_read(connection, text)?;
            }
            Message::Nothing => (),
            message => {
                if let Some(answer) = answer(connection, message, &line)? {
                    return Ok(answer);
                }
            }
        }
    }
}

/// Sends `ABOUT` and returns its answer, any line of text; empty if the program does not know the
/// command. `begins`: an error is a refusal to start. Points before the answer are a fault, because
/// nothing asked for them.
fn handshake(connection: &mut Connection, begins: bool) -> Result<String, Fault> {
    connection.send("ABOUT")?;
    read_message(connection, |connection, message, line| match message {
        Message::Points(_) | Message::Swap | Message::Suggest(_) => {
            Err(Connection::unrequested_answer_fault(line))
        }
        Message::Other(text) => connection.log_debug(text).map(|()| Some(text.to_owned())),
        Message::Error(why) if begins => Err(start_fault(&format!("refused to begin: {why}"))),
        // Some programs do not know `ABOUT`, and work otherwise.
        Message::Unknown(_) => connection.log_debug(line).map(|()| Some(String::new())),
        _ => connection.log_debug(line).map(|()| None),
    })
}

impl GomocupClient {
    /// Sends a new board and the `INFO` lines of its game.
    fn set_up(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        connection.send(&format!("START {}", self.size))?;
        let size = self.size;
        read_message(connection, |connection, message, line| match message {
            Message::Ok => Ok(Some(())),
            Message::Error(why) | Message::Unknown(why) => {
                Err(start_fault(&format!("refused a board of {size}: {why}")))
            }
            Message::Other(text) => connection.log_debug(text).map(|()| None),
            _ => Err(unexpected_answer_fault("START", line)),
        })?;
        self.info_lines.iter().try_for_each(|line| connection.send(line))?;
        self.match_ms = None;
        self.known = Some(Vec::new());
        Ok(())
    }

    /// Empties the board, with `RESTART` or `START`.
    fn clear(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        if self.known.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        connection.send("RESTART")?;
        let cleared = read_message(connection, |connection, message, line| match message {
            Message::Ok => Ok(Some(true)),
            Message::Error(_) | Message::Unknown(_) => Ok(Some(false)),
            Message::Other(text) => connection.log_debug(text).map(|()| None),
            _ => Err(unexpected_answer_fault("RESTART", line)),
        })?;
        match cleared {
            true => {
                self.known = Some(Vec::new());
                Ok(())
            }
            false => self.set_up(connection),
        }
    }

    fn send_times(&mut self, connection: &mut Connection, limits: &Limits) -> Result<(), Fault> {
        self.whole_us = self.whole_us.or(limits.game_left);
        let times = Times::from_limits(limits, connection.left_us(), self.whole_us);
        connection.send(&format!("INFO timeout_turn {}", times.turn_ms))?;
        if self.match_ms.replace(times.match_ms) != Some(times.match_ms) {
            connection.send(&format!("INFO timeout_match {}", times.match_ms))?;
        }
        connection.send(&format!("INFO time_left {}", times.left_ms))
    }

    /// Sends the position and requests a move.
    fn request_move(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        board: &Board,
        moves: &[String],
    ) -> Result<(), Fault> {
        let ordered = board.in_order(moves);
        if ordered.is_empty() {
            self.clear(connection)?;
            self.send_times(connection, limits)?;
            return connection.begin_search("BEGIN");
        }
        let newest = moves.last().and_then(|mv| point_of(mv, board.size));
        if let Some(stone) = self.opponent_stone(&ordered, board.is_black)
            && newest == Some(stone.at)
        {
            self.send_times(connection, limits)?;
            return connection.begin_search(&format!("TURN {}", point_text(stone.at)));
        }
        self.clear(connection)?;
        self.send_times(connection, limits)?;
        connection.send("BOARD")?;
        for stone in &ordered {
            let field = if stone.is_black == board.is_black { 1 } else { 2 };
            connection.send(&format!("{},{field}", point_text(stone.at)))?;
        }
        connection.begin_search("DONE")
    }

    /// The opponent's stone, if the program's board lacks only this one.
    fn opponent_stone(&self, ordered: &[Stone], is_black: bool) -> Option<Stone> {
        let known = self.known.as_ref()?;
        let (last, before) = ordered.split_last()?;
        let is_same = known.len() == before.len() && before.iter().all(|it| known.contains(it));
        (!known.is_empty() && is_same && last.is_black != is_black).then_some(*last)
    }

    /// Requests a decision in an opening, which may consist of several moves.
    fn choose_opening(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        board: &Board,
        moves: &[String],
    ) -> Result<String, Fault> {
        let ordered = board.in_order(moves);
        if ![0, 3, 5].contains(&ordered.len()) {
            let sentence = format!("cannot be sent an opening of {} stones", ordered.len());
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        self.clear(connection)?;
        self.send_times(connection, limits)?;
        connection.send("SWAP2BOARD")?;
        for stone in &ordered {
            connection.send(&point_text(stone.at))?;
        }
        connection.begin_search("DONE")?;
        let count = ordered.len();
        let chosen =
            read_message(connection, |connection, message, line| match (message, count) {
                // It takes black, which the other player has after three stones, and the program
                // after five.
                (Message::Swap, 3) => Ok(Some(vec!["swap".to_owned()])),
                (Message::Swap, 5) => Ok(Some(vec!["keep".to_owned()])),
                (Message::Points(points), _) => {
                    let word = match (count, points.len()) {
                        (0, 3) => None,
                        (3, 1) => Some("keep"),
                        (3, 2) => Some("put-two"),
                        (5, 1) => Some("swap"),
                        _ => {
                            return Err(unexpected_answer_fault(
                                &format!("SWAP2BOARD of {count} stones"),
                                line,
                            ));
                        }
                    };
                    let texts = points.iter().map(|point| checked_point_text(*point, board.size));
                    let words = word.map(|word| Ok(word.to_owned()));
                    words.into_iter().chain(texts).collect::<Result<Vec<_>, _>>().map(Some)
                }
                // Not all programs know the stop command.
                (Message::Unknown(_), _) if connection.writer.take_late_answer() => {
                    connection.log_debug(line).map(|()| None)
                }
                (Message::Error(_) | Message::Unknown(_), _) => {
                    Err(reported_error_fault("refused the swap2 opening", line))
                }
                (Message::Other(text), _) => connection.log_debug(text).map(|()| None),
                _ => Err(unexpected_answer_fault(&format!("SWAP2BOARD of {count} stones"), line)),
            })?;
        self.known = None;
        self.plan = [moves, &chosen].concat();
        chosen
            .into_iter()
            .next()
            .ok_or_else(|| Fault::new(FaultCode::Error, sandboard_engine::messages::CHOSE_NOTHING))
    }

    /// The next move of an earlier decision, if the game has followed it so far.
    fn planned_move(&self, moves: &[String]) -> Option<String> {
        self.plan.strip_prefix(moves)?.first().cloned()
    }
}

fn point_text((column, row): Point) -> String {
    format!("{column},{row}")
}

fn checked_point_text(point: Point, size: u8) -> Result<String, Fault> {
    text_of(point, size).ok_or_else(|| {
        invalid_move_fault(
            &point_text(point),
            &format!("which is not a point of a board of {size}"),
        )
    })
}

/// Waits for a choice of one point. Also returns the last remark about the search.
fn await_point(
    connection: &mut Connection,
    size: u8,
    unit: Unit,
) -> Result<(Point, String, Option<Line>), Fault> {
    let (mut last, mut moves) = (None, Vec::new());
    let remark = |connection: &mut Connection, text: &str| {
        let Some(remark) = parse_remark(text) else { return Ok(()) };
        if !remark.moves.is_empty() {
            moves = remark.moves;
        }
        let Some(score) = remark.score else { return Ok(()) };
        let line = Line {
            rank: 1,
            score: Some(score),
            depth: remark.depth.unwrap_or(0),
            nodes: remark.nodes.unwrap_or(0),
            spent: connection.spent(unit),
            // Programs do not agree on where rows begin.
            moves: String::new(),
        };
        connection.report(line, &mut last)
    };
    let chosen =
        read_message_and_texts(connection, remark, |connection, message, line| match message {
            Message::Points(points) => match points.as_slice() {
                [point] => checked_point_text(*point, size).map(|text| Some((*point, text))),
                _ => Err(unexpected_answer_fault("TURN", line)),
            },
            // In this protocol the host plays the suggested move.
            Message::Suggest(point) => {
                checked_point_text(point, size)?;
                connection.send(&format!("PLAY {}", point_text(point))).map(|()| None)
            }
            Message::Error(_) => Err(reported_error_fault("reported that it has no move", line)),
            Message::Swap => Err(unexpected_answer_fault("TURN", line)),
            _ => connection.log_debug(line).map(|()| None),
        })?;
    let (at, text) = chosen;
    let line = last.map(|line: Line| Line { moves: line_from(&text, &moves, size), ..line });
    Ok((at, text, line))
}

/// The moves of a remark as texts of the game, if they begin with the chosen move where rows count
/// from the bottom or from the top; else the chosen move alone.
fn line_from(chosen: &str, moves: &[String], size: u8) -> String {
    let flipped = |mv: &String| {
        text_of(point_of(mv, size)?, size).and_then(|mv| {
            let (letter, row) = mv.split_at_checked(1)?;
            Some(format!("{letter}{}", size + 1 - row.parse::<u8>().ok()?))
        })
    };
    let same = |mv: &String| point_of(mv, size).map(|_| mv.clone());
    let readings: [Vec<String>; 2] =
        [moves.iter().map_while(same).collect(), moves.iter().map_while(flipped).collect()];
    let fitting =
        readings.into_iter().find(|reading| reading.first().is_some_and(|mv| mv == chosen));
    fitting.map_or_else(|| chosen.to_owned(), |reading| reading.join(" "))
}

impl ProtocolClient for GomocupClient {
    fn identify(&mut self, connection: &mut Connection) -> Result<ProgramIdentity, Fault> {
        let answer = handshake(connection, true)?;
        let field = |name: &str| label(about_field(&answer, name).unwrap_or_default());
        let (author, version) = (field("author"), field("version"));
        Ok(ProgramIdentity { name: field("name"), author, version, ..ProgramIdentity::default() })
    }

    fn begin(&mut self, connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
        let view = connection
            .host_state
            .look("")
            .map_err(|why| start_fault(&format!("cannot begin: {why}")))?;
        let board = Board::parse(&view.position);
        let variant = setup.variant.split('-').next().unwrap_or_default();
        let variant = if variant.is_empty() { "freestyle" } else { variant };
        let (Some(board), Some(rule)) = (board, rule_number(variant)) else {
            return Err(start_fault("cannot begin: gomocup cannot express its board"));
        };
        self.size = board.size;
        let mut info_lines = vec!["INFO game_type 1".to_owned(), format!("INFO rule {rule}")];
        let usable_bytes = connection.config.usable_bytes(setup.memory_bytes);
        info_lines.push(format!("INFO max_memory {usable_bytes}"));
        if connection.has_files {
            info_lines.push(format!("INFO folder {PROGRAM_FOLDER}"));
        }
        let (options, config) = (connection.options.clone(), connection.config.clone());
        for (option, value) in option_values(&options, &setup.options) {
            info_lines.push(format!("INFO {} {value}", config.option_name(&option.name)));
        }
        if setup.threads > 1 {
            let threads = setup.threads;
            let reason = format!(
                "cannot be given {threads} threads: gomocup cannot express a number of threads"
            );
            return Err(start_fault(&reason));
        }
        self.info_lines = info_lines;
        handshake(connection, true)?;
        self.set_up(connection)?;
        handshake(connection, true).map(drop)
    }

    fn check_limits(&self, connection: &Connection, limits: &Limits) -> Result<(), Fault> {
        connection.require_time_limit(limits)
    }

    fn search(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        request: MoveRequest,
    ) -> Result<Choice, Fault> {
        let play = |mv: String, line: Option<Line>| {
            validate_choice(Choice { decision: Decision::Play(mv), offers_draw: false, line })
        };
        let moves = connection.host_state.moves();
        let Some(board) = Board::parse(&request.view.position) else {
            return Err(Fault::new(
                FaultCode::Host,
                "cannot be sent the position: it is not a board",
            ));
        };
        if let Some(mv) =
            self.planned_move(&moves).filter(|mv| request.barred.iter().all(|it| it.r#move != **mv))
        {
            return play(mv, None);
        }
        // An answer that arrives before this belongs to no request.
        handshake(connection, false)?;
        let is_opening = |word: &str| word == "opening" || word == "swap";
        if board.phase.split(' ').any(is_opening) {
            return play(self.choose_opening(connection, limits, &board, &moves)?, None);
        }
        self.request_move(connection, limits, &board, &moves)?;
        let (at, text, line) = await_point(connection, self.size, limits.unit)?;
        let own = Stone { at, is_black: board.is_black };
        self.known = Some(board.stones.iter().copied().chain([own]).collect());
        play(text, line)
    }
}
