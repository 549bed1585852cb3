//! Mean scores and skills of the players of an arena, from its counted pairs. A pure value.

use std::collections::BTreeMap;

use sandboard_games::Seat;
use sandboard_tournament::stats::{
    MeanScore, PlackettLuce, ScoreMethod, SeatScore, SkillRating, mean_scores,
};

use super::counted_results::CountedPair;
use super::view::{Interval, PlayerView};

/// Mean scores by player, and skills by player number.
pub(crate) struct ScoreStatistics {
    mean: BTreeMap<u32, MeanScore>,
    duplicate: BTreeMap<u32, MeanScore>,
    /// None: the player has no counted game, or the game is for two players.
    skills: Vec<Option<SkillRating>>,
}

impl ScoreStatistics {
    /// The statistics of these pairs, in the order of the schedule. `rates_skills`: in games of
    /// more than two players. `has_luck`: the players of a pair get the same deal in turn.
    pub(crate) fn new<'a>(
        pairs: impl Iterator<Item = &'a CountedPair> + Clone,
        players: usize,
        rates_skills: bool,
        has_luck: bool,
    ) -> Self {
        let scores: Vec<SeatScore> = pairs.clone().flat_map(scores_of).collect();
        let duplicate = match has_luck {
            true => mean_scores(&scores, ScoreMethod::Duplicate),
            false => BTreeMap::new(),
        };
        let mut skills = vec![None; players];
        for pair in pairs.filter(|_| rates_skills) {
            rate(pair, &mut skills);
        }
        Self { mean: mean_scores(&scores, ScoreMethod::Plain), duplicate, skills }
    }

    /// Adds the figures of a player to its view.
    pub(crate) fn add_to(&self, player: PlayerView) -> PlayerView {
        PlayerView {
            mean_score: self.mean.get(&player.number).map(interval),
            duplicate_score: self.duplicate.get(&player.number).map(interval),
            skill: self.skills.get(player.number as usize).copied().flatten(),
            ..player
        }
    }
}

fn interval(score: &MeanScore) -> Interval {
    Interval {
        value: score.mean,
        low: score.error.map(|error| score.mean - error),
        high: score.error.map(|error| score.mean + error),
    }
}

/// The scores of all games of a pair.
fn scores_of(pair: &CountedPair) -> Vec<SeatScore> {
    let players = &pair.pair.players;
    let of_game = |(game, scores): (usize, &Vec<i32>)| -> Vec<SeatScore> {
        let score = |(index, (player, score)): (usize, (&u32, &i32))| SeatScore {
            table: pair.pair.number,
            seat: Seat(((index + game) % players.len()) as u8),
            player: *player,
            score: *score,
        };
        players.iter().zip(scores).enumerate().map(score).collect()
    };
    pair.scores.iter().enumerate().flat_map(of_game).collect()
}

/// Updates the skills of the players of a pair, game by game.
fn rate(pair: &CountedPair, skills: &mut [Option<SkillRating>]) {
    let players: Vec<usize> = pair.pair.players.iter().map(|player| *player as usize).collect();
    if players.iter().any(|player| *player >= skills.len()) {
        return;
    }
    for half_points in &pair.half_points {
        let before: Vec<SkillRating> =
            players.iter().map(|player| skills[*player].unwrap_or_default()).collect();
        // Half points have the same order as the scores.
        let scores: Vec<i32> = half_points.iter().map(|points| i32::from(*points)).collect();
        for (player, after) in players.iter().zip(PlackettLuce::default().rate(&before, &scores)) {
            skills[*player] = Some(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use sandboard_tournament::schedule::{Pair, SeatList};

    use super::*;
    use crate::outcome::half_points_of;

    /// A pair of these players, with the scores of each game in the order of the players.
    fn pair(number: u32, players: [u32; 3], scores: &[[i32; 3]]) -> CountedPair {
        CountedPair {
            pair: Pair { number, round: 0, players: players.into(), opening: 0 },
            half_points: scores.iter().map(|of_game| half_points_of(of_game)).collect(),
            scores: scores.iter().map(|of_game| of_game.to_vec()).collect(),
            faulty: false,
        }
    }

    #[test]
    fn scores_are_averaged_by_table_and_seat() {
        // The seats rotate: player 0 sits at 0, 1 and 2.
        let pairs = [
            pair(0, [0, 1, 2], &[[3, 0, 0], [6, 0, 3], [0, 3, 3]]),
            pair(1, [2, 0, 1], &[[0, 0, 3], [0, 0, 3], [0, 0, 3]]),
        ];
        let statistics = ScoreStatistics::new(pairs.iter(), 4, true, true);
        let mean = |player| statistics.mean.get(&player).map(|it| (it.tables, it.mean));
        assert_eq!([0, 1, 2, 3].map(mean), [Some((2, 1.5)), Some((2, 2.0)), Some((2, 1.0)), None]);
        // At table 0, seat 0 scored 3, 3 (player 2 in game 1) and 3 (player 1 in game 2); seat 1
        // 0, 6 and 3; seat 2 0, 0 and 0. Player 0 got 3 - 3, 6 - 3 and 0 - 0. At table 1, each
        // seat has the mean 1.
        let duplicate = |player| statistics.duplicate.get(&player).map(|it| it.mean);
        let expected = [Some((1.0 - 1.0) / 2.0), Some((-1.0 + 2.0) / 2.0), Some((0.0 - 1.0) / 2.0)];
        assert_eq!([0, 1, 2].map(duplicate), expected);
        let skills = &statistics.skills;
        assert!(skills[0].is_some() && skills[3].is_none());
        assert!(skills[1].map(|it| it.mu) > skills[2].map(|it| it.mu), "{skills:?}");
        let plain = ScoreStatistics::new(pairs.iter(), 4, false, false);
        assert!(plain.duplicate.is_empty() && plain.skills == [None; 4]);
    }

    #[test]
    fn games_without_scores_count_for_skills_only() {
        let faulty = CountedPair { scores: Vec::new(), ..pair(0, [0, 1, 2], &[[1, 1, -1]; 3]) };
        let statistics = ScoreStatistics::new([faulty].iter(), 3, true, true);
        assert!(statistics.mean.is_empty() && statistics.skills.iter().all(Option::is_some));
        let unknown = pair(0, [0, 1, 7], &[[1, 1, -1]; 3]);
        assert_eq!(ScoreStatistics::new([unknown].iter(), 3, true, true).skills, [None; 3]);
        let short = CountedPair {
            half_points: vec![SeatList::from([2, 0])],
            ..pair(0, [0, 1, 2], &[[1, 1, -1]])
        };
        let skills = ScoreStatistics::new([short].iter(), 3, true, true).skills;
        assert_eq!(skills, [Some(SkillRating::default()); 3]);
    }
}
