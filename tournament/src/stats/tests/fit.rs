//! Tests of the joint fit against published fits and against the match of two players, and of cases
//! without a rating.

use crate::stats::*;

/// Home and away games: home team, away team, home wins, home losses.
type Season = [(u32, u32, u64, u64)];

fn season(games: &Season) -> CrossTable {
    let mut table = CrossTable::default();
    for (home, away, won, lost) in games {
        (0..*won).for_each(|_| table.add_game([*home, *away], 2));
        (0..*lost).for_each(|_| table.add_game([*home, *away], 0));
    }
    table
}

/// American League East, 1987 (A. Agresti, *Categorical Data Analysis*, 2002, tables 10.10 and
/// 10.11): 0 Milwaukee, 1 Detroit, 2 Toronto, 3 New York, 4 Boston, 5 Cleveland, 6 Baltimore.
#[rustfmt::skip]
const BASEBALL: &Season = &[
    (0, 1, 4, 3), (0, 2, 4, 2), (0, 3, 4, 3), (0, 4, 6, 1), (0, 5, 4, 2), (0, 6, 6, 0),
    (1, 0, 3, 3), (1, 2, 4, 2), (1, 3, 4, 3), (1, 4, 6, 0), (1, 5, 6, 1), (1, 6, 4, 3),
    (2, 0, 2, 5), (2, 1, 4, 3), (2, 3, 2, 4), (2, 4, 4, 3), (2, 5, 4, 2), (2, 6, 6, 0),
    (3, 0, 3, 3), (3, 1, 5, 1), (3, 2, 2, 5), (3, 4, 4, 3), (3, 5, 4, 2), (3, 6, 6, 1),
    (4, 0, 5, 1), (4, 1, 2, 5), (4, 2, 3, 3), (4, 3, 4, 2), (4, 5, 5, 2), (4, 6, 6, 0),
    (5, 0, 2, 5), (5, 1, 3, 3), (5, 2, 3, 4), (5, 3, 4, 3), (5, 4, 4, 2), (5, 6, 2, 4),
    (6, 0, 2, 5), (6, 1, 1, 5), (6, 2, 1, 6), (6, 3, 2, 4), (6, 4, 1, 6), (6, 5, 3, 4),
];

/// Natural units per Elo: ln 10 / 400.
const UNIT: f64 = std::f64::consts::LN_10 / 400.0;
/// The ratio of half a 95 % interval to the standard error.
const Z: f64 = 1.959_963_984_540_054;

/// Checks estimates and standard errors in natural units, as published.
fn check_season(fit_seat_advantage: bool, expected: &[(f64, f64)], seat: Option<(f64, f64)>) {
    for covariance in [CovarianceMethod::Information, CovarianceMethod::Sandwich] {
        let options = FitOptions {
            fit_seat_advantage,
            reference: Some(6),
            covariance,
            ..FitOptions::default()
        };
        let fit = Fit::new(&season(BASEBALL), &[0, 1, 2, 3, 4, 5, 6], &options);
        let mut found: Vec<Estimate> = Vec::new();
        for (player, rating) in &fit.player_ratings {
            let PlayerRating::Rated(estimate) = rating else { panic!("{player}: {rating:?}") };
            found.push(*estimate);
        }
        if let SeatAdvantage::Fitted(estimate) = fit.seat_advantage {
            found.push(estimate);
        }
        let expected: Vec<(f64, f64)> = expected.iter().copied().chain(seat).collect();
        assert_eq!(found.len(), expected.len());
        for (found, (value, error)) in found.iter().zip(expected) {
            assert!((found.elo * UNIT - value).abs() < 6e-4, "{found:?}: not {value}");
            assert!((found.error * UNIT / Z - error).abs() < 6e-4, "{found:?}: not {error}");
        }
    }
}

#[test]
fn the_american_league_of_1987() {
    // Source: the examples of the R package BradleyTerry2, with Baltimore as the reference.
    let alone = [
        (1.5814, 0.3433),
        (1.4364, 0.3396),
        (1.2945, 0.3367),
        (1.2476, 0.3359),
        (1.1077, 0.3339),
        (0.6839, 0.3319),
        (0.0, 0.0),
    ];
    check_season(false, &alone, None);
    let at_home = [
        (1.6196, 0.3474),
        (1.4754, 0.3446),
        (1.3271, 0.3403),
        (1.2813, 0.3404),
        (1.1438, 0.3378),
        (0.7047, 0.3350),
        (0.0, 0.0),
    ];
    check_season(true, &at_home, Some((0.3023, 0.1309)));
}

/// Checks the ratings, rounded to whole Elo, after pairs given by the half points of their first
/// player.
fn check(pairs: &[(u32, u32, u8)], options: &FitOptions, expected: &[&str]) {
    let table = CrossTable::of_half_points(pairs);
    let players: Vec<u32> = (0..expected.len() as u32).collect();
    let text = |rating: PlayerRating| match rating {
        PlayerRating::Rated(it) => format!("{:.0} ±{:.0}", it.elo + 0.0, it.error),
        other => format!("{other:?}"),
    };
    let fit = Fit::new(&table, &players, options);
    let found: Vec<String> = fit.player_ratings.iter().map(|(_, it)| text(*it)).collect();
    assert_eq!(found, expected, "{pairs:?} {options:?}");
}

#[test]
fn players_without_a_rating_are_classified() {
    let plain = FitOptions { covariance: CovarianceMethod::Information, ..FitOptions::default() };
    let zero = FitOptions { reference: Some(0), ..plain };
    check(&[], &plain, &[]);
    check(&[], &plain, &["Unconnected", "Unconnected"]);
    check(&[(0, 1, 4), (0, 1, 4)], &plain, &["Above", "Below"]);
    check(&[(0, 1, 4), (0, 1, 4)], &zero, &["0 ±0", "Below"]);
    check(&[(1, 0, 4), (2, 3, 2)], &zero, &["0 ±0", "Above", "Unconnected", "Unconnected"]);
    // 3 : 1 is 400 log10 3 = 191. Its error is 1.96 · 173.7 / √(4 · ¾ · ¼) = 393, half of it
    // relative to the mean.
    check(&[(0, 1, 3), (0, 1, 3)], &zero, &["0 ±0", "-191 ±393"]);
    check(&[(0, 1, 3), (0, 1, 3), (2, 0, 4)], &plain, &["95 ±197", "-95 ±197", "Above"]);
    // With two drawn games against a player of rating 0, every player has a rating: 2(1 − σ(2x)) =
    // 2(σ(x) − ½).
    let prior = FitOptions { prior_draws: 2.0, ..plain };
    check(&[(0, 1, 4)], &prior, &["131 ±312", "-131 ±312", "0 ±403"]);
}

#[test]
fn a_seat_that_explains_every_game_is_unbounded() {
    let options = FitOptions { fit_seat_advantage: true, ..FitOptions::default() };
    let mut table = CrossTable::default();
    table.add(&PairResult::of_two([0, 1], 0, [2, 0]));
    assert_eq!(Fit::new(&table, &[0, 1], &options).seat_advantage, SeatAdvantage::Unbounded);
    table.add(&PairResult::of_two([0, 1], 0, [2, 2]));
    let fit = Fit::new(&table, &[0, 1], &options);
    assert!(matches!(fit.seat_advantage, SeatAdvantage::Unbounded), "{:?}", fit.seat_advantage);
    table.add(&PairResult::of_two([0, 1], 0, [0, 2]));
    let fit = Fit::new(&table, &[0, 1], &options);
    assert!(matches!(fit.seat_advantage, SeatAdvantage::Fitted(_)), "{:?}", fit.seat_advantage);
}

#[test]
fn the_fit_of_two_players_equals_their_match() {
    // Errors transformed by the Elo curve are not quite symmetric, but almost so near the middle.
    let mut table = CrossTable::default();
    let counts = [10_u64, 40, 90, 60, 20];
    for (half_points, count) in counts.iter().enumerate() {
        let first = half_points.min(2) as u8;
        let half_points = [first, half_points as u8 - first];
        (0..*count).for_each(|_| table.add(&PairResult::of_two([1, 0], 3, half_points)));
    }
    let options = FitOptions { reference: Some(0), ..FitOptions::default() };
    let fit = Fit::new(&table, &[0, 1], &options);
    let elo = Sample::new(&counts).elo().unwrap();
    let PlayerRating::Rated(found) = fit.player_ratings[1].1 else { panic!("{fit:?}") };
    assert!((found.elo - elo.elo).abs() < 1e-6, "{found:?} {elo:?}");
    assert!((found.error / elo.error().unwrap() - 1.0).abs() < 0.01, "{found:?} {elo:?}");
    assert!((fit.superiority(1, 0).unwrap() - elo.superiority).abs() < 1e-3);
    assert_eq!((fit.superiority(0, 0), fit.superiority(0, 7)), (Some(0.5), None));
}

#[test]
fn equal_pairs_give_no_interval_without_width() {
    // Four split pairs: the rule of three gives the score ½ ± 0.264, and 0.264 · 695 Elo at an even
    // score are 183; half of it relative to the mean.
    let sandwich = FitOptions::default();
    check(&[(0, 1, 2); 4], &sandwich, &["0 ±92", "0 ±92"]);
    // The match of the same players transforms the ends of the interval.
    let elo = Sample::new(&[0, 0, 4, 0, 0]).elo().unwrap();
    assert_eq!(elo.error().map(f64::round), Some(204.0));
    // With three players, too; more pairs make the interval narrower.
    check(&[(0, 1, 2), (1, 2, 2), (2, 0, 2)], &sandwich, &["0 ±156"; 3]);
    let many: Vec<(u32, u32, u8)> =
        (0..40).flat_map(|_| [(0, 1, 2), (1, 2, 2), (2, 0, 2)]).collect();
    check(&many, &sandwich, &["0 ±12"; 3]);
    let fit = Fit::new(&CrossTable::of_half_points(&many), &[0, 1, 2], &sandwich);
    assert_eq!(fit.superiority(0, 1), Some(0.5));
}
