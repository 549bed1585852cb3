//! The statistics of ProbCut: how the value of a deep search depends on that of a shallow one, by
//! linear regression over positions of the games.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reversi_ponder::eval::{
    CUT_DEPTHS, CUT_STAGES, CutStatistics, CutTable, Weights, shallow_depth, stage,
};

use super::board::Board;
use super::games::Sample;
use super::progress::Progress;
use super::search;

/// The number of positions for each stage.
const POSITIONS: usize = 150;
/// The deepest search: deeper ones take too long. Their statistics are those of the deepest pair,
/// with a larger standard deviation for each ply.
const DEEPEST: u32 = 8;
/// The factor of the standard deviation for each further ply.
const SIGMA_GROWTH: f64 = 1.03;

/// The values of a position, by depth.
type Values = [i32; DEEPEST as usize + 1];

pub(crate) fn fit(weights: &Weights, samples: &[Sample], part: usize) -> CutTable {
    let mut cuts = CutTable::default();
    let chosen: Vec<(usize, Board)> = (0..CUT_STAGES)
        .flat_map(|stage| select_positions(samples, stage, POSITIONS / part.min(POSITIONS / 8)))
        .collect();
    let values = all_values(weights, &chosen);
    for stage in 0..CUT_STAGES {
        let of_stage = || values.iter().filter(|(of, _)| *of == stage).map(|(_, values)| values);
        let mut widened = 1.0;
        for depth in CUT_DEPTHS {
            // Beyond the deepest pair, the deepest one of the same parity.
            let (deep, low) = match depth <= DEEPEST {
                true => (depth, shallow_depth(depth)),
                false => {
                    widened *= SIGMA_GROWTH;
                    let deep = DEEPEST - (DEEPEST ^ depth) % 2;
                    (deep, shallow_depth(deep))
                }
            };
            let pairs = of_stage().map(|v| (v[low as usize], v[deep as usize])).collect::<Vec<_>>();
            let cut = regression(&pairs);
            let sigma = (f64::from(cut.sigma) * widened).round() as i16;
            cuts.set(depth, stage, CutStatistics { sigma, ..cut });
            if depth <= DEEPEST {
                let sigma = f64::from(sigma) / 128.0;
                eprintln!("  ProbCut, stage {stage}: depth {depth} from {low}: ±{sigma:.2} discs");
            }
        }
    }
    cuts
}

/// Positions of a stage, evenly distributed over all samples.
fn select_positions(samples: &[Sample], of: usize, count: usize) -> Vec<(usize, Board)> {
    let discs = |sample: &Sample| (sample.discs.own | sample.discs.opponent).count_ones();
    // Closer to the end, a deep search would see the end of the game.
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
    let progress = Progress::new("ProbCut statistics", chosen.len());
    let work = || {
        let mut results = Vec::new();
        while let Some((stage, board)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut values = Values::default();
            for (depth, value) in (0..).zip(&mut values) {
                let max = 64 * 128;
                *value = search::value(weights, board, depth, -max, max);
            }
            results.push((*stage, values));
            progress.step();
        }
        results
    };
    let mut results = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut results = work();
        results.extend(other.join().expect("a thread that searches does not panic"));
        results
    });
    progress.end();
    // An order that does not depend on the threads.
    results.sort_unstable();
    results
}

/// The regression line through pairs of a shallow and a deep value, with the standard deviation.
fn regression(pairs: &[(i32, i32)]) -> CutStatistics {
    let n = pairs.len() as f64;
    let mean = |of: &dyn Fn(&(i32, i32)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0.into()), mean(&|p| p.1.into()));
    let xx = mean(&|p| (f64::from(p.0) - x) * (f64::from(p.0) - x));
    let xy = mean(&|p| (f64::from(p.0) - x) * (f64::from(p.1) - y));
    if pairs.len() < 8 || xx <= 0.0 || xy <= 0.0 {
        return CutStatistics::default();
    }
    let slope = xy / xx;
    let offset = y - slope * x;
    let variance = mean(&|p| (f64::from(p.1) - slope * f64::from(p.0) - offset).powi(2));
    CutStatistics {
        slope: (slope * 256.0).round() as i16,
        offset: offset.round() as i16,
        sigma: variance.sqrt().round() as i16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_finds_the_line_and_the_deviation() {
        let check = |pairs: &[(i32, i32)], expected| assert_eq!(regression(pairs), expected);
        let line: Vec<_> = (0..20).map(|x| (x * 10, x * 5 + 7)).collect();
        check(&line, CutStatistics { slope: 128, offset: 7, sigma: 0 });
        let off: Vec<_> =
            (0..20).map(|x| (x / 2 * 10, x / 2 * 10 + [30, -30][x as usize % 2])).collect();
        check(&off, CutStatistics { slope: 256, offset: 0, sigma: 30 });
        check(&line[..7], CutStatistics::default());
    }
}
