//! Mean scores with error bars, for games of two or more players that end with a score for each
//! seat.
//!
//! - The observation is the *table*: all games of one deal or opening, in which the players
//!   exchange seats. The games of a table depend on each other, so the sample of a player is the
//!   mean score at each table, as a pair is one observation of [`Sample`](super::Sample).
//! - Interval by Student's t (Student, *The Probable Error of a Mean*, Biometrika 6, 1908): for n
//!   tables with mean m and variance s² = Σ (x − m)² / (n − 1), it is m ± t · √(s² / n), where t is
//!   the 97.5 % quantile with n − 1 degrees of freedom.
//! - Duplicate scoring, as Butler scoring in bridge: a score minus the *datum*, which is the mean
//!   of all scores at the same seat of the same table. Here the datum includes the player's own
//!   score, leaves out no extreme score and is not rounded. So all differences at a seat of a table
//!   sum to 0.

use std::collections::BTreeMap;

use sandboard_games::Seat;
use serde::{Deserialize, Serialize};

use super::normal::Z95;

/// The score of a player in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeatScore {
    /// The number of the table: all games with the same deal or opening.
    pub table: u32,
    /// The seat of the player.
    pub seat: Seat,
    /// The number of the player.
    pub player: u32,
    /// The score at the end of the game, in the game's unit.
    pub score: i32,
}

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreMethod {
    /// The scores as they are: the deal counts.
    Plain,
    /// Each score minus the mean of all scores at the same seat of the same table, which removes
    /// the luck of the deal. A seat where only one game was played counts as 0.
    Duplicate,
}

/// The mean score of a player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanScore {
    /// The number of tables, at least 1.
    pub tables: u64,
    /// The mean over all tables of the mean score at the table, in the game's unit.
    pub mean: f64,
    /// Half the 95 % interval, in the game's unit. `None` with fewer than two tables, and if all
    /// tables have the same mean: such a sample does not show how far others may differ.
    pub error: Option<f64>,
}

/// The mean score of each player that has a score. Every table has the same weight, however many
/// games were played at it.
pub fn mean_scores(scores: &[SeatScore], method: ScoreMethod) -> BTreeMap<u32, MeanScore> {
    let mut scores = scores.to_vec();
    // Rounding depends on the order of a sum.
    scores.sort_unstable();
    let differences = match method {
        ScoreMethod::Plain => scores.iter().map(|it| f64::from(it.score)).collect(),
        ScoreMethod::Duplicate => differences(&scores),
    };
    let mut tables: BTreeMap<(u32, u32), Mean> = BTreeMap::new();
    for (it, difference) in scores.iter().zip(differences) {
        tables.entry((it.player, it.table)).or_default().add(difference);
    }
    let mut players: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for ((player, _), table) in tables {
        players.entry(player).or_default().push(table.value());
    }
    players.into_iter().map(|(player, means)| (player, MeanScore::new(&means))).collect()
}

/// Each score minus the mean of all scores at the same seat of the same table.
fn differences(scores: &[SeatScore]) -> Vec<f64> {
    let mut datums: BTreeMap<(u32, Seat), Mean> = BTreeMap::new();
    for it in scores {
        datums.entry((it.table, it.seat)).or_default().add(f64::from(it.score));
    }
    scores.iter().map(|it| f64::from(it.score) - datums[&(it.table, it.seat)].value()).collect()
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> f64 {
        self.sum / self.count as f64
    }
}

impl MeanScore {
    /// From the mean score at each table, of which there is at least one.
    fn new(means: &[f64]) -> Self {
        let tables = means.len() as f64;
        let mean = means.iter().sum::<f64>() / tables;
        let squares = means.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        let error = |freedom| t95(freedom) * (squares / f64::from(freedom) / tables).sqrt();
        let freedom = u32::try_from(means.len() - 1).unwrap_or(u32::MAX);
        let differ = means.iter().any(|it| *it != means[0]);
        Self { tables: means.len() as u64, mean, error: differ.then(|| error(freedom)) }
    }
}

/// The two-sided 95 % quantile of Student's t with these degrees of freedom, at least 1: M.
/// Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions* (1964), table 26.10 and the
/// expansion 26.7.5. The error is below 2e-4.
fn t95(freedom: u32) -> f64 {
    const FIRST: [f64; 5] = [12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582];
    if let Some(t) = (freedom as usize).checked_sub(1).and_then(|index| FIRST.get(index)) {
        return *t;
    }
    let (z, n) = (Z95, f64::from(freedom));
    let terms = [
        z,
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92_160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| sum / n + term)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Scores as table, seat, player, score.
    fn scores(rows: &[(u32, u8, u32, i32)]) -> Vec<SeatScore> {
        let score = |&(table, seat, player, score): &(u32, u8, u32, i32)| SeatScore {
            table,
            seat: Seat(seat),
            player,
            score,
        };
        rows.iter().map(score).collect()
    }

    /// Checks `player tables mean error` of all players.
    fn check(method: ScoreMethod, rows: &[(u32, u8, u32, i32)], expected: &[&str]) {
        let text = |(player, it): (u32, MeanScore)| match it.error {
            Some(error) => format!("{player} {} {:.3} {error:.3}", it.tables, it.mean),
            None => format!("{player} {} {:.3} -", it.tables, it.mean),
        };
        let found: Vec<String> = mean_scores(&scores(rows), method).into_iter().map(text).collect();
        assert_eq!(found, expected, "{rows:?}");
    }

    #[test]
    fn means_over_tables() {
        use ScoreMethod::Plain;
        check(Plain, &[], &[]);
        check(Plain, &[(0, 0, 7, 5)], &["7 1 5.000 -"]);
        // Two games of one table are one observation; of two tables, two.
        check(Plain, &[(0, 0, 7, 5), (0, 1, 7, 6)], &["7 1 5.500 -"]);
        // s² = 1/2 and n = 2: 12.706 · ½.
        check(Plain, &[(0, 0, 7, 5), (1, 1, 7, 6)], &["7 2 5.500 6.353"]);
        // 1, 2 and 3: s² = 1, and 4.3027 · √(1/3).
        let three = [(0, 0, 7, 1), (1, 0, 7, 2), (2, 0, 7, 3)];
        check(Plain, &three, &["7 3 2.000 2.484"]);
        check(Plain, &[(0, 0, 7, -4), (1, 0, 7, -4)], &["7 2 -4.000 -"]);
        // Tables count alike: 3 and the mean of 0 and 2.
        let uneven = [(0, 0, 7, 3), (1, 0, 7, 0), (1, 1, 7, 2)];
        check(Plain, &uneven, &["7 2 2.000 12.706"]);
        let extreme = [(0, 0, 7, i32::MAX), (0, 1, 7, i32::MAX), (0, 0, 8, i32::MIN)];
        check(Plain, &extreme, &["7 1 2147483647.000 -", "8 1 -2147483648.000 -"]);
    }

    #[test]
    fn duplicate_scores() {
        use ScoreMethod::Duplicate;
        // Seat 0 has the better cards. Player 7 makes 2 more than player 8 of it, and 4 more of
        // seat 1: 1 and 2 more than the datum.
        let table = [(0, 0, 7, 12), (0, 1, 8, -5), (0, 0, 8, 10), (0, 1, 7, -1)];
        check(Duplicate, &table, &["7 1 1.500 -", "8 1 -1.500 -"]);
        check(ScoreMethod::Plain, &table, &["7 1 5.500 -", "8 1 2.500 -"]);
        // Without a comparison there is no difference; another table is none.
        check(Duplicate, &[(0, 0, 7, 12)], &["7 1 0.000 -"]);
        check(Duplicate, &[(0, 0, 7, 12), (1, 0, 8, 10)], &["7 1 0.000 -", "8 1 0.000 -"]);
        check(Duplicate, &[(0, 0, 7, 12), (0, 1, 8, 10)], &["7 1 0.000 -", "8 1 0.000 -"]);
        // Three players: the datum of 9, 3 and 0 is 4.
        let three = [(0, 0, 1, 9), (0, 0, 2, 3), (0, 0, 3, 0)];
        check(Duplicate, &three, &["1 1 5.000 -", "2 1 -1.000 -", "3 1 -4.000 -"]);
        // Two tables, of 1 and 3 above the datum: s² = 2, and 12.706 · 1.
        let two = [(0, 0, 7, 2), (0, 0, 8, 0), (1, 0, 7, 6), (1, 0, 8, 0)];
        check(Duplicate, &two, &["7 2 2.000 12.706", "8 2 -2.000 12.706"]);
    }

    #[test]
    fn quantiles_of_student_s_t() {
        // Source: `scipy.stats.t.ppf(0.975, n)`.
        let table = [
            (1, 12.706_205),
            (2, 4.302_653),
            (5, 2.570_582),
            (6, 2.446_912),
            (7, 2.364_624),
            (10, 2.228_139),
            (30, 2.042_272),
            (1000, 1.962_339),
            (u32::MAX, 1.959_964),
        ];
        for (freedom, expected) in table {
            assert!((t95(freedom) - expected).abs() < 2e-4, "{freedom}: {}", t95(freedom));
        }
    }

    fn any_scores() -> impl Strategy<Value = Vec<SeatScore>> {
        let row = (0..5_u32, 0..4_u8, 0..6_u32, any::<i16>().prop_map(i32::from));
        prop::collection::vec(row, 0..60).prop_map(|rows| scores(&rows))
    }

    proptest! {
        #[test]
        fn differences_sum_to_0(scores in any_scores()) {
            for table in 0..5 {
                for seat in (0..4).map(Seat) {
                    let at = scores.iter().zip(differences(&scores));
                    let at = at.filter(|(it, _)| it.table == table && it.seat == seat);
                    let sum: f64 = at.map(|(_, difference)| difference).sum();
                    prop_assert!(sum.abs() < 1e-6, "{table} {seat:?}: {sum}");
                }
            }
        }

        #[test]
        fn a_better_deal_changes_no_duplicate_score(scores in any_scores(), luck in -999..999) {
            let lucky: Vec<SeatScore> = scores.iter().map(|it| SeatScore {
                score: it.score + luck * (i32::from(it.seat.0) + 2) * (it.table as i32 + 1),
                ..*it
            }).collect();
            let means = |scores| mean_scores(scores, ScoreMethod::Duplicate);
            for (player, it) in means(&scores) {
                let other = means(&lucky)[&player];
                prop_assert!((it.mean - other.mean).abs() < 1e-6, "{player}");
            }
        }

        #[test]
        fn the_order_of_games_does_not_matter(
            (scores, shuffled) in any_scores().prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
        ) {
            for method in [ScoreMethod::Plain, ScoreMethod::Duplicate] {
                prop_assert_eq!(mean_scores(&scores, method), mean_scores(&shuffled, method));
            }
        }

        #[test]
        fn intervals_have_the_unit_of_the_scores(scores in any_scores(), factor in 2..50) {
            let scaled: Vec<SeatScore> =
                scores.iter().map(|it| SeatScore { score: it.score * factor, ..*it }).collect();
            let means = |scores| mean_scores(scores, ScoreMethod::Plain);
            for (player, it) in means(&scores) {
                let (scaled, factor) = (means(&scaled)[&player], f64::from(factor));
                prop_assert_eq!(it.error.is_some(), it.tables > 1);
                prop_assert!((scaled.mean - factor * it.mean).abs() < 1e-3);
                let error = |it: MeanScore| it.error.unwrap_or_default();
                prop_assert!((error(scaled) - factor * error(it)).abs() < 1.0);
            }
        }
    }
}
