//! Simulations of ten thousand matches for each claim: the error rates of the sequential test, and
//! the coverage of 95 % intervals. With `SLOW=1`, ten times as many matches.

use crate::stats::elo::{elo_of, score_of};
use crate::stats::nelo::NELO_PER_T;
use crate::stats::*;
use sandboard_games::splitmix::SplitMix64;

fn matches() -> u64 {
    if std::env::var_os("SLOW").is_some_and(|value| value == "1") { 100_000 } else { 10_000 }
}

/// A uniform number in [0, 1).
fn uniform(rng: &mut SplitMix64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A source of pairs between two players, one of them `elo` stronger. Half of the openings favour
/// the first seat by `bias` Elo, half the second. `draws` is the part of the undecided points that
/// is shared.
#[derive(Clone, Copy)]
struct Source {
    elo: f64,
    bias: f64,
    draws: f64,
}

impl Source {
    fn game(&self, elo: f64, rng: &mut SplitMix64) -> usize {
        let score = score_of(elo);
        let draw = self.draws * 2.0 * score.min(1.0 - score);
        match uniform(rng) {
            x if x < draw => 1,
            x if x < draw + (score - draw / 2.0) => 2,
            _ => 0,
        }
    }

    fn pair(&self, rng: &mut SplitMix64) -> usize {
        let bias = if rng.next_u64() & 1 == 0 { self.bias } else { -self.bias };
        self.game(self.elo + bias, rng) + self.game(self.elo - bias, rng)
    }

    /// The expected score of a game.
    fn score(&self) -> f64 {
        (score_of(self.elo + self.bias) + score_of(self.elo - self.bias)) / 2.0
    }
}

/// Four standard errors of a fraction after this number of trials.
fn tolerance(share: f64, trials: u64) -> f64 {
    4.0 * (share * (1.0 - share) / trials as f64).sqrt()
}

/// The rate at which the wrong hypothesis is accepted, and the mean number of pairs.
fn run(sprt: &Sprt, source: Source, wrong: Verdict, seed: u64) -> (f64, f64) {
    let mut rng = SplitMix64::new(seed);
    let (mut errors, mut pairs) = (0, 0);
    for _ in 0..matches() {
        let mut counts = [0_u64; 5];
        let verdict = loop {
            counts[source.pair(&mut rng)] += 1;
            let state = sprt.state(&counts);
            if state.verdict != Verdict::Open {
                break state.verdict;
            }
        };
        errors += u64::from(verdict == wrong);
        pairs += counts.iter().sum::<u64>();
    }
    (errors as f64 / matches() as f64, pairs as f64 / matches() as f64)
}

fn check_sprt(setup: SprtSetup, source: Source) {
    let sprt = Sprt::new(setup).unwrap();
    for (elo, wrong, rate) in
        [(setup.elo0, Verdict::Upper, setup.alpha), (setup.elo1, Verdict::Lower, setup.beta)]
    {
        // With unbalanced openings the Elo of the scores is less than that of the players.
        let score = |x: f64| elo_of(Source { elo: x, ..source }.score());
        let (mut low, mut high) = (-500.0, 500.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if score(middle) < elo { low = middle } else { high = middle }
        }
        let (errors, pairs) = run(&sprt, Source { elo: low, ..source }, wrong, 12);
        let most = rate + tolerance(rate, matches());
        assert!(errors <= most, "{setup:?} at {elo}: {errors}, more than {most}");
        // The test must not be too conservative: the overshoot lowers the rate by at most 40 %.
        assert!(errors >= rate * 0.6, "{setup:?} at {elo}: {errors} in {pairs} pairs");
    }
}

#[test]
fn error_rates_of_the_test_hold() {
    let setup =
        SprtSetup { model: EloModel::Logistic, elo0: 0.0, elo1: 30.0, alpha: 0.05, beta: 0.05 };
    check_sprt(setup, Source { elo: 0.0, bias: 90.0, draws: 0.4 });
    let skewed = SprtSetup { elo0: -10.0, elo1: 25.0, alpha: 0.1, beta: 0.02, ..setup };
    check_sprt(skewed, Source { elo: 0.0, bias: 0.0, draws: 0.6 });
}

#[test]
fn error_rates_in_normalised_elo_hold() {
    // Without bias and draws the deviation of a game is ½ near an even score, so that nElo equals
    // Elo.
    let setup =
        SprtSetup { model: EloModel::Normalized, elo0: 0.0, elo1: 40.0, alpha: 0.05, beta: 0.05 };
    let sprt = Sprt::new(setup).unwrap();
    let even = Source { elo: 0.0, bias: 0.0, draws: 0.0 };
    // The score s with (s − ½) / √(s(1 − s)) = t.
    let t: f64 = 40.0 / NELO_PER_T;
    let ahead = Source { elo: elo_of(0.5 + t / (2.0 * (1.0 + t * t).sqrt())), ..even };
    for (source, wrong) in [(even, Verdict::Upper), (ahead, Verdict::Lower)] {
        let (errors, pairs) = run(&sprt, source, wrong, 5);
        assert!(errors <= 0.05 + tolerance(0.05, matches()), "{errors} in {pairs} pairs");
        assert!(errors >= 0.03, "{errors} in {pairs} pairs");
    }
}

/// Checks the coverage of the intervals of Elo and normalised Elo for matches of this number of
/// pairs.
fn check_coverage(source: Source, pairs: u32) {
    let mut rng = SplitMix64::new(77);
    let score = source.score();
    let truth = elo_of(score);
    // The moments of a pair, from a long simulation of the same source.
    let mut long = [0_u64; 5];
    (0..2_000_000).for_each(|_| long[source.pair(&mut rng)] += 1);
    let nelo_truth = NormalizedElo::new(&long).unwrap().nelo;
    let (mut held, mut nelo_held) = (0_u64, 0_u64);
    for _ in 0..matches() {
        let mut counts = [0_u64; 5];
        (0..pairs).for_each(|_| counts[source.pair(&mut rng)] += 1);
        let elo = Sample::new(&counts).elo().unwrap();
        held += u64::from(elo.low <= truth && truth <= elo.high);
        let nelo = NormalizedElo::new(&counts).unwrap();
        nelo_held += u64::from((nelo.nelo - nelo_truth).abs() <= nelo.error);
    }
    for (name, held) in [("Elo", held), ("nElo", nelo_held)] {
        let share = held as f64 / matches() as f64;
        assert!((0.93..=0.97).contains(&share), "{name} at {}: {share}", source.elo);
    }
}

#[test]
fn intervals_have_the_stated_coverage() {
    check_coverage(Source { elo: 0.0, bias: 90.0, draws: 0.4 }, 100);
    check_coverage(Source { elo: 60.0, bias: 200.0, draws: 0.2 }, 100);
    check_coverage(Source { elo: -150.0, bias: 0.0, draws: 0.5 }, 200);
}

/// The coverage of the rating intervals of a round robin.
fn check_fit(covariance: CovarianceMethod, source: Source, reference: Option<u32>) -> f64 {
    let truth = [0.0, 40.0, -60.0, 100.0, -20.0];
    let players: Vec<u32> = (0..truth.len() as u32).collect();
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let anchor = reference.map_or(mean, |reference| truth[reference as usize]);
    let options = FitOptions { covariance, reference, ..FitOptions::default() };
    let mut rng = SplitMix64::new(5);
    let (mut held, mut all) = (0_u64, 0_u64);
    for _ in 0..matches() / 5 {
        let mut table = CrossTable::default();
        for a in 0..truth.len() {
            for b in 0..a {
                for _ in 0..30 {
                    let source = Source { elo: truth[a] - truth[b], ..source };
                    let half_points = [0; 2].map(|_| source.game(source.elo, &mut rng) as u8);
                    let players = [a as u32, b as u32];
                    table.add(&PairResult::of_two(players, 0, half_points));
                }
            }
        }
        for (player, rating) in Fit::new(&table, &players, &options).player_ratings {
            let PlayerRating::Rated(it) = rating else { panic!("{player}: {rating:?}") };
            if reference != Some(player) {
                let off = it.elo - (truth[player as usize] - anchor);
                held += u64::from(off.abs() <= it.error);
                all += 1;
            }
        }
    }
    held as f64 / all as f64
}

#[test]
fn intervals_of_the_fit_have_the_stated_coverage() {
    let decisive = Source { elo: 0.0, bias: 0.0, draws: 0.0 };
    let drawish = Source { draws: 0.6, ..decisive };
    for (covariance, source, reference) in [
        (CovarianceMethod::Information, decisive, None),
        (CovarianceMethod::Information, decisive, Some(2)),
        (CovarianceMethod::Sandwich, decisive, None),
        (CovarianceMethod::Sandwich, drawish, None),
        (CovarianceMethod::Sandwich, drawish, Some(0)),
    ] {
        let share = check_fit(covariance, source, reference);
        assert!(
            (0.93..=0.97).contains(&share),
            "{covariance:?} {} {reference:?}: {share}",
            source.draws
        );
    }
    // The information alone treats draws as coin tosses: its intervals are too wide.
    let share = check_fit(CovarianceMethod::Information, drawish, None);
    assert!(share > 0.98, "{share}");
}
