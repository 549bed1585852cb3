//! `sandboard solve bridge`: solves deals and positions on several threads, and prints the results
//! of perfect play in order.

use std::io::IsTerminal;
use std::path::PathBuf;

use crate::output::error_line;
use crate::output_file::{FileKind, ensure_replaceable};
use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sandboard_double_dummy::{Solver, TABLE_BYTES};
use sandboard_games::bridge::{Board, write_pbn};

use super::interrupt::on_interrupt;
use super::{game_named, known_games, usage};
use sandboard_analysis::solve::{
    DealFormat, DealSource, InputItem, SolveError, SolveRequest, SolveResult, TaskError,
    TaskSolver, ValueSelection, open, result_text,
};
use sandboard_arena::{CONCURRENCY_MAX, default_concurrency};
use sandboard_common::bytes;
use sandboard_common::files::write_atomically;
use sandboard_common::ordered_work::{Completion, Stop, run_in_order};
use sandboard_common::text::counted;

/// The largest table of a thread, in bytes.
const TABLE_BYTES_MAX: u64 = 64 << 30;

const EXAMPLES: &str = r#"Files are PBN, LIN or JSON lines, chosen by their extensions (.pbn, .lin, .json,
.jsonl) or by --from. Without FILE, standard input is read. A JSON line is an object; the output has
one line for each, in the same order:
  {"deal": "N:… … … …"}         tricks of each declarer in S, H, D, C, NT: {"table": {"N": […], …}}
  {"position": "… NT W SJ,H3"}   tricks of the side to move, and after each card: {"tricks", "scores"}
A deal may also have `declarer` and `strain`, `play` (the cards, for --trace), `dealer` and
`vulnerable`; a position may have `moves`. Both may have an `id`, which the answer repeats. An
invalid deal or line gets {"error": …} and does not stop the command; the exit code is then 1.
docs/bridge.md describes all fields.

Examples:
  sandboard solve bridge deals.pbn --par
  sandboard solve bridge club.lin --values NS:all --trace --json
  echo '{"deal": "N:A2... K3... Q4... J5..."}' | sandboard solve bridge --values NT,S:H --cards
  sandboard solve bridge deals.jsonl --to pbn --threads 2 > solved.pbn"#;

/// Solve deals and positions exactly
///
/// Every answer is the double-dummy result: that of perfect play by both sides with all cards
/// visible.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's id: bridge
    game: String,
    /// Files of deals; `-` or none: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of the files [default: by their extensions; standard input by its first bytes]
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<FormatArg>,
    /// The strains to solve for a deal, each optionally after its declarers:
    /// NT,S or N:all,EW:H
    #[arg(long, value_name = "VALUES", default_value = "all", hide_default_value = true)]
    values: ValueSelection,
    /// Also solve each opening lead: against the given contract, or else against every requested
    /// strain and declarer
    #[arg(long)]
    cards: bool,
    /// Also compute the par score and par contracts, for each vulnerability and dealer
    #[arg(long)]
    par: bool,
    /// For a hand that was played, also give the value after each card, and what the card lost
    #[arg(long)]
    trace: bool,
    /// The number of deals solved at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    threads: Option<u16>,
    /// The size of the transposition table of each thread, such as 64MiB [default: the solver's
    /// default]
    #[arg(long, value_name = "BYTES", value_parser = table_bytes)]
    table_bytes: Option<usize>,
    /// Also write the deals with their values as PBN to this file; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    pbn: Option<PathBuf>,
    /// The output format [default: text on a terminal, else JSON lines]
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    to: Option<To>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

fn table_bytes(text: &str) -> Result<usize, String> {
    let bytes = bytes::parse(text).filter(|bytes| (1..=TABLE_BYTES_MAX).contains(bytes));
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        "expected a number of bytes up to 64GiB, such as 1048576, 512KiB or 64MiB".to_owned()
    })
}

/// The command-line form of [`DealFormat`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum FormatArg {
    /// Portable Bridge Notation
    Pbn,
    /// LIN, the format of Bridge Base Online
    Lin,
    /// A JSON object on each line
    Json,
}

impl From<FormatArg> for DealFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Pbn => DealFormat::Pbn,
            FormatArg::Lin => DealFormat::Lin,
            FormatArg::Json => DealFormat::Json,
        }
    }
}

/// The output format.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    /// Text for people
    Text,
    /// A JSON object on each line
    Json,
    /// PBN with the table of each deal
    Pbn,
}

/// The result of an item.
struct Done {
    answer: Result<SolveResult, TaskError>,
    /// The deal with its values, if PBN is needed.
    board: Option<Board>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let info = game_named(&known_games(), &args.game)?;
    if info.id != "bridge" {
        return Err(usage(format!("{} has no solver; only bridge has one", info.id)));
    }
    let request =
        SolveRequest { values: args.values, cards: args.cards, par: args.par, trace: args.trace };
    let to = match (args.to, args.json) {
        (Some(to), _) => to,
        (None, false) if std::io::stdout().is_terminal() => To::Text,
        (None, _) => To::Json,
    };
    let as_pbn = to == To::Pbn || args.pbn.is_some();
    let partial = args.values != ValueSelection::ALL;
    if let Some(what) = [("--par", args.par), ("PBN", as_pbn)].iter().find(|it| it.1 && partial) {
        return Err(usage(format!(
            "{} needs all twenty values of a deal: leave out --values",
            what.0
        )));
    }
    let sources: Vec<DealSource> =
        args.files.iter().map(|file| DealSource::from_path(file)).collect();
    let (items, count) = open(sources, args.from.map(DealFormat::from)).map_err(usage)?;
    let threads = args.threads.map_or_else(default_concurrency, usize::from);
    let threads = count.map_or(threads, |count| threads.min(count).max(1));
    let table_bytes = args.table_bytes.unwrap_or(TABLE_BYTES);
    if let Some(file) = &args.pbn {
        ensure_replaceable("--pbn", file, FileKind::Pbn)?;
    }
    let stop = Stop::default();
    on_interrupt(&stop);

    let stop_flag = stop.clone();
    let worker = move || {
        let (mut solver, stop) = (Solver::new(table_bytes), stop_flag.clone());
        move |item: InputItem| solved(&item, &mut solver, &request, as_pbn, &stop)
    };
    let boards = args.pbn.is_some().then(Vec::new);
    let mut screen = Screen { to, bar: bar(count), boards, printed: 0, done: 0, bad: 0 };
    let ended = run_in_order(items, threads, &stop, worker, |done| screen.show(done));
    let Screen { bar, boards, done, bad, .. } = screen;
    bar.finish_and_clear();
    let ended = ended?;
    if let (Some(file), Some(boards)) = (&args.pbn, boards) {
        write_atomically(file, &write_pbn(&boards)).map_err(|error| anyhow!(error))?;
    }
    match (ended, bad) {
        (Completion::All, 0) => Ok(()),
        (Completion::All, _) => {
            Err(anyhow!("{bad} of {done} could not be solved; see the errors in the output"))
        }
        (Completion::Stopped, _) => Err(anyhow!("interrupted after {}", counted(done, "answer"))),
        (Completion::ThreadLost, _) => {
            Err(anyhow!("a solver thread failed after {}", counted(done, "answer")))
        }
    }
}

/// Solves an item. `None`: the solver was stopped.
fn solved(
    item: &InputItem,
    solver: &mut Solver,
    request: &SolveRequest,
    as_pbn: bool,
    stop: &Stop,
) -> Option<Done> {
    let (named, task) = item.read();
    let should_continue = || !stop.is_stopped();
    let answer = match &task {
        Ok(task) => {
            TaskSolver { solver, request, should_continue: &should_continue }.solve(&named, task)
        }
        Err(error) => Err(SolveError::Invalid(error.clone())),
    };
    let answer = match answer {
        Ok(answer) => Ok(answer),
        Err(SolveError::Stopped) => return None,
        Err(SolveError::Invalid(error)) => {
            Err(TaskError { id: named.id, board: named.board, error: item.at(&error) })
        }
    };
    let board = match (&answer, &task) {
        (Ok(answer), Ok(task)) if as_pbn => item.board(task, answer),
        _ => None,
    };
    Some(Done { answer, board })
}

/// Prints the answers.
struct Screen {
    to: To,
    bar: ProgressBar,
    /// The boards for the file of --pbn.
    boards: Option<Vec<Board>>,
    /// The number of boards printed as PBN.
    printed: usize,
    done: usize,
    bad: usize,
}

impl Screen {
    fn show(&mut self, done: Done) -> Result<()> {
        let Done { answer, board } = done;
        self.done += 1;
        self.bad += usize::from(answer.is_err());
        let text = self.text(&answer, board.as_ref())?;
        self.bar.suspend(|| -> Result<()> {
            match (self.to, &answer, &board) {
                (To::Pbn, Err(wrong), _) => error_line!("error: {}", wrong.error),
                (To::Pbn, Ok(_), None) => error_line!("note: PBN contains deals, but no positions"),
                _ => (),
            }
            Ok(crate::output::write_file(&text)?)
        })?;
        if let Some(boards) = &mut self.boards {
            boards.extend(board);
        }
        self.bar.inc(1);
        Ok(())
    }

    /// The output for an answer.
    fn text(
        &mut self,
        answer: &Result<SolveResult, TaskError>,
        board: Option<&Board>,
    ) -> Result<Vec<u8>> {
        Ok(match (self.to, answer) {
            (To::Json, Ok(answer)) => line(answer)?,
            (To::Json, Err(wrong)) => line(wrong)?,
            (To::Text, Ok(answer)) => result_text(answer).into_bytes(),
            (To::Text, Err(wrong)) => format!("{}\n\n", wrong.error).into_bytes(),
            (To::Pbn, _) => board.map(|board| self.pbn(board)).unwrap_or_default(),
        })
    }

    /// A board as a part of one PBN file: the file's header occurs only once.
    fn pbn(&mut self, board: &Board) -> Vec<u8> {
        let mut bytes = write_pbn(std::slice::from_ref(board));
        self.printed += 1;
        if self.printed > 1 {
            while bytes.first() == Some(&b'%') {
                let end =
                    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
                bytes.drain(..end);
            }
        }
        bytes
    }
}

fn line(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// A progress bar; hidden if standard error is not a terminal.
fn bar(count: Option<usize>) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(count.map(|count| count as u64), target);
    let template = match count {
        Some(_) => "{bar:30} {pos}/{len} deals  {elapsed} elapsed, {eta} left",
        None => "{spinner} {pos} deals  {elapsed} elapsed",
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
