//! GGF, the Generic Game Format of the Generic Game Server, for Othello
//! (skatgame.net/mburo/ggsa/ggf): properties in brackets between `(;` and `;)`, any number of games
//! per file. A move is `B[F5/evaluation/seconds]`, where both numbers are optional; `PA` is a pass.
//! Other properties are ignored.

use super::{GameReader, normalize_move, score, start, start_and_end};
use crate::formats::scan::Scanner;
use crate::formats::{
    FormatError, GAMES_MAX, GameTree, Location, LocationUnit, Node, RecordedResult, ResultCause,
    decode, excerpt, one_line, tree_full,
};
use crate::info::Variant;
use crate::reversi::{Color, INFO, Reversi};
use crate::rules::{Rules, Side};

/// Approximate number of moves per line of the file.
const MOVES_PER_LINE: usize = 10;
/// Length limit of a move text, in bytes.
const MAX_MOVE_BYTES: usize = 64;

/// Reads the games of a file. Text between games is skipped.
pub(super) fn read(bytes: &[u8], asked: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut scanner = Scanner::new(bytes);
    let mut games = Vec::new();
    while scanner.find_game() {
        if games.len() == GAMES_MAX {
            return Err(scanner.error(format!("more than {GAMES_MAX} games")));
        }
        games.push(read_game(&mut scanner, asked)?);
    }
    match games.is_empty() {
        true => Err(scanner.error("the file has no game: `(;` is missing")),
        false => Ok(games),
    }
}

/// The properties before the first move.
#[derive(Default)]
struct Header {
    size: Option<u8>,
    variant: Option<String>,
    names: [Option<String>; 2],
    result: Option<RecordedResult>,
    start: Option<Reversi>,
}

fn read_game(scanner: &mut Scanner, asked: Option<&Variant>) -> Result<GameTree, FormatError> {
    let mut header = Header::default();
    let mut line: Option<GameReader> = None;
    loop {
        if scanner.take(b';') {
            continue;
        }
        if scanner.take(b')') {
            break;
        }
        let Some(name) = scanner.name() else {
            return Err(match scanner.peek() {
                Some(byte) => scanner.error(format!(
                    "{} is not a property or the end of the game (`;)`)",
                    excerpt(&[byte])
                )),
                None => scanner.error("the file ends inside a game: `;)` is missing"),
            });
        };
        let mut values = 0;
        while let Some(value) = scanner.value()? {
            values += 1;
            match (name.as_str(), Color::ALL.into_iter().find(|color| letter(*color) == name)) {
                (_, Some(color)) => {
                    let line = line.get_or_insert_with(|| header.line(asked));
                    read_move(line, color, value, scanner.line())?;
                }
                (name, None) => header.read(name, value, line.is_some(), scanner)?,
            }
        }
        if values == 0 {
            return Err(
                scanner.error(format!("{} has no value: `[` is missing", excerpt(name.as_bytes())))
            );
        }
    }
    let mut tree = line.unwrap_or_else(|| header.line(asked)).tree;
    tree.size = Some(header.size.unwrap_or_else(|| start(None, asked).size()));
    tree.start = header.start.and_then(|position| non_default_text(&position));
    (tree.variant, tree.result) = (header.variant, header.result);
    tree.names = header.names.into();
    Ok(tree)
}

/// The name of the property for a colour's moves.
fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "B",
        Color::White => "W",
    }
}

/// The position text, unless it is the variant's start position.
fn non_default_text(position: &Reversi) -> Option<String> {
    let mut text = String::new();
    position.write_position(&mut text);
    (Reversi::start(&position.variant()) != *position).then_some(text)
}

impl Header {
    /// The game without moves.
    fn line(&self, asked: Option<&Variant>) -> GameReader {
        let begin = self.start.clone().unwrap_or_else(|| start(self.size, asked));
        GameReader::new(LocationUnit::Lines, begin)
    }

    fn read(
        &mut self,
        name: &str,
        value: &[u8],
        has_moves: bool,
        scanner: &Scanner,
    ) -> Result<(), FormatError> {
        let text = decode(value);
        let text = text.trim();
        match name {
            "GM" if !text.eq_ignore_ascii_case("othello") => {
                let game = excerpt(text.as_bytes());
                return Err(scanner.error(format!("GM is {game} instead of Othello")));
            }
            "PB" => self.names[0] = one_line(text),
            "PW" => self.names[1] = one_line(text),
            "RE" => self.result = result(text),
            "TY" | "BO" if has_moves => {
                return Err(scanner.error(format!("{name} changes the board after moves")));
            }
            "TY" => self.read_type(text, scanner)?,
            "BO" => self.read_board(text, scanner)?,
            _ => (),
        }
        Ok(())
    }

    /// Reads a type such as `8`, `s8r20` (random discs, two simultaneous games) or `8a` (fewer
    /// discs win, a different game).
    fn read_type(&mut self, text: &str, scanner: &Scanner) -> Result<(), FormatError> {
        let rest = text.trim_start_matches(['s', 'S']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.set_size(&rest[..digits], scanner)?;
        if rest[digits..].contains(['a', 'A']) {
            self.variant = Some("anti".to_owned());
        }
        Ok(())
    }

    fn set_size(&mut self, digits: &str, scanner: &Scanner) -> Result<(), FormatError> {
        let known = INFO.variants[0].sizes;
        let size = digits.parse().ok().filter(|size| known.is_some_and(|it| it.contains(*size)));
        let Some(size) = size else {
            let digits = excerpt(digits.as_bytes());
            return Err(scanner.error(format!("{digits} is not a board size: expected 4, 6 to 16")));
        };
        match self.size.replace(size) {
            Some(other) if other != size => {
                Err(scanner.error(format!("board size {size} contradicts {other}")))
            }
            _ => Ok(()),
        }
    }

    /// Reads `8 ---… *`: the size, the squares with white space anywhere, the side to move.
    fn read_board(&mut self, text: &str, scanner: &Scanner) -> Result<(), FormatError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        self.set_size(&text[..digits], scanner)?;
        let mut signs = String::new();
        for sign in text[digits..].chars().filter(|sign| !sign.is_whitespace()) {
            signs.push(match sign {
                '*' => 'X',
                'O' | '-' => sign,
                _ => {
                    let sign = excerpt(sign.to_string().as_bytes());
                    return Err(scanner.error(format!("{sign} is neither *, O nor -")));
                }
            });
        }
        let side = signs.pop().unwrap_or('-');
        let variant = Variant { id: INFO.variants[0].id, size: self.size, setting: None };
        let position = Reversi::parse_position(&variant, &format!("{signs} {side}"));
        let wrong =
            |error| scanner.error(format!("BO is not a board with a side to move: {error}"));
        self.start = Some(position.map_err(wrong)?);
        Ok(())
    }
}

/// Reads a result such as `+12.00` or `-64.00:r`; `None` for other texts.
fn result(text: &str) -> Option<RecordedResult> {
    let (score, how) = text.split_once(':').unwrap_or((text, ""));
    let score: f64 = score.trim().parse().ok()?;
    let winner = match score.partial_cmp(&0.0)? {
        std::cmp::Ordering::Less => Some(Side(1)),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Side(0)),
    };
    let cause = match how.trim() {
        "r" => ResultCause::Resignation,
        "t" | "l" => ResultCause::Time,
        _ => ResultCause::Unspecified,
    };
    Some(RecordedResult { winner, cause })
}

fn read_move(
    line: &mut GameReader,
    color: Color,
    value: &[u8],
    number: usize,
) -> Result<(), FormatError> {
    let at = Location::Line(number);
    let value = decode(value);
    let mut parts = value.split('/').map(str::trim);
    let word = parts.next().unwrap_or_default();
    if word.is_empty() || word.len() > MAX_MOVE_BYTES {
        return Err(FormatError::new(at, format!("{} is not a move", excerpt(word.as_bytes()))));
    }
    // GGS writes `F5`, some programs `f5`; a pass is `PA`, `PASS` or `pa`.
    let mv = normalize_move(word);
    // If a pass was omitted, the colour is that of the move after it.
    if mv != super::PASS && line.must_pass() {
        line.push(super::PASS, number, at)?;
    }
    if let Some(mover) = line.position.as_ref().map(Reversi::color_to_move)
        && mover != color
    {
        let (number, color, mover) = (line.tree.depth() + 1, color.name(), mover.name());
        return Err(FormatError::new(at, format!("move {number} is {color}'s, not {mover}'s")));
    }
    line.add(&mv, number, at)?;
    let label = parts.next().and_then(score).unwrap_or_default();
    line.tree.set_label(label).map_err(tree_full(at))?;
    if let Some(ms) = parts.next().and_then(milliseconds) {
        line.tree.set_used_ms(ms);
    }
    Ok(())
}

/// Seconds with up to three decimal places, as milliseconds; `None` if zero or invalid.
fn milliseconds(text: &str) -> Option<u64> {
    let text = score(text).filter(|text| !text.starts_with('-'))?;
    let (seconds, places) = text.split_once('.').unwrap_or((text, ""));
    let seconds: u64 = seconds.trim_start_matches('+').parse().ok()?;
    let places: String = places.chars().chain("000".chars()).take(3).collect();
    Some(seconds.checked_mul(1000)?.saturating_add(places.parse().ok()?)).filter(|ms| *ms > 0)
}

/// Writes the main line.
pub(super) fn write(tree: &GameTree, variant: &Variant) -> Result<Vec<u8>, FormatError> {
    let (begin, end) = start_and_end(tree, variant)?;
    let mut out = String::from("(;GM[Othello]PC[Sandboard]");
    for (name, seat) in [("PB", 0), ("PW", 1)] {
        let text = tree.names.get(seat).cloned().flatten().and_then(|text| one_line(&text));
        out.push_str(&format!("{name}[{}]", plain(&text.unwrap_or_default())));
    }
    out.push_str(&format!("RE[{}]TY[{}]", result_text(tree.result, &end), begin.size()));
    write_board(&begin, &mut out);
    out.push('\n');
    let mut position = begin;
    for node in tree.main_line() {
        if node.depth > 1 && node.depth % MOVES_PER_LINE == 1 {
            out.push('\n');
        }
        write_move(&node, position.color_to_move(), &mut out);
        // The move is legal: `start_and_end` has played it.
        let played = position.play(node.mv);
        debug_assert!(played.is_ok());
    }
    out.push_str(";)\n");
    Ok(out.into_bytes())
}

fn result_text(result: Option<RecordedResult>, end: &Reversi) -> String {
    if let Some(outcome) = end.outcome() {
        return format!("{:+}.00", outcome.score);
    }
    let Some(result) = result else { return "?".to_owned() };
    let score = match result.winner {
        None => return "+0.00:s".to_owned(),
        Some(Side(0)) => "+64.00",
        Some(_) => "-64.00",
    };
    let cause = match result.cause {
        ResultCause::Resignation => ":r",
        ResultCause::Time => ":t",
        ResultCause::Unspecified | ResultCause::Forfeit => "",
    };
    format!("{score}{cause}")
}

fn write_board(begin: &Reversi, out: &mut String) {
    let mut text = String::new();
    begin.write_position(&mut text);
    let size = usize::from(begin.size());
    out.push_str(&format!("BO[{size}"));
    let (discs, side) = text.split_at(size * size);
    for row in discs.as_bytes().chunks(size) {
        out.push(' ');
        out.push_str(&String::from_utf8_lossy(row).replace('X', "*"));
    }
    out.push_str(&side.replace('X', "*"));
    out.push(']');
}

fn write_move(node: &Node, color: Color, out: &mut String) {
    let mv = if node.mv == super::PASS { "PA".to_owned() } else { node.mv.to_uppercase() };
    out.push_str(&format!("{}[{mv}", letter(color)));
    let own = node.evaluation.map(|evaluation| format!("{:.2}", f64::from(evaluation.score)));
    let value = node.label.and_then(score).or(own.as_deref()).unwrap_or_default();
    let ms = node.used_ms.unwrap_or(0);
    match (value.is_empty(), ms) {
        (true, 0) => (),
        (false, 0) => out.push_str(&format!("/{value}")),
        _ => out.push_str(&format!("/{value}/{}.{:03}", ms / 1000, ms % 1000)),
    }
    out.push(']');
}

/// A text without special characters; the format cannot escape them.
fn plain(text: &str) -> String {
    text.replace('[', "(").replace(']', ")").replace('\\', "/")
}
