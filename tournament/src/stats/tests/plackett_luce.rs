//! Tests of the ratings for several players against openskill, and properties of the update.

use proptest::prelude::*;
use serde::Deserialize;

use crate::stats::{PlackettLuce, SkillRating};

const OPENSKILL: &str = include_str!("../../../../tests/fixtures/ratings/plackett-luce.json");

#[derive(Deserialize)]
struct Fixture {
    series: Vec<Series>,
}

/// Games of the same players, one after the other. A rating is μ and σ.
#[derive(Deserialize)]
struct Series {
    before: Vec<(f64, f64)>,
    games: Vec<Game>,
}

#[derive(Deserialize)]
struct Game {
    scores: Vec<i32>,
    after: Vec<(f64, f64)>,
}

fn skill((mu, sigma): (f64, f64)) -> SkillRating {
    SkillRating { mu, sigma }
}

/// Checks that the ratings are these, to 1e-9.
fn check_equal(found: &[SkillRating], expected: &[SkillRating], game: &dyn std::fmt::Debug) {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let equal = |(a, b): (&SkillRating, &SkillRating)| close(a.mu, b.mu) && close(a.sigma, b.sigma);
    let all = found.len() == expected.len() && found.iter().zip(expected).all(equal);
    assert!(all, "{game:?}: {found:?}, not {expected:?}");
}

#[test]
fn ratings_equal_those_of_openskill() {
    let fixture: Fixture = serde_json::from_str(OPENSKILL).unwrap();
    for series in fixture.series {
        let mut ratings: Vec<SkillRating> = series.before.into_iter().map(skill).collect();
        for game in series.games {
            ratings = PlackettLuce::default().rate(&ratings, &game.scores);
            let after: Vec<SkillRating> = game.after.into_iter().map(skill).collect();
            check_equal(&ratings, &after, &game.scores);
        }
    }
}

/// Checks the ratings after a game, to two digits.
fn check(system: PlackettLuce, players: &[(f64, f64)], scores: &[i32], expected: &str) {
    let players: Vec<SkillRating> = players.iter().copied().map(skill).collect();
    let after = system.rate(&players, scores);
    let text: Vec<String> =
        after.iter().map(|it| format!("{:.2} {:.2}", it.mu, it.sigma)).collect();
    assert_eq!(text.join(", "), expected, "{players:?} {scores:?}");
}

#[test]
fn games_that_cannot_be_rated_change_nothing() {
    let system = PlackettLuce::default();
    check(system, &[(25.0, 8.0), (25.0, 8.0)], &[1, 0], "27.51 7.75, 22.49 7.75");
    check(system, &[], &[], "");
    check(system, &[(25.0, 8.0)], &[1], "25.00 8.00");
    check(system, &[(25.0, 8.0), (25.0, 8.0)], &[1], "25.00 8.00, 25.00 8.00");
    check(system, &[(25.0, 8.0), (25.0, 8.0)], &[1, 0, 0], "25.00 8.00, 25.00 8.00");
    check(system, &[(f64::NAN, 8.0), (25.0, 8.0)], &[1, 0], "NaN 8.00, 25.00 8.00");
    check(system, &[(f64::INFINITY, 8.0), (25.0, 8.0)], &[1, 0], "inf 8.00, 25.00 8.00");
    check(system, &[(25.0, f64::INFINITY), (25.0, 8.0)], &[1, 0], "25.00 inf, 25.00 8.00");
    let certain = PlackettLuce { beta: 0.0, tau: 0.0, ..system };
    check(certain, &[(25.0, 0.0), (25.0, 0.0)], &[1, 0], "25.00 0.00, 25.00 0.00");
}

#[test]
fn extreme_numbers_give_finite_ratings() {
    let system = PlackettLuce::default();
    // Among such different players only a surprise changes μ: by σ² / c, the whole weight.
    check(system, &[(9e5, 8.0), (0.0, 8.0)], &[1, 0], "900000.00 8.00, 0.00 8.00");
    check(system, &[(9e5, 8.0), (0.0, 8.0)], &[0, 1], "899994.98 8.00, 5.02 8.00");
    check(system, &[(-9e5, 8.0), (-9e5, 8.0)], &[0, 0], "-900000.00 7.75, -900000.00 7.75");
    // The factor of σ² is at least κ.
    let kappa = PlackettLuce { kappa: 1.0, tau: 0.0, ..system };
    check(kappa, &[(25.0, 8.0), (25.0, 8.0)], &[1, 0], "27.51 8.00, 22.49 8.00");
    let scores = [i32::MIN, i32::MAX];
    check(system, &[(25.0, 8.0), (25.0, 8.0)], &scores, "22.49 7.75, 27.51 7.75");
}

#[test]
fn the_conservative_value_of_a_new_player_is_0() {
    assert_eq!(SkillRating::default().conservative(), 0.0);
    assert_eq!(skill((30.0, 2.0)).conservative(), 24.0);
}

/// Players with their scores; few different scores, so that ties are common.
fn games() -> impl Strategy<Value = Vec<(SkillRating, i32)>> {
    let player = ((-50.0..90.0, 0.0..20.0).prop_map(skill), -3..4);
    prop::collection::vec(player, 2..=16)
}

fn rated(game: &[(SkillRating, i32)]) -> Vec<SkillRating> {
    let (players, scores): (Vec<SkillRating>, Vec<i32>) = game.iter().copied().unzip();
    PlackettLuce::default().rate(&players, &scores)
}

proptest! {
    #[test]
    fn the_order_of_players_does_not_matter(
        (game, shuffled) in games().prop_flat_map(|game| {
            let numbered: Vec<usize> = (0..game.len()).collect();
            (Just(game), Just(numbered).prop_shuffle())
        }),
    ) {
        let after = rated(&game);
        let moved: Vec<_> = shuffled.iter().map(|it| game[*it]).collect();
        let expected: Vec<SkillRating> = shuffled.iter().map(|it| after[*it]).collect();
        check_equal(&rated(&moved), &expected, &moved);
    }

    #[test]
    fn a_game_moves_the_first_up_and_the_last_down(game in games()) {
        let scores = || game.iter().map(|(_, score)| *score);
        let (most, least) = (scores().max().unwrap(), scores().min().unwrap());
        for ((before, score), after) in game.iter().zip(rated(&game)) {
            let alone = scores().filter(|other| other == score).count() == 1;
            prop_assert!(!alone || *score != most || after.mu >= before.mu - 1e-9);
            prop_assert!(!alone || *score != least || after.mu <= before.mu + 1e-9);
            let tau = PlackettLuce::default().tau;
            prop_assert!(0.0 < after.sigma && after.sigma <= before.sigma.hypot(tau) + 1e-9);
        }
    }

    #[test]
    fn changes_weighted_by_the_variances_sum_to_0(game in games()) {
        // Each place is shared by probabilities that sum to 1, so Σ Δμ / σ² is 0.
        let tau = PlackettLuce::default().tau;
        let share = |((before, _), after): (&(SkillRating, i32), SkillRating)| {
            (after.mu - before.mu) / (before.sigma.powi(2) + tau.powi(2))
        };
        let sum: f64 = game.iter().zip(rated(&game)).map(share).sum();
        // A difference of ratings near 90 has an error of about 1e-14, and a variance is 0.007.
        prop_assert!(sum.abs() < 1e-9, "{sum}");
    }

    #[test]
    fn any_input_gives_a_rating_for_each_player(
        players in prop::collection::vec((any::<f64>(), any::<f64>()).prop_map(skill), 0..17),
        scores in prop::collection::vec(any::<i32>(), 0..17),
    ) {
        let after = PlackettLuce::default().rate(&players, &scores);
        prop_assert_eq!(after.len(), players.len());
        let finite = |it: &SkillRating| it.mu.is_finite() && it.sigma.is_finite();
        prop_assert!(after.iter().all(finite) || !players.iter().all(finite));
    }
}
