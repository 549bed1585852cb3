//! Compares this solver with DDS: both solve the same deals in turn, in one thread each, measured
//! in CPU time. `cargo xtask bench peers bridge` runs it with a Python that has the package
//! endplay:
//! `cargo run --release --example peers -p sandboard-double-dummy -- PYTHON FILE [DEALS]`.
//! A value of either that differs from the file is reported as an error.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use sandboard_double_dummy::{Solver, TABLE_BYTES};
use sandboard_games::bridge::{Bridge, Compass, Strain, TrickTable};
use sandboard_games::{Rules, bridge::INFO};
use serde_json::Value;

/// The Python script that runs DDS.
const SCRIPT: &str = include_str!("dds.py");
/// The number of deals that both solve before measuring starts.
const WARM_UP: usize = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(python), Some(file)) = (arguments.next(), arguments.next()) else {
        eprintln!(
            "peers: missing arguments: PYTHON, a Python that has endplay, and FILE, a file of deals"
        );
        return ExitCode::FAILURE;
    };
    let most = arguments.next().and_then(|most| most.parse().ok()).unwrap_or(100);
    match run(&python, &file, most) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A deal of the file: its id, its text and its known values.
struct Known {
    id: String,
    text: String,
    values: TrickTable,
}

fn run(python: &str, file: &str, most: usize) -> Result<(), String> {
    let deals = read(file, most)?;
    let mut solver = Solver::new(TABLE_BYTES);
    let mut dds = Dds::start(python)?;
    for deal in deals.iter().take(WARM_UP) {
        ours(&mut solver, deal)?;
        dds.solve(&deal.text)?;
    }
    let before = solver.nodes();
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    let mut compared = 0;
    for (index, deal) in deals.iter().enumerate() {
        // The solver that goes first has a cold cache, so they alternate.
        let (mine, other) = if index % 2 == 0 {
            let mine = ours(&mut solver, deal)?;
            (mine, dds.solve(&deal.text)?)
        } else {
            let other = dds.solve(&deal.text)?;
            (ours(&mut solver, deal)?, other)
        };
        for (name, values) in [("this solver", mine.1), ("DDS", other.1)] {
            compare(deal, name, values)?;
        }
        compared += 20;
        own.push(mine.0);
        theirs.push(other.0);
    }
    let nodes = (solver.nodes() - before) / deals.len().max(1) as u64;
    let table = solver.table_bytes() as f64 / f64::from(1 << 20);
    let resident = dds.memory_kib()? as f64 / 1024.0;
    println!("{} deals, all twenty values, CPU time of one thread in ms", deals.len());
    println!("               mean  median     p95     max");
    let (mine, other) = (Figures::of(&mut own), Figures::of(&mut theirs));
    println!("  this solver{mine}   {nodes} positions per deal, table of {table:.1} MiB");
    println!("  DDS        {other}   process of {resident:.1} MiB, Python included");
    println!(
        "  ratio of the means {:.2}, of the medians {:.2}",
        mine.mean / other.mean,
        mine.median / other.median
    );
    println!("  {compared} values of each match the file");
    Ok(())
}

fn read(file: &str, most: usize) -> Result<Vec<Known>, String> {
    let wrong = |what: String| format!("{file}: {what}");
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let data: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let deals = data["deals"].as_array().ok_or_else(|| wrong("missing list `deals`".to_owned()))?;
    let known = |deal: &Value| {
        let id = deal["id"].as_str().unwrap_or_default().to_owned();
        let text = deal["pbn"].as_str().ok_or_else(|| wrong(format!("{id}: missing deal")))?;
        let mut values = TrickTable::default();
        for declarer in Compass::ALL {
            for strain in Strain::ALL {
                let tricks = &deal["tricks"][declarer.letter().to_string()][strain.index()];
                let tricks =
                    tricks.as_u64().ok_or_else(|| wrong(format!("{id}: missing values")))?;
                values.set(declarer, strain, tricks as u8);
            }
        }
        Ok(Known { id, text: text.to_owned(), values })
    };
    deals.iter().take(most).map(known).collect()
}

/// The CPU time in milliseconds, and the values.
type Solved = (f64, TrickTable);

fn ours(solver: &mut Solver, deal: &Known) -> Result<Solved, String> {
    let variant = INFO.variant("").map_err(|error| error.to_string())?;
    let position = Bridge::parse_position(&variant, &format!("{} NT N -", deal.text))
        .map_err(|error| format!("{}: {error}", deal.id))?;
    let before = cpu_ms()?;
    let values = solver.table(position.table().hands(), &|| true);
    let took = cpu_ms()? - before;
    values.map(|values| (took, values)).map_err(|error| format!("{}: {error}", deal.id))
}

fn compare(deal: &Known, name: &str, values: TrickTable) -> Result<(), String> {
    for declarer in Compass::ALL {
        for strain in Strain::ALL {
            let (found, known) = (values.get(declarer, strain), deal.values.get(declarer, strain));
            if found != known {
                let seat = declarer.name();
                return Err(format!(
                    "{}: {name} finds {found} tricks for {seat} in {strain}, the file has {known}",
                    deal.id
                ));
            }
        }
    }
    Ok(())
}

/// The CPU time of this thread in milliseconds; Linux only.
fn cpu_ms() -> Result<f64, String> {
    let file = "/proc/thread-self/schedstat";
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let nanoseconds = text.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    nanoseconds.map(|ns| ns / 1e6).ok_or_else(|| format!("{file} has no CPU time"))
}

/// The process of the script, which waits for deals.
struct Dds {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dds {
    fn start(python: &str) -> Result<Dds, String> {
        let failed = |what: &str| format!("{python}: {what}");
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(&error.to_string()))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Dds { child, input, output: BufReader::new(output) }),
            _ => Err(failed("its input or output is missing")),
        }
    }

    fn ask(&mut self, line: &str) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("cannot write to DDS: {error}");
        writeln!(self.input, "{line}").map_err(failed)?;
        self.input.flush().map_err(failed)?;
        let mut answer = String::new();
        match self.output.read_line(&mut answer) {
            Ok(0) => Err(format!("DDS ended at `{line}`; its output is above")),
            Ok(_) => Ok(answer),
            Err(error) => Err(format!("cannot read from DDS: {error}")),
        }
    }

    fn solve(&mut self, deal: &str) -> Result<Solved, String> {
        let answer = self.ask(deal)?;
        let wrong = || format!("unexpected answer of DDS: `{}`", answer.trim());
        let mut words = answer.split_ascii_whitespace();
        let seconds: f64 = words.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
        let mut values = TrickTable::default();
        for strain in Strain::ALL {
            for declarer in Compass::ALL {
                let tricks = words.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
                values.set(declarer, strain, tricks);
            }
        }
        Ok((seconds * 1e3, values))
    }

    fn memory_kib(&mut self) -> Result<u64, String> {
        let answer = self.ask("")?;
        answer.trim().parse().map_err(|_| format!("unexpected answer of DDS: `{}`", answer.trim()))
    }
}

impl Drop for Dds {
    fn drop(&mut self) {
        // The script would wait for the next deal.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

struct Figures {
    mean: f64,
    median: f64,
    p95: f64,
    max: f64,
}

impl Figures {
    fn of(times: &mut [f64]) -> Figures {
        times.sort_by(f64::total_cmp);
        let nth = |share: usize| times.get((times.len() * share / 100).min(times.len().max(1) - 1));
        let nth = |share: usize| nth(share).copied().unwrap_or(0.0);
        Figures {
            mean: times.iter().sum::<f64>() / times.len().max(1) as f64,
            median: nth(50),
            p95: nth(95),
            max: nth(100),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Figures { mean, median, p95, max } = self;
        write!(f, "{mean:8.2}{median:8.2}{p95:8.2}{max:8.2}")
    }
}
