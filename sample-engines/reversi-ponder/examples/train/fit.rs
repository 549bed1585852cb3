//! Fits weights to results: for each knot, least squares over the positions near it, by conjugate
//! gradients on the normal equations (Hestenes and Stiefel, "Methods of Conjugate Gradients for
//! Solving Linear Systems", 1952). All sums have a fixed order, so that the same positions give the
//! same bytes.

use std::thread;

use reversi_ponder::eval::{self, KNOT, KNOTS, PLACES};

use super::games::Sample;

/// The number of weights that apply to one position.
const INDICES: usize = PLACES + 3;
/// A knot is fitted to positions whose number of discs differs by less than this; closer positions
/// have larger shares.
const REACH: i32 = 8;
/// The regularization: each weight gets this many additional positions with result 0, so that rare
/// weights stay near 0.
const REGULARIZATION: f32 = 30.0;
/// The number of iterations.
const ROUNDS: usize = 24;

/// One position of the fit.
struct Row {
    indices: [u16; INDICES],
    result: f32,
    /// The share of the position, from 0 to 1.
    share: f32,
}

/// The quality of a fit on games that it was not fitted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quality {
    pub positions: usize,
    pub held_out: usize,
    /// The mean absolute error, in discs.
    pub error: f64,
    /// The same for weights of 0.
    pub baseline_error: f64,
}

/// Fits all knots, two at a time. Weights are in discs.
pub(crate) fn fit(samples: &[Sample]) -> (Vec<Vec<f32>>, Vec<Quality>) {
    let classes = eval::classes_of_states();
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
            let indices = eval::weight_indices(sample.discs, classes).map(|index| index as u16);
            let (result, share) = (f32::from(sample.result), near as f32 / REACH as f32);
            let row = Row { indices, result, share };
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
        baseline_error: mean(&|row| row.result),
    };
    (weights, quality)
}

fn predicted(row: &Row, weights: &[f32]) -> f32 {
    row.indices.iter().map(|&index| weights[usize::from(index)]).sum()
}

/// The weights that predict the results of the rows best.
fn least_squares(rows: &[Row]) -> Vec<f32> {
    let mut scale = vec![REGULARIZATION; KNOT];
    for row in rows {
        row.indices.iter().for_each(|&index| scale[usize::from(index)] += row.share);
    }
    let mut weights = vec![0.0f32; KNOT];
    // The residual of the normal equations for weights of 0.
    let mut residual = vec![0.0f32; KNOT];
    for row in rows {
        let error = row.share * row.result;
        row.indices.iter().for_each(|&index| residual[usize::from(index)] += error);
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
    let mut image: Vec<f32> = vector.iter().map(|v| REGULARIZATION * v).collect();
    for row in rows {
        let value = row.share * predicted(row, vector);
        row.indices.iter().for_each(|&index| image[usize::from(index)] += value);
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
    fn the_true_weights_are_recovered() {
        let mut random = Random::seeded(3);
        // Each row has one of eight weights for every index.
        let truth: Vec<f32> = (0..INDICES * 8).map(|_| random.below(21) as f32 - 10.0).collect();
        let rows: Vec<Row> = (0..40_000)
            .map(|_| {
                let indices = std::array::from_fn(|place| (place * 8 + random.below(8)) as u16);
                let result = indices.iter().map(|&index| truth[usize::from(index)]).sum();
                Row { indices, result, share: 1.0 }
            })
            .collect();
        let weights = least_squares(&rows);
        for row in &rows[..100] {
            let error = predicted(row, &weights) - row.result;
            assert!(error.abs() < 1.0, "{error} of {}", row.result);
        }
        // A weight that no row has stays 0.
        assert_eq!(weights[INDICES * 8], 0.0);
    }

    #[test]
    fn a_weight_with_one_position_stays_small() {
        let row = Row { indices: [7; INDICES], result: 60.0, share: 1.0 };
        let weight = least_squares(&[row])[7];
        assert!(weight > 0.0 && weight < 60.0 / INDICES as f32);
    }
}
