//! What an instance may ask of the host during a call: rules by text, assets,
//! the log. Checks and bounds all that comes in, whoever asks and by whichever
//! border. Counts no time.

use std::borrow::Cow;
use std::sync::Arc;

use sandboard_abi::{
    Barred, CellOp, Choice, Decision, Description, Ending, Kind, Level, Limits, Line, Score, Setup,
    View, limits,
};
use sandboard_games::{DynGame, Outcome, Seat};

use super::assets::Assets;
use super::commons::{Cells, Commons};
use super::quota::Quota;
use super::transcript::{BorderHash, Transcript};
use super::{Fault, FaultCode, Listener};
use crate::manifest::HOST_OPTIONS;

/// The desk of one instance.
pub struct Desk {
    listener: Arc<dyn Listener>,
    assets: Assets,
    board: Board,
    /// What it shares with others; none: it is alone.
    commons: Option<Arc<Commons>>,
    /// The cells of an instance that is alone.
    cells: Cells,
    quota: Quota,
    /// Everything that has crossed the border, where somebody may want to compare.
    transcript: Option<Transcript>,
    /// What the engine said just before it gave up.
    pub fatal: Option<String>,
}

impl Desk {
    /// A desk at which no game has begun.
    pub fn new(listener: Arc<dyn Listener>, assets: Assets, log_quota_bytes: u64) -> Self {
        Self {
            listener,
            assets,
            board: Board::default(),
            commons: None,
            cells: Cells::default(),
            quota: Quota::new(log_quota_bytes),
            transcript: None,
            fatal: None,
        }
    }

    /// Keeps a transcript from now on.
    pub fn keep_transcript(&mut self) {
        self.transcript = Some(Transcript::default());
    }

    /// Shares table and cells with others from now on.
    pub fn share(&mut self, commons: Arc<Commons>) {
        self.commons = Some(commons);
    }

    /// The hash of the transcript, where one is kept.
    pub fn border(&mut self) -> Option<BorderHash> {
        self.transcript.as_mut().map(Transcript::hash)
    }

    /// Bytes logged in this game, dropped ones included.
    pub fn logged_bytes(&self) -> u64 {
        self.quota.logged_bytes()
    }

    /// A game begins.
    pub fn start(&mut self, setup: &Setup) {
        self.write(|transcript| transcript.start(setup));
        self.board = Board::new(setup);
    }

    /// A move is asked for.
    pub fn choose(&mut self, limits: &Limits, barred: &[Barred]) {
        self.write(|transcript| transcript.choose(limits, barred));
    }

    /// The engine has chosen.
    pub fn chosen(&mut self, choice: &Choice) {
        self.write(|transcript| transcript.chosen(choice));
    }

    /// The engine may think along.
    pub fn think(&mut self) {
        self.write(Transcript::think);
    }

    /// The engine was told what is left.
    pub fn left(&mut self, left: u64) {
        self.write(|transcript| transcript.left(left));
    }

    fn write(&mut self, entry: impl FnOnce(&mut Transcript)) {
        if let Some(transcript) = self.transcript.as_mut() {
            entry(transcript);
        }
    }

    /// A move was accepted.
    pub fn played(&mut self, mv: &str) {
        self.write(|transcript| transcript.played(mv));
        self.board.moves.push(mv);
    }

    /// Moves were undone.
    pub fn taken_back(&mut self, plies: u32) {
        self.write(|transcript| transcript.taken_back(plies));
        self.board.moves.pop(plies as usize);
        self.board.synced = self.board.synced.min(self.board.moves.len());
    }

    /// A call begins: what is said in it is counted anew.
    pub fn call_begins(&mut self) {
        self.quota.call_begins();
        self.fatal = None;
    }

    /// A line that the engine reports. Err: it has said too much.
    pub fn report(&mut self, line: Line) -> Result<(), Fault> {
        self.write(|transcript| transcript.report(&line));
        self.quota.report(line.moves.len())?;
        self.listener.report(&checked_line(line)?);
        Ok(())
    }

    /// A text for the log: cut, escaped, and dropped when a quota is used up.
    /// Err: it has said far too much.
    pub fn log(&mut self, level: Level, text: &str) -> Result<(), Fault> {
        self.write(|transcript| transcript.log(level, text));
        let clean = clean_text(text, limits::LOG_TEXT_BYTES);
        let fits = self.quota.log(text.len(), clean.len())?;
        if level == Level::Fatal {
            self.fatal = Some(clean.clone());
        }
        if fits {
            self.listener.log(level, &clean);
        }
        Ok(())
    }

    /// A line that it printed, beside the border: in the log like any other text, but no
    /// fault however much there is.
    #[cfg(target_os = "linux")]
    pub(crate) fn overheard(&mut self, line: &str) {
        let clean = clean_text(line, limits::LOG_TEXT_BYTES);
        if self.quota.log(line.len(), clean.len()).unwrap_or(false) {
            self.listener.log(Level::Warning, &clean);
        }
    }

    /// The legal moves after a line of moves.
    pub fn legal(&mut self, moves: &str) -> Result<String, String> {
        let answer = self.board.after(moves, |game| {
            let mut line = String::new();
            game.write_legal(&mut line);
            line
        });
        self.write(|transcript| transcript.legal(moves, &answer));
        answer
    }

    /// The position after a line of moves.
    pub fn look(&mut self, moves: &str) -> Result<View, String> {
        let answer = self.board.after(moves, |game| View {
            position: game.position(),
            to_move: game.to_move().0,
            ending: game.outcome().map(|outcome| ending(game, outcome)),
        });
        self.write(|transcript| transcript.look(moves, &answer));
        answer
    }

    /// The moves so far, those of the setup with them.
    #[cfg(target_os = "linux")]
    pub(crate) fn line(&self) -> Vec<String> {
        let moves = &self.board.moves;
        (0..moves.len()).map(|index| moves.get(index).to_owned()).collect()
    }

    /// Bytes of an asset.
    pub fn asset(&mut self, name: &str, offset: u64, length: u32) -> Result<Cow<'_, [u8]>, String> {
        let answer = self.assets.read(name, offset, length).ok_or_else(|| {
            let name = clean_text(name, limits::ID_BYTES);
            format!("the pack has no asset `{name}`")
        });
        if let Some(transcript) = self.transcript.as_mut() {
            transcript.asset((name, offset, length), answer.as_deref());
        }
        answer
    }

    /// Looks into the table that it shares; alone it has none: 0.
    pub fn probe(&mut self, key: u64) -> u64 {
        let value = self.commons.as_ref().map_or(0, |commons| commons.probe(key));
        self.write(|transcript| transcript.probe(key, value));
        value
    }

    /// Writes into the table that it shares.
    pub fn store(&mut self, key: u64, value: u64) {
        if let Some(commons) = &self.commons {
            commons.store(key, value);
        }
        self.write(|transcript| transcript.store(key, value));
    }

    /// Works on a cell; a cell that does not exist is a fault.
    pub fn cell(&mut self, index: u32, op: CellOp, value: i64) -> Result<i64, Fault> {
        let before = match &self.commons {
            Some(commons) => commons.cell(index, op, value),
            None => self.cells.cell(index, op, value),
        };
        let before = before.ok_or_else(|| {
            let last = limits::CELLS - 1;
            let sentence = format!("asked for cell {index}; there are cells 0 to {last}");
            Fault::new(FaultCode::Protocol, sentence)
        })?;
        self.write(|transcript| transcript.cell(index, op, value, before));
        Ok(before)
    }
}

fn ending(game: &dyn DynGame, outcome: Outcome) -> Ending {
    let seats = 0..game.info().seats;
    let winner =
        outcome.winner.and_then(|side| seats.into_iter().find(|s| game.side(Seat(*s)) == side));
    Ending { winner, reason: outcome.reason.to_owned() }
}

/// A choice within the border's limits.
pub fn checked_choice(choice: Choice) -> Result<Choice, Fault> {
    if let Decision::Play(mv) = &choice.decision
        && mv.len() > limits::MOVE_BYTES
    {
        return Err(long_move(mv.len()));
    }
    let line = choice.line.map(checked_line).transpose()?;
    Ok(Choice { line, ..choice })
}

/// The fault of a move of so many bytes.
pub fn long_move(bytes: usize) -> Fault {
    let most = limits::MOVE_BYTES;
    let sentence = format!("sent a move of {bytes} bytes; at most {most} are admitted");
    Fault::new(FaultCode::Protocol, sentence)
}

/// The fault of a line of so many bytes.
pub fn long_line(bytes: usize) -> Fault {
    let most = limits::LINE_BYTES;
    let sentence = format!("sent a line of moves of {bytes} bytes; at most {most} are admitted");
    Fault::new(FaultCode::Protocol, sentence)
}

/// A line within its limits, its score within the range of scores.
pub fn checked_line(line: Line) -> Result<Line, Fault> {
    if line.moves.len() > limits::LINE_BYTES {
        return Err(long_line(line.moves.len()));
    }
    let clamp = |score: Score| Score {
        value: score.value.clamp(-limits::WIN_SCORE, limits::WIN_SCORE),
        ..score
    };
    let moves = match line.moves.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        true => line.moves,
        false => clean_text(&line.moves, limits::LINE_BYTES),
    };
    Ok(Line { score: line.score.map(clamp), moves, ..line })
}

/// Characters that show nothing and change how what follows is shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A description within the border's limits, its texts fit to be shown, its
/// options sound.
pub fn checked_description(mut description: Description) -> Result<Description, Fault> {
    let refuse = |sentence: String| Err(Fault::new(FaultCode::Protocol, sentence));
    let Description { id, name, author, version, games, options, .. } = &mut description;
    for label in [id, name, author, version] {
        *label = clean_text(label, limits::LABEL_BYTES);
    }
    for count in [games.len(), options.len()] {
        if count > limits::OPTIONS {
            let most = limits::OPTIONS;
            return refuse(format!(
                "describes itself with a list of {count}; at most {most} are admitted"
            ));
        }
    }
    for game in games {
        game.game = clean_text(&game.game, limits::ID_BYTES);
        game.variants.truncate(limits::OPTIONS);
        for variant in &mut game.variants {
            *variant = clean_text(variant, limits::ID_BYTES);
        }
        // None is all of them: an engine that asks the host for the rules plays what the host knows.
        if let Some(info) = sandboard_games::game(&game.game).filter(|_| game.variants.is_empty()) {
            game.variants = info.variants.iter().map(|variant| variant.id.to_owned()).collect();
        }
    }
    let mut names = std::collections::BTreeSet::new();
    for option in options {
        option.name = clean_text(&option.name, limits::ID_BYTES);
        option.about = clean_text(&option.about, limits::LABEL_BYTES);
        if let Kind::Pick(words) = &mut option.kind {
            words.truncate(limits::OPTIONS);
            words.iter_mut().for_each(|word| *word = clean_text(word, limits::LABEL_BYTES));
        }
        let word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if option.name.is_empty() || !option.name.chars().all(word) {
            return refuse(format!(
                "describes an option named `{}`, which is no word",
                option.name
            ));
        }
        if HOST_OPTIONS.contains(&option.name.as_str()) {
            let name = &option.name;
            return refuse(format!(
                "describes the option `{name}`, which is the host's own: every engine has it"
            ));
        }
        if !names.insert(option.name.clone()) {
            return refuse(format!("describes the option `{}` twice", option.name));
        }
        // What no manifest can say and no JSON.
        if let Kind::Real(min, max) = option.kind
            && !(min.is_finite() && max.is_finite())
        {
            return refuse(format!(
                "describes the option `{}` with the bounds {min} and {max}; both are to be numbers",
                option.name
            ));
        }
        if let Err(reason) = option.kind.check(&option.initial) {
            let reason = clean_text(&reason, limits::REASON_BYTES);
            return refuse(format!(
                "describes the option `{}` with an initial value: {reason}",
                option.name
            ));
        }
    }
    Ok(description)
}

/// A text that may be shown in any terminal: control characters escaped, cut
/// at a limit of bytes.
pub fn clean_text(text: &str, limit_bytes: usize) -> String {
    let mut clean = String::with_capacity(text.len().min(limit_bytes));
    for character in text.chars() {
        let length = clean.len();
        match character {
            '\t' => clean.push(' '),
            c if c.is_control() || is_invisible(c) => clean.extend(c.escape_default()),
            c => clean.push(c),
        }
        if clean.len() > limit_bytes {
            clean.truncate(length);
            clean.push('…');
            break;
        }
    }
    clean
}

#[cfg(test)]
mod tests;

/// The game as the instance knows it, for `legal` and `look`. Followed lazily:
/// an engine with rules of its own costs a text per move.
#[derive(Default)]
struct Board {
    setup: Option<(String, String, String)>,
    moves: MoveList,
    game: Option<Box<dyn DynGame>>,
    /// So many of `moves` are played in `game`.
    synced: usize,
}

/// Move texts in one string.
#[derive(Default)]
struct MoveList {
    text: String,
    ends: Vec<usize>,
}

impl MoveList {
    fn push(&mut self, mv: &str) {
        self.text.push_str(mv);
        self.ends.push(self.text.len());
    }

    fn pop(&mut self, count: usize) {
        self.ends.truncate(self.ends.len().saturating_sub(count));
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, index: usize) -> &str {
        let begin = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[begin..self.ends[index]]
    }
}

impl Board {
    fn new(setup: &Setup) -> Self {
        let mut moves = MoveList::default();
        setup.moves.split_ascii_whitespace().for_each(|mv| moves.push(mv));
        let setup = (setup.game.clone(), setup.variant.clone(), setup.start.clone());
        Self { setup: Some(setup), moves, game: None, synced: 0 }
    }

    fn after<T>(&mut self, moves: &str, look: impl FnOnce(&dyn DynGame) -> T) -> Result<T, String> {
        if moves.len() > limits::LINE_BYTES {
            return Err(format!(
                "the line has {} bytes; at most {}",
                moves.len(),
                limits::LINE_BYTES
            ));
        }
        let game = self.game()?;
        let mut plies = 0;
        let played = moves.split_ascii_whitespace().try_for_each(|mv| {
            plies += 1;
            game.play(mv).map(drop).map_err(|refusal| {
                plies -= 1;
                clean_text(&refusal.to_string(), limits::REASON_BYTES)
            })
        });
        let seen = played.map(|()| look(game.as_ref()));
        game.take_back(plies);
        seen
    }

    fn game(&mut self) -> Result<&mut Box<dyn DynGame>, String> {
        if self.game.is_none() {
            self.game = Some(self.set_up()?);
            self.synced = 0;
        }
        let game = self.game.as_mut().ok_or("no game has begun")?;
        game.take_back(game.plies() - self.synced);
        while self.synced < self.moves.len() {
            let mv = self.moves.get(self.synced);
            game.play(mv).map_err(|refusal| refusal.to_string())?;
            self.synced += 1;
        }
        Ok(game)
    }

    fn set_up(&self) -> Result<Box<dyn DynGame>, String> {
        let (game, variant, start) = self.setup.as_ref().ok_or("no game has begun")?;
        let info = sandboard_games::game(game).ok_or_else(|| format!("no game `{game}`"))?;
        let variant = info.variant(variant).map_err(|error| error.to_string())?;
        let start = (!start.is_empty()).then_some(start.as_str());
        (info.new)(&variant, start).map_err(|error| error.to_string())
    }
}
