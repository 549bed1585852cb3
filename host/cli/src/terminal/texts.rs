//! Formats the parts that every display of a bout shows: players, clocks, lines of engines, marks
//! on boards, and commands to continue.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Line, Unit};
use sandboard_games::{Games, Seat, Side};

use super::CommandHints;
use crate::shell_word;
use sandboard_bout::driver::{BoutReport, BoutSetup, BoutView};
use sandboard_bout::perfect_play;
use sandboard_bout::record::{PonderingStatistics, Record};
use sandboard_bout::replay;
use sandboard_bout::replay::FaultReport;
use sandboard_engine::Amount;

/// A score within this many plies of a forced win is shown as one.
const WIN_PLIES: i32 = 1_000;

/// The most moves before a bout that its header shows.
const OPENING_MOVES_SHOWN: usize = 8;

/// Colours of the output, or none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextStyle {
    /// Whether colours are used.
    pub on: bool,
}

impl TextStyle {
    /// For standard output: colours only on a terminal, and unless `NO_COLOR` is set.
    pub(crate) fn for_stdout() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { on: wanted && std::io::stdout().is_terminal() }
    }

    /// Text that is emphasised.
    pub(crate) fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Text about an error.
    pub(crate) fn error(self, text: &str) -> String {
        self.with("31", text)
    }

    /// Text that is less important.
    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A board with the last move, which is in brackets, emphasised.
    pub(crate) fn board(self, board: &str) -> String {
        let marked = |line: &str| {
            let (open, close) = (line.find('['), line.find(']'));
            match (open, close) {
                (Some(open), Some(close)) if self.on && open < close => {
                    let (before, rest) = line.split_at(open);
                    let (mark, after) = rest.split_at(close + 1 - open);
                    format!("{before}{}{after}", self.with("1;7", mark))
                }
                _ => line.to_owned(),
            }
        };
        board.lines().map(|line| marked(line) + "\n").collect()
    }
}

/// The game, the variant, the seed, and the players with their sides and budgets.
pub(super) fn header(setup: &BoutSetup) -> String {
    let start = &setup.start;
    let game = start.set_up().ok();
    let variant = game.as_ref().map_or(start.variant.text(), |game| game.variant().text());
    let side = |seat: u8| match &game {
        Some(game) => game.side_name(game.side(Seat(seat))),
        None => "",
    };
    // With the seed a person could compute what chance will bring.
    let features = start.game.features;
    let has_people = setup.players.iter().any(|player| player.engine.is_none());
    let hides_seed = has_people && (features.chance || features.hidden_information);
    let seed = if hides_seed { String::new() } else { format!(", seed {}", setup.seed) };
    let mut text = format!("{} {variant}{seed}\n", start.game.id);
    let hides_start = has_people && features.hidden_information;
    if let Some(position) = start.position.as_ref().filter(|_| !hides_start) {
        let _ = writeln!(text, "  from {position}");
    }
    if !start.moves.is_empty() {
        let _ = writeln!(text, "  {}", moves_before(&start.moves));
    }
    let row = |player: &sandboard_bout::driver::Participant| {
        let sides = player.seats.first().map_or("", |seat| side(*seat));
        let version = player.engine.as_ref().map_or("", |engine| engine.version.as_str());
        let name = format!("{} {version}", player.name);
        let ponders = if player.ponders { ", also thinking on the opponent's time" } else { "" };
        [sides.to_owned(), name.trim().to_owned(), format!("{}{ponders}", player.budget)]
    };
    let rows: Vec<_> = setup.players.iter().map(row).collect();
    for row in &rows {
        let _ = writeln!(text, "  {}", columns(row, &rows));
    }
    text
}

/// The number of moves before the bout, and the last of them.
fn moves_before(moves: &[String]) -> String {
    let unit = if moves.len() == 1 { "move" } else { "moves" };
    let hidden = moves.len().saturating_sub(OPENING_MOVES_SHOWN);
    let more = if hidden > 0 { "… " } else { "" };
    format!("after {} {unit}: {more}{}", moves.len(), moves[hidden..].join(" "))
}

/// Both clocks, with a mark at the player to move.
pub(super) fn clocks(scene: BoutView<'_>) -> String {
    let referee = scene.referee;
    let to_move = referee.to_move().map(|(player, _)| player);
    let row = |player: usize| {
        let setup = referee.player(player)?;
        let side = referee.side(player).unwrap_or(Side(0));
        let clock = match (scene.clock(player), setup.budget.game_clock()) {
            (None, _) => "no clock".to_owned(),
            (Some(shown), Some(_)) => shown.to_string(),
            (Some(shown), None) => format!("{shown} a move"),
        };
        Some([referee.game().side_name(side).to_owned(), setup.name.clone(), clock])
    };
    let rows: Vec<_> = (0..referee.player_count()).filter_map(row).collect();
    let mut text = String::new();
    for (player, row) in rows.iter().enumerate() {
        let mark = if to_move == Some(player) { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {}", columns(row, &rows));
    }
    text
}

fn columns(row: &[String; 3], rows: &[[String; 3]]) -> String {
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [a, b, c] = row;
    format!("{a:0$}  {b:1$}  {c}", width(0), width(1)).trim_end().to_owned()
}

/// An engine's report about its move; empty if there is none.
pub(super) fn line(line: &Line) -> String {
    let mut parts = Vec::new();
    if let Some(score) = line.score {
        let bound = match score.bound {
            Bound::Estimate => "",
            Bound::AtLeast => "at least ",
            Bound::AtMost => "at most ",
            Bound::Exact => "exactly ",
        };
        let plies = WIN_SCORE - score.value.saturating_abs();
        parts.push(match score.value {
            value if !(0..WIN_PLIES).contains(&plies) => format!("score {bound}{value:+}"),
            1.. => format!("wins in {plies}"),
            _ => format!("loses in {plies}"),
        });
    }
    if line.depth > 0 {
        parts.push(format!("depth {}", line.depth));
    }
    if line.nodes > 0 {
        parts.push(format!("{} nodes", line.nodes));
    }
    if !line.moves.is_empty() {
        let mut moves = line.moves.split_ascii_whitespace();
        let shown: Vec<&str> = moves.by_ref().take(8).collect();
        let more = if moves.next().is_some() { " …" } else { "" };
        parts.push(format!("line {}{more}", shown.join(" ")));
    }
    parts.join(", ")
}

/// A player's time overrun: the time that it used, and the limit.
pub(super) fn overrun(scene: BoutView<'_>, player: usize, spent: u64, allowed: u64) -> String {
    let setup = scene.referee.player(player);
    let unit = setup.map_or(Unit::Wall, |setup| setup.budget.unit());
    let amount = |value| Amount { unit, value: rounded(unit, value) };
    let name = setup.map_or("", |setup| setup.name.as_str());
    let of = if unit == Unit::Cpu { " of CPU time" } else { "" };
    format!("{name} exceeded its time limit: it used {} of {}{of}", amount(spent), amount(allowed))
}

/// Rounds times down to milliseconds.
fn rounded(unit: Unit, value: u64) -> u64 {
    if unit == Unit::Fuel || value < 1_000 { value } else { value / 1_000 * 1_000 }
}

/// The result of perfect play, the file of the record, and commands to continue.
pub(super) fn footer(report: &BoutReport, games: &Games, hints: &CommandHints) -> String {
    let mistakes = perfect_play::describe_mistakes(&report.record, games);
    mistakes + &record_and_commands(report, hints)
}

fn record_and_commands(report: &BoutReport, hints: &CommandHints) -> String {
    let path = match &report.saved {
        Ok(Some(path)) => path,
        Ok(None) => return String::new(),
        Err(error) => return format!("the bout is not saved: {error}\n"),
    };
    let file = shell_word(&path.to_string_lossy());
    let arguments = &hints.arguments;
    let mut text = pondering(&report.record);
    for fault in replay::fault_reports(&report.record, Some(path)) {
        let FaultReport { name, code, call, at_ply, spent, replay, .. } = fault;
        let _ = writeln!(text, "{name}: {code} in {call} at ply {at_ply} after {spent}");
        if !replay.is_empty() {
            let _ = writeln!(text, "  to reproduce it: {replay}{arguments}");
        }
    }
    let _ = writeln!(text, "record: {}", path.display());
    if report.result.is_none() {
        let _ = writeln!(text, "resume: sandboard play --resume {file}{arguments}");
    } else if let Some(last) = report.record.plies.len().checked_sub(2) {
        let place = from(path, last);
        let _ = writeln!(
            text,
            "to play on from this ply, or any other: sandboard play --from {place}{arguments}"
        );
    }
    text
}

/// What engines did on their opponents' time; empty if none pondered.
fn pondering(record: &Record) -> String {
    let mut text = String::new();
    for (index, player) in record.players.iter().enumerate().filter(|(_, it)| it.ponders) {
        let PonderingStatistics { time, predictions, hits } = record.pondering(index);
        let seconds = |us: u64| us as f64 / 1e6;
        let _ = write!(text, "{}: {:.1} s of thinking", player.name, seconds(time.wall_us));
        if let Some(cpu_us) = time.cpu_us {
            let _ = write!(text, " ({:.1} s of CPU time)", seconds(cpu_us));
        }
        let _ = writeln!(
            text,
            " on its opponent's time; {hits} of {predictions} predicted replies were played"
        );
    }
    text
}

fn from(path: &Path, ply: usize) -> String {
    shell_word(&format!("{}@{ply}", path.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_abi::Score;

    fn check(score: Option<(i32, Bound)>, depth: u32, moves: &str, expected: &str) {
        let score = score.map(|(value, bound)| Score { value, bound });
        let report = Line { score, depth, moves: moves.into(), ..Line::default() };
        assert_eq!(line(&report), expected);
    }

    #[test]
    fn reports_of_engines_are_formatted() {
        check(None, 0, "", "");
        check(Some((23, Bound::Estimate)), 8, "h8 i9", "score +23, depth 8, line h8 i9");
        check(Some((-5, Bound::AtMost)), 0, "", "score at most -5");
        check(Some((29_995, Bound::Exact)), 3, "", "wins in 5, depth 3");
        check(Some((-29_996, Bound::Exact)), 3, "", "loses in 4, depth 3");
        check(None, 1, "a b c d e f g h i", "depth 1, line a b c d e f g h …");
    }

    #[test]
    fn the_header_has_the_last_moves_before_the_bout() {
        let check = |count: usize, expected: &str| {
            let moves: Vec<String> = (1..=count).map(|number| format!("a{number}")).collect();
            assert_eq!(moves_before(&moves), expected);
        };
        check(1, "after 1 move: a1");
        check(8, "after 8 moves: a1 a2 a3 a4 a5 a6 a7 a8");
        check(9, "after 9 moves: … a2 a3 a4 a5 a6 a7 a8 a9");
    }

    #[test]
    fn the_last_move_is_emphasised() {
        let board = " 2 . .[x]. \n 1 . . . . \n";
        assert_eq!(TextStyle { on: false }.board(board), board);
        assert_eq!(
            TextStyle { on: true }.board(board),
            " 2 . .\x1b[1;7m[x]\x1b[0m. \n 1 . . . . \n"
        );
    }
}
