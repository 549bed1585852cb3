//! `sandboard solve bridge`: deals and positions in, what perfect play makes of them out. From
//! what was typed to threads that solve, and their answers in order.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sandboard_double_dummy::{Solver, TABLE_BYTES};
use sandboard_games::bridge::{Board, write_pbn};

use super::interrupt::on_interrupt;
use super::{game_named, usage};
use crate::arena::{CONCURRENCY_MAX, usual_concurrency};
use crate::ordered::{Ended, Stop, in_order};
use crate::record::store::write_atomically;
use crate::solve::{
    Answer, Format, Item, Solving, Source, Unsolved, Values, Wish, Wrong, open, text,
};
use crate::{bytes, counted};

/// The largest table of a thread, in bytes.
const TABLE_BYTES_MAX: u64 = 64 << 30;

const EXAMPLES: &str = r#"Files are PBN, LIN or JSON lines, by their endings (.pbn, .lin, .json, .jsonl) or by --from; without
FILE standard input is read. A line is a JSON object and gets one line, in order:
  {"deal": "N:… … … …"}         tricks of each declarer in S, H, D, C, NT: {"table": {"N": […], …}}
  {"position": "… NT W SJ,H3"}   what the side to move wins, and after each card: {"tricks", "scores"}
Beside a deal may stand `declarer` and `strain`, `play` (the cards, for --trace), `dealer`,
`vulnerable`; beside a position `moves`; beside both an `id`, which comes back. A bad deal or line gets
{"error": …} and stops nothing; the exit code is 1 then. docs/bridge.md has it all.

Examples:
  sandboard solve bridge deals.pbn --par
  sandboard solve bridge club.lin --values NS:all --trace --json
  echo '{"deal": "N:A2... K3... Q4... J5..."}' | sandboard solve bridge --values NT,S:H --cards
  sandboard solve bridge deals.jsonl --to pbn --threads 2 > solved.pbn"#;

/// Solve deals and positions exactly
///
/// Every answer is what both sides reach with perfect play and all cards in sight: double dummy.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The game's id: bridge
    game: String,
    /// Files of deals; `-`, or none: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the files are [default: by their endings; standard input by how it begins]
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Format>,
    /// Which values of a deal: strains, or all; before each whose, where not everybody's:
    /// NT,S or N:all,EW:H
    #[arg(long, value_name = "VALUES", default_value = "all", hide_default_value = true)]
    values: Values,
    /// What each opening lead comes to: against the contract that is told, else against every
    /// value that is asked for
    #[arg(long)]
    cards: bool,
    /// Par score and contracts, for each vulnerability and dealer
    #[arg(long)]
    par: bool,
    /// Of a hand that was played, the value after each card and what the card gave away
    #[arg(long)]
    trace: bool,
    /// How many deals at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    threads: Option<u16>,
    /// The table of each thread: a number of bytes, as 64MiB [default: what the solver takes]
    #[arg(long, value_name = "BYTES", value_parser = table_bytes)]
    table_bytes: Option<usize>,
    /// Write the deals with their values as PBN into this file, too; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    pbn: Option<PathBuf>,
    /// What is printed [default: text on a terminal, else JSON lines]
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "json")]
    to: Option<To>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

fn table_bytes(text: &str) -> Result<usize, String> {
    let bytes = bytes::parse(text).filter(|bytes| (1..=TABLE_BYTES_MAX).contains(bytes));
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| "a number of bytes up to 64GiB, as 1048576, 512KiB or 64MiB".to_owned())
}

/// What answers are printed as.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    /// For people
    Text,
    /// A JSON object on each line
    Json,
    /// PBN with the table of each deal
    Pbn,
}

/// What became of an item.
struct Done {
    answer: Result<Answer, Wrong>,
    /// The deal with its values, where PBN is wanted.
    board: Option<Board>,
}

pub fn run(args: &Args) -> Result<()> {
    let info = game_named(&args.game)?;
    if info.id != "bridge" {
        return Err(usage(format!("{} has no solver; bridge has", info.id)));
    }
    let wish = Wish { values: args.values, cards: args.cards, par: args.par, trace: args.trace };
    let to = match (args.to, args.json) {
        (Some(to), _) => to,
        (None, false) if std::io::stdout().is_terminal() => To::Text,
        (None, _) => To::Json,
    };
    let as_pbn = to == To::Pbn || args.pbn.is_some();
    let partial = args.values != Values::ALL;
    if let Some(what) = [("--par", args.par), ("PBN", as_pbn)].iter().find(|it| it.1 && partial) {
        return Err(usage(format!(
            "{} takes all twenty values of a deal: leave --values out",
            what.0
        )));
    }
    let sources: Vec<Source> = args.files.iter().map(|file| Source::of(file)).collect();
    let (items, count) = open(sources, args.from).map_err(usage)?;
    let threads = args.threads.map_or_else(usual_concurrency, usize::from);
    let threads = count.map_or(threads, |count| threads.min(count).max(1));
    let table_bytes = args.table_bytes.unwrap_or(TABLE_BYTES);
    let stop = Stop::default();
    on_interrupt(&stop);

    let told = stop.clone();
    let worker = move || {
        let (mut solver, told) = (Solver::new(table_bytes), told.clone());
        move |item: Item| solved(&item, &mut solver, &wish, as_pbn, &told)
    };
    let boards = args.pbn.is_some().then(Vec::new);
    let mut screen = Screen { to, bar: bar(count), boards, printed: 0, done: 0, bad: 0 };
    let ended = in_order(items, threads, &stop, worker, |done| screen.show(done));
    let Screen { bar, boards, done, bad, .. } = screen;
    bar.finish_and_clear();
    let ended = ended?;
    if let (Some(file), Some(boards)) = (&args.pbn, boards) {
        write_atomically(file, &write_pbn(&boards)).map_err(|error| anyhow!(error))?;
    }
    match (ended, bad) {
        (Ended::All, 0) => Ok(()),
        (Ended::All, _) => Err(anyhow!("{bad} of {done} could not be solved; the answers say why")),
        (Ended::Stopped, _) => Err(anyhow!("interrupted after {}", counted(done, "answer"))),
        (Ended::Lost, _) => {
            Err(anyhow!("a thread that solved is lost after {}", counted(done, "answer")))
        }
    }
}

/// None: it was stopped.
fn solved(
    item: &Item,
    solver: &mut Solver,
    wish: &Wish,
    as_pbn: bool,
    stop: &Stop,
) -> Option<Done> {
    let (named, task) = item.read();
    let go_on = || !stop.is_stopped();
    let answer = match &task {
        Ok(task) => Solving { solver, wish, go_on: &go_on }.answer(&named, task),
        Err(error) => Err(Unsolved::Wrong(error.clone())),
    };
    let answer = match answer {
        Ok(answer) => Ok(answer),
        Err(Unsolved::Stopped) => return None,
        Err(Unsolved::Wrong(error)) => {
            Err(Wrong { id: named.id, board: named.board, error: item.at(&error) })
        }
    };
    let board = match (&answer, &task) {
        (Ok(answer), Ok(task)) if as_pbn => item.board(task, answer),
        _ => None,
    };
    Some(Done { answer, board })
}

/// Where answers go.
struct Screen {
    to: To,
    bar: ProgressBar,
    /// For a file.
    boards: Option<Vec<Board>>,
    /// Boards printed as PBN.
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
                (To::Pbn, Err(wrong), _) => eprintln!("error: {}", wrong.error),
                (To::Pbn, Ok(_), None) => eprintln!("note: PBN has deals, and no positions"),
                _ => (),
            }
            let mut out = std::io::stdout().lock();
            out.write_all(&text)?;
            Ok(out.flush()?)
        })?;
        if let Some(boards) = &mut self.boards {
            boards.extend(board);
        }
        self.bar.inc(1);
        Ok(())
    }

    /// What is printed of an answer.
    fn text(&mut self, answer: &Result<Answer, Wrong>, board: Option<&Board>) -> Result<Vec<u8>> {
        Ok(match (self.to, answer) {
            (To::Json, Ok(answer)) => line(answer)?,
            (To::Json, Err(wrong)) => line(wrong)?,
            (To::Text, Ok(answer)) => text(answer).into_bytes(),
            (To::Text, Err(wrong)) => format!("{}\n\n", wrong.error).into_bytes(),
            (To::Pbn, _) => board.map(|board| self.pbn(board)).unwrap_or_default(),
        })
    }

    /// A board as a part of one file: what a file begins with is there once.
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

/// On anything but a terminal it says nothing.
fn bar(count: Option<usize>) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(count.map(|count| count as u64), target);
    let template = match count {
        Some(_) => "{bar:30} {pos}/{len} deals  {elapsed} passed, {eta} left",
        None => "{spinner} {pos} deals  {elapsed} passed",
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
