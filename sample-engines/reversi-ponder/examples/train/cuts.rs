//! The figures of probable cuts: how a value to some depth follows from that to
//! a lesser one, by linear regression over positions of the games.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reversi_ponder::eval::{CUT_DEPTHS, CUT_STAGES, Cut, Cuts, Weights, shallow, stage};

use super::board::Board;
use super::games::Sample;
use super::progress::Progress;
use super::search;

/// Positions of each stage.
const POSITIONS: usize = 150;
/// Deeper searches take too long; their figures are those of the deepest pair, as
/// wide again by a part for each ply.
const DEEPEST: u32 = 8;
/// What a ply more makes of the spread, in hundredths.
const WIDER: f64 = 1.03;

/// Every value of a position, by depth.
type Values = [i32; DEEPEST as usize + 1];

pub fn fit(weights: &Weights, samples: &[Sample], part: usize) -> Cuts {
    let mut cuts = Cuts::default();
    let chosen: Vec<(usize, Board)> = (0..CUT_STAGES)
        .flat_map(|stage| chosen(samples, stage, POSITIONS / part.min(POSITIONS / 8)))
        .collect();
    let values = all_values(weights, &chosen);
    for stage in 0..CUT_STAGES {
        let of_stage = || values.iter().filter(|(of, _)| *of == stage).map(|(_, values)| values);
        let mut widened = 1.0;
        for depth in CUT_DEPTHS {
            // Beyond the deepest pair, that of the same parity.
            let (deep, low) = match depth <= DEEPEST {
                true => (depth, shallow(depth)),
                false => {
                    widened *= WIDER;
                    let deep = DEEPEST - (DEEPEST ^ depth) % 2;
                    (deep, shallow(deep))
                }
            };
            let pairs = of_stage().map(|v| (v[low as usize], v[deep as usize])).collect::<Vec<_>>();
            let cut = regression(&pairs);
            let sigma = (f64::from(cut.sigma) * widened).round() as i16;
            cuts.set(depth, stage, Cut { sigma, ..cut });
            if depth <= DEEPEST {
                let sigma = f64::from(sigma) / 128.0;
                eprintln!("  cuts, stage {stage}: depth {depth} from {low}: ±{sigma:.2} discs");
            }
        }
    }
    cuts
}

/// Some positions of a stage, spread over all.
fn chosen(samples: &[Sample], of: usize, count: usize) -> Vec<(usize, Board)> {
    let discs = |sample: &Sample| (sample.discs.own | sample.discs.opponent).count_ones();
    // Near the end a deeper search would see it.
    let fits = |sample: &&Sample| {
        sample.held_out && stage(discs(sample)) == of && discs(sample) <= 64 - DEEPEST
    };
    let all: Vec<&Sample> = samples.iter().filter(fits).collect();
    let every = (all.len() / count).max(1);
    let board = |sample: &&Sample| (of, Board::of(sample.discs));
    all.iter().step_by(every).take(count).map(board).collect()
}

fn all_values(weights: &Weights, chosen: &[(usize, Board)]) -> Vec<(usize, Values)> {
    let next = AtomicUsize::new(0);
    let progress = Progress::new("figures of cuts", chosen.len());
    let work = || {
        let mut found = Vec::new();
        while let Some((stage, board)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut values = Values::default();
            for (depth, value) in (0..).zip(&mut values) {
                let most = 64 * 128;
                *value = search::value(weights, board, depth, -most, most);
            }
            found.push((*stage, values));
            progress.step();
        }
        found
    };
    let mut found = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut found = work();
        found.extend(other.join().expect("a thread that searches does not panic"));
        found
    });
    progress.end();
    // In an order that does not depend on who was faster.
    found.sort_unstable();
    found
}

/// The line through pairs of a shallow and a deep value, and the spread around it.
fn regression(pairs: &[(i32, i32)]) -> Cut {
    let n = pairs.len() as f64;
    let mean = |of: &dyn Fn(&(i32, i32)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0.into()), mean(&|p| p.1.into()));
    let xx = mean(&|p| (f64::from(p.0) - x) * (f64::from(p.0) - x));
    let xy = mean(&|p| (f64::from(p.0) - x) * (f64::from(p.1) - y));
    if pairs.len() < 8 || xx <= 0.0 || xy <= 0.0 {
        return Cut::default();
    }
    let slope = xy / xx;
    let offset = y - slope * x;
    let left = mean(&|p| (f64::from(p.1) - slope * f64::from(p.0) - offset).powi(2));
    Cut {
        slope: (slope * 256.0).round() as i16,
        offset: offset.round() as i16,
        sigma: left.sqrt().round() as i16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_with_what_lies_off_it() {
        let check = |pairs: &[(i32, i32)], expected| assert_eq!(regression(pairs), expected);
        let line: Vec<_> = (0..20).map(|x| (x * 10, x * 5 + 7)).collect();
        check(&line, Cut { slope: 128, offset: 7, sigma: 0 });
        let off: Vec<_> =
            (0..20).map(|x| (x / 2 * 10, x / 2 * 10 + [30, -30][x as usize % 2])).collect();
        check(&off, Cut { slope: 256, offset: 0, sigma: 30 });
        check(&line[..7], Cut::default());
    }
}
