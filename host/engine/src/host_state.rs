//! Answers an instance's queries during a call: rules as text, assets, the shared table, reports
//! and logs. Checks and limits everything that an engine sends, over whichever ABI. Measures no
//! time.

mod game_tracker;

use std::borrow::Cow;
use std::sync::Arc;

use sandboard_abi::{Barred, CellOp, Choice, Level, Limits, Line, Setup, View, limits};
use sandboard_common::text::clean_text;
use sandboard_games::Games;

use crate::game_view;
use crate::output_quota::OutputQuota;
use crate::shared_table::LocalCells;
use crate::transcript::Transcript;
use crate::validate::validate_line;
use crate::{Fault, FaultCode, Listener, RemoteRules, Resources, SharedTable, TranscriptHash};
use game_tracker::GameTracker;

/// The state behind the host functions of one instance.
pub struct HostState {
    listener: Arc<dyn Listener>,
    resources: Resources,
    game: GameTracker,
    /// The table that the instance shares with others; none: it searches alone.
    shared_table: Option<Arc<SharedTable>>,
    /// The cells of an instance that searches alone.
    local_cells: LocalCells,
    quota: OutputQuota,
    /// The transcript of all calls and answers; kept under fuel.
    transcript: Option<Transcript>,
    /// The text of the last fatal log entry in the current call.
    fatal_message: Option<String>,
}

impl HostState {
    /// The state of an instance before its game; `log_quota_bytes`: size of the log of a game.
    pub fn new(listener: Arc<dyn Listener>, resources: Resources, log_quota_bytes: u64) -> Self {
        Self {
            listener,
            resources,
            game: GameTracker::default(),
            shared_table: None,
            local_cells: LocalCells::default(),
            quota: OutputQuota::new(log_quota_bytes),
            transcript: None,
            fatal_message: None,
        }
    }

    /// The games that the host knows.
    pub fn games(&self) -> &Games {
        &self.resources.games
    }

    /// Keeps a transcript from now on.
    pub fn keep_transcript(&mut self) {
        self.transcript = Some(Transcript::default());
    }

    /// Shares a table and cells with other instances from now on.
    pub fn set_shared_table(&mut self, table: Arc<SharedTable>) {
        self.shared_table = Some(table);
    }

    /// The hash of the transcript, if one is kept.
    pub fn transcript_hash(&mut self) -> Option<TranscriptHash> {
        self.transcript.as_mut().map(Transcript::hash)
    }

    /// Bytes logged in this game, including discarded ones.
    pub fn logged_bytes(&self) -> u64 {
        self.quota.logged_bytes()
    }

    /// The text of the last fatal log entry in the current call.
    pub fn fatal_message(&self) -> Option<&str> {
        self.fatal_message.as_deref()
    }

    /// Starts a game.
    pub fn start(&mut self, setup: &Setup) {
        self.record(|transcript| transcript.start(setup));
        self.game = GameTracker::new(setup);
    }

    /// Records a `choose` call in the transcript.
    pub fn record_choose(&mut self, limits: &Limits, barred: &[Barred]) {
        self.record(|transcript| transcript.choose(limits, barred));
    }

    /// Records the result of a `choose` call in the transcript.
    pub fn record_choice(&mut self, choice: &Choice) {
        self.record(|transcript| transcript.chosen(choice));
    }

    /// Records a `think` call in the transcript.
    pub fn record_think(&mut self) {
        self.record(Transcript::think);
    }

    /// Records the result of `left()` in the transcript.
    pub fn record_left(&mut self, left: u64) {
        self.record(|transcript| transcript.left(left));
    }

    fn record(&mut self, write: impl FnOnce(&mut Transcript)) {
        if let Some(transcript) = self.transcript.as_mut() {
            write(transcript);
        }
    }

    /// Adds an accepted move.
    pub fn played(&mut self, mv: &str) {
        self.record(|transcript| transcript.played(mv));
        self.game.play(mv);
    }

    /// Removes the last moves.
    pub fn taken_back(&mut self, plies: u32) {
        self.record(|transcript| transcript.taken_back(plies));
        self.game.take_back(plies as usize);
    }

    /// Begins a call: the quotas per call start again.
    pub fn begin_call(&mut self) {
        self.quota.begin_call();
        self.fatal_message = None;
    }

    /// Passes a reported line on to the listener. Err: the line is too long, or a quota is
    /// exceeded.
    pub fn report(&mut self, line: Line) -> Result<(), Fault> {
        self.record(|transcript| transcript.report(&line));
        self.quota.report(line.moves.len())?;
        self.listener.report(&validate_line(line)?);
        Ok(())
    }

    /// Logs a text: truncated, escaped, and discarded if the quota of stored bytes is used up. Err:
    /// the quota of received bytes is exceeded.
    pub fn log(&mut self, level: Level, text: &str) -> Result<(), Fault> {
        self.record(|transcript| transcript.log(level, text));
        let clean = clean_text(text, limits::LOG_TEXT_BYTES);
        let fits = self.quota.log(text.len(), clean.len())?;
        if level == Level::Fatal {
            self.fatal_message = Some(clean.clone());
        }
        if fits {
            self.listener.log(level, &clean);
        }
        Ok(())
    }

    /// Logs a line that the engine's process printed. Unlike [`log`](Self::log), too much of it is
    /// not a fault.
    #[cfg(target_os = "linux")]
    pub fn log_printed_line(&mut self, line: &str) {
        let clean = clean_text(line, limits::LOG_TEXT_BYTES);
        if self.quota.log(line.len(), clean.len()).unwrap_or(false) {
            self.listener.log(Level::Warning, &clean);
        }
    }

    /// The legal moves after a line of moves.
    pub fn legal(&mut self, moves: &str) -> Result<String, String> {
        let answer = if let Some(observation) = self.listener.observation() {
            only_current(moves).map(|()| observation.legal)
        } else if let Some(rules) = self.remote_rules() {
            rules.legal(moves)
        } else {
            self.game.after(&self.resources.games, moves, game_view::legal)
        };
        self.record(|transcript| transcript.legal(moves, &answer));
        answer
    }

    /// The position after a line of moves.
    pub fn look(&mut self, moves: &str) -> Result<View, String> {
        let answer = if let Some(observation) = self.listener.observation() {
            only_current(moves).map(|()| observation.view)
        } else if let Some(rules) = self.remote_rules() {
            rules.look(moves)
        } else {
            self.game.after(&self.resources.games, moves, |game, seats| {
                game_view::view(game, game.position(), seats)
            })
        };
        self.record(|transcript| transcript.look(moves, &answer));
        answer
    }

    /// Who answers queries about the current game, if it is none of the known games.
    fn remote_rules(&self) -> Option<&dyn RemoteRules> {
        let Resources { games, remote_rules, .. } = &self.resources;
        let rules = remote_rules.as_deref()?;
        games.find(self.game.game_id()?).is_none().then_some(rules)
    }

    /// The fault of a call in which the rules of the game failed. It is the host's, not the
    /// engine's.
    pub fn rules_fault(&self) -> Option<Fault> {
        let fault = self.game.rules_fault()?;
        let sentence = format!("was stopped because the rules of the game failed: {fault}");
        Some(Fault::new(FaultCode::Host, sentence))
    }

    /// The moves so far, including those of the setup.
    #[cfg(target_os = "linux")]
    pub fn moves(&self) -> Vec<String> {
        self.game.moves()
    }

    /// Reads bytes of an asset.
    pub fn asset(&mut self, name: &str, offset: u64, length: u32) -> Result<Cow<'_, [u8]>, String> {
        let answer = self.resources.assets.read(name, offset, length).ok_or_else(|| {
            let name = clean_text(name, limits::ID_BYTES);
            format!("the pack has no asset `{name}`")
        });
        if let Some(transcript) = self.transcript.as_mut() {
            transcript.asset((name, offset, length), answer.as_deref());
        }
        answer
    }

    /// Reads a value of the shared table; 0 if there is no table or no such value.
    pub fn probe(&mut self, key: u64) -> u64 {
        let value = self.shared_table.as_ref().map_or(0, |table| table.probe(key));
        self.record(|transcript| transcript.probe(key, value));
        value
    }

    /// Writes a value into the shared table, if there is one.
    pub fn store(&mut self, key: u64, value: u64) {
        if let Some(table) = &self.shared_table {
            table.store(key, value);
        }
        self.record(|transcript| transcript.store(key, value));
    }

    /// Applies an operation to a cell and returns its previous value. Err: there is no such cell.
    pub fn cell(&mut self, index: u32, op: CellOp, value: i64) -> Result<i64, Fault> {
        let before = match &self.shared_table {
            Some(table) => table.cell(index, op, value),
            None => self.local_cells.cell(index, op, value),
        };
        let before = before.ok_or_else(|| {
            let last = limits::CELLS - 1;
            let sentence = format!("asked for cell {index}; there are cells 0 to {last}");
            Fault::new(FaultCode::Protocol, sentence)
        })?;
        self.record(|transcript| transcript.cell(index, op, value, before));
        Ok(before)
    }
}

/// Refuses a line of moves in a game with hidden information: what follows from it may depend on
/// what the seat does not see.
fn only_current(moves: &str) -> Result<(), String> {
    match moves.trim().is_empty() {
        true => Ok(()),
        false => Err("the game has hidden information: only the current position can be queried, \
                      with an empty line of moves"
            .into()),
    }
}
