//! Weights from results: for each knot, those with the least sum of squared
//! errors over the positions near it, by conjugate gradients on the normal
//! equations (Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving
//! Linear Systems", 1952). Every sum is taken in a fixed order, so that the same
//! positions give the same bytes.

use std::thread;

use reversi_ponder::eval::{self, KNOT, KNOTS, PLACES};

use super::games::Sample;

/// The weights that count in one position.
const COUNT: usize = PLACES + 3;
/// A knot learns from positions that have fewer discs more or less than this,
/// the nearer the more.
const REACH: i32 = 8;
/// As many positions with nothing to say are added to each weight: what is seen
/// less often stays near 0.
const SHRINK: f32 = 30.0;
/// Rounds of the method.
const ROUNDS: usize = 24;

/// One position as the fit sees it.
struct Row {
    indexes: [u16; COUNT],
    result: f32,
    /// How much it counts.
    share: f32,
}

/// What a fit is worth on games that it has not seen.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    pub positions: usize,
    pub held_out: usize,
    /// The mean absolute error, in discs.
    pub error: f64,
    /// The same of no knowledge at all: of always saying 0.
    pub blind: f64,
}

/// Fits all knots, two at a time; the weights in discs.
pub fn fit(samples: &[Sample]) -> (Vec<Vec<f32>>, Vec<Quality>) {
    let classes = eval::of_states();
    let one = |knot: u32| fit_knot(samples, knot as i32, &classes);
    let fitted: Vec<_> = KNOTS
        .chunks(2)
        .flat_map(|pair| {
            thread::scope(|scope| {
                let threads: Vec<_> =
                    pair.iter().map(|&knot| scope.spawn(move || one(knot))).collect();
                let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join();
                threads
                    .into_iter()
                    .map(|thread| join(thread).expect("a fit does not panic"))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    fitted.into_iter().unzip()
}

fn fit_knot(samples: &[Sample], knot: i32, classes: &[u32]) -> (Vec<f32>, Quality) {
    let (mut rows, mut unseen) = (Vec::new(), Vec::new());
    for sample in samples {
        let discs = (sample.discs.own | sample.discs.opponent).count_ones() as i32;
        let near = REACH - (discs - knot).abs();
        if near > 0 {
            let indexes = eval::indexes(sample.discs, classes).map(|index| index as u16);
            let (result, share) = (f32::from(sample.result), near as f32 / REACH as f32);
            let row = Row { indexes, result, share };
            if sample.held_out { unseen.push(row) } else { rows.push(row) }
        }
    }
    let weights = least_squares(&rows);
    let mean = |error: &dyn Fn(&Row) -> f32| {
        let shares: f64 = unseen.iter().map(|row| f64::from(row.share)).sum();
        let sum: f64 = unseen.iter().map(|row| f64::from(row.share * error(row).abs())).sum();
        sum / shares.max(1e-9)
    };
    let quality = Quality {
        positions: rows.len(),
        held_out: unseen.len(),
        error: mean(&|row| row.result - predicted(row, &weights)),
        blind: mean(&|row| row.result),
    };
    (weights, quality)
}

fn predicted(row: &Row, weights: &[f32]) -> f32 {
    row.indexes.iter().map(|&index| weights[usize::from(index)]).sum()
}

/// The weights by which the rows' results are predicted best.
fn least_squares(rows: &[Row]) -> Vec<f32> {
    let mut scale = vec![SHRINK; KNOT];
    for row in rows {
        row.indexes.iter().for_each(|&index| scale[usize::from(index)] += row.share);
    }
    let mut weights = vec![0.0f32; KNOT];
    // The residual of the normal equations, with weights of 0.
    let mut residual = vec![0.0f32; KNOT];
    for row in rows {
        let error = row.share * row.result;
        row.indexes.iter().for_each(|&index| residual[usize::from(index)] += error);
    }
    let mut direction: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
    let mut norm = dot(&residual, &direction);
    for _ in 0..ROUNDS {
        if norm <= 0.0 {
            break;
        }
        let image = times_normal(rows, &direction);
        let step = (norm / dot(&direction, &image)) as f32;
        for (weight, d) in weights.iter_mut().zip(&direction) {
            *weight += step * d;
        }
        for (r, i) in residual.iter_mut().zip(&image) {
            *r -= step * i;
        }
        let scaled: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
        let next = dot(&residual, &scaled);
        let keep = (next / norm) as f32;
        for (d, s) in direction.iter_mut().zip(&scaled) {
            *d = s + keep * *d;
        }
        norm = next;
    }
    weights
}

/// The matrix of the normal equations times a vector.
fn times_normal(rows: &[Row], vector: &[f32]) -> Vec<f32> {
    let mut image: Vec<f32> = vector.iter().map(|v| SHRINK * v).collect();
    for row in rows {
        let value = row.share * predicted(row, vector);
        row.indexes.iter().for_each(|&index| image[usize::from(index)] += value);
    }
    image
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use sandboard_sdk::Random;

    use super::*;

    #[test]
    fn weights_that_made_the_results_are_found() {
        let mut random = Random::seeded(3);
        // Each row has one of eight weights in every place.
        let truth: Vec<f32> = (0..COUNT * 8).map(|_| random.below(21) as f32 - 10.0).collect();
        let rows: Vec<Row> = (0..40_000)
            .map(|_| {
                let indexes = std::array::from_fn(|place| (place * 8 + random.below(8)) as u16);
                let result = indexes.iter().map(|&index| truth[usize::from(index)]).sum();
                Row { indexes, result, share: 1.0 }
            })
            .collect();
        let weights = least_squares(&rows);
        for row in &rows[..100] {
            let error = predicted(row, &weights) - row.result;
            assert!(error.abs() < 1.0, "{error} of {}", row.result);
        }
        // What is never seen stays at nothing.
        assert_eq!(weights[COUNT * 8], 0.0);
    }

    #[test]
    fn what_is_seen_once_is_hardly_believed() {
        let row = Row { indexes: [7; COUNT], result: 60.0, share: 1.0 };
        let weight = least_squares(&[row])[7];
        assert!(weight > 0.0 && weight < 60.0 / COUNT as f32);
    }
}
