//! The selection rule UCT. Its arithmetic is exact to the bit on every platform, so it uses no
//! logarithm of the standard library, which may differ in the last place.

use super::tree::{NodeId, Tree};

/// The child to visit next: the first one without a visit, otherwise the one with the largest upper
/// bound. `sign` is 1 if side 0 chooses, else -1. `None` if all children are excluded or there are
/// none.
pub(super) fn select<M: Copy + PartialEq>(
    tree: &Tree<M>,
    node: NodeId,
    sign: f64,
    exploration: f64,
    excluded: &[M],
) -> Option<NodeId> {
    let spread = exploration * exploration * ln(tree.node(node).visits.max(1));
    let mut best = None;
    let mut best_bound = f64::NEG_INFINITY;
    for id in tree.node(node).child_ids() {
        let child = tree.node(id);
        if child.mv.is_some_and(|mv| excluded.contains(&mv)) {
            continue;
        }
        let Some(mean) = child.mean() else { return Some(id) };
        let bound = sign * mean.result + (spread / f64::from(child.visits)).sqrt();
        if bound > best_bound {
            (best, best_bound) = (Some(id), bound);
        }
    }
    best
}

/// The natural logarithm, with an error below 10⁻⁶. `number` is at least 1.
pub(crate) fn ln(number: u32) -> f64 {
    let exponent = number.ilog2();
    let mantissa = f64::from(number) / f64::from(2_u32.pow(exponent));
    // ln m = 2 · artanh((m - 1) / (m + 1)), as a series.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series = [1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
    let artanh = t * series.into_iter().fold(0.0, |sum, term| sum * square + term);
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * artanh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_has_six_places() {
        for number in (1..5_000).chain([65_535, 1_000_003, u32::MAX / 3, u32::MAX]) {
            let error = ln(number) - f64::from(number).ln();
            assert!(error.abs() < 1e-6, "ln {number} is off by {error}");
        }
    }
}
