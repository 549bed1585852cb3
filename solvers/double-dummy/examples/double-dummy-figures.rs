//! Measures the solver on a file of deals with known values, in one thread:
//! `cargo run --release --example double-dummy-figures -p sandboard-double-dummy -- FILE [DEALS]`.
//! A wrong value is reported as an error.

#![forbid(unsafe_code)]

use std::fmt::Display;
use std::fs;
use std::process::ExitCode;

use sandboard_double_dummy::{Solver, TABLE_BYTES};
use sandboard_games::bridge::{Card, Cards, Compass, Strain, Suit, rank_from_letter};
use serde_json::Value;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("double-dummy-figures: missing argument FILE, a file of deals");
        return ExitCode::FAILURE;
    };
    let most = arguments.next().and_then(|most| most.parse().ok()).unwrap_or(100);
    match run(&file, most) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("double-dummy-figures: {file}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str, most: usize) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let data: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let deals = data["deals"].as_array().ok_or("missing list `deals`")?;
    let mut solver = Solver::new(TABLE_BYTES);
    let mut times = Vec::new();
    for deal in deals.iter().take(most) {
        let id = &deal["id"];
        let at = |what: &dyn Display| format!("{id}: {what}");
        let hands = hands(deal["pbn"].as_str().unwrap_or_default()).ok_or(at(&"invalid deal"))?;
        let before = cpu_ms()?;
        let values = solver.table(hands, &|| true).map_err(|error| at(&error))?;
        times.push(cpu_ms()? - before);
        for declarer in Compass::ALL {
            let expected = &deal["tricks"][declarer.letter().to_string()];
            for strain in Strain::ALL {
                let found = u64::from(values.get(declarer, strain));
                if expected[strain.index()].as_u64() != Some(found) {
                    let seat = declarer.name();
                    return Err(format!(
                        "{id}: {found} tricks for {seat} in {strain}, expected {expected}"
                    ));
                }
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let count = times.len().max(1);
    let nth =
        |share: usize| times.get((count * share / 100).min(count - 1)).copied().unwrap_or(0.0);
    println!(
        "{count} tables of 20 values: mean {:.2} ms, median {:.2}, p95 {:.2}, max {:.2}; \
         {} positions per table, {:.1} MiB",
        times.iter().sum::<f64>() / count as f64,
        nth(50),
        nth(95),
        nth(100),
        solver.nodes() / count as u64,
        solver.table_bytes() as f64 / f64::from(1 << 20),
    );
    Ok(())
}

/// The CPU time of this process so far; Linux only.
fn cpu_ms() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/schedstat").map_err(|error| error.to_string())?;
    let ns = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    ns.map(|ns| ns / 1e6).ok_or_else(|| "/proc/self/schedstat has no CPU time".to_owned())
}

/// The hands of a PBN deal, `N:AKQ.JT9.8765.432 … … …`, in the order of [`Compass::index`].
fn hands(pbn: &str) -> Option<[Cards; 4]> {
    let (first, hands) = pbn.split_once(':')?;
    let mut seat = Compass::from_letter(first.chars().next()?)?;
    let mut all = [Cards::NONE; 4];
    for hand in hands.split(' ') {
        for (suit, ranks) in Suit::ALL.into_iter().zip(hand.split('.')) {
            for rank in ranks.chars() {
                let card = Card::new(suit, rank_from_letter(rank)?)?;
                all[seat.index()] = all[seat.index()].with(card);
            }
        }
        seat = seat.after(1);
    }
    Some(all)
}
