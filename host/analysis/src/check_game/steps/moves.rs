//! Step 3: listed moves can be played, and other texts are refused without a change.

use std::collections::BTreeSet;

use sandboard_common::text::{counted, quoted};
use sandboard_games::splitmix::SplitMix64;

use super::super::context::GameContext;
use super::super::game_state::{GameState, ending_text};
use super::super::random_game::RandomGame;
use super::super::test_game::TestGame;
use crate::check::outcome::{StepFailure, StepResult};

/// The number of positions over all boards, and the bounds for each random game.
const POSITIONS: usize = 48;
const POSITIONS_OF_GAME: (usize, usize) = (4, 10);
/// The most moves that are played to test the listed moves of one position.
const PLAYED_MAX: usize = 4000;
/// The listed moves that are changed a little to get texts that are no moves.
const CHANGED: usize = 3;
/// The most texts of earlier moves that are tried in a position.
const EARLIER: usize = 12;
/// The length of the longest text, in bytes.
const LONG_BYTES: usize = 4096;
/// Texts that are no moves in most games.
const NO_MOVES: [&str; 11] =
    ["", " ", "?", "-", "0", "pass", "resign", "zz99", "\u{0}", "ä", "a move of no game"];

/// How many texts were tried.
#[derive(Default)]
struct Tally {
    played: usize,
    refused: usize,
    fouls: usize,
    spellings: usize,
}

pub(crate) fn moves(context: &mut GameContext<'_>) -> StepResult {
    let games = context.random_games()?;
    let (fewest, most) = POSITIONS_OF_GAME;
    let (mut positions, mut tally, mut random_numbers) = (0, Tally::default(), context.random());
    for random in &games {
        let sampled = random.sampled_plies(context.share(POSITIONS).clamp(fewest, most));
        let mut earlier = BTreeSet::new();
        for plies in sampled {
            let game = context.game_at(random, plies)?;
            let state = game.state()?;
            let listed: Vec<&str> = state.legal.split_ascii_whitespace().collect();
            check_duplicates(&game, &listed)?;
            if state.ending.is_none() {
                let sample = sample(&listed, plies, &mut random_numbers);
                for mv in sample {
                    check_notation(&game, mv)?;
                    check_listed(context, random, (plies, mv), &mut tally)?;
                }
            }
            let others = others(&listed, &earlier, &mut random_numbers);
            check_others(context, random, (plies, &state), &others, &mut tally)?;
            earlier.extend(listed.into_iter().map(str::to_owned));
            positions += 1;
        }
        // A move that the sample has missed.
        if let Some(refusal) = &random.refusal {
            let game = context.game_at(random, random.moves.len())?;
            let answers = [refusal.clone(), "it is played".into()];
            return Err(game.failure("it refuses a move that it lists", "play", answers));
        }
    }
    let Tally { played, refused, fouls, spellings } = tally;
    let also = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!(", {}", counted(count, what)),
    };
    Ok(format!(
        "{} played in {}; {} refused{}{}",
        counted(played, "listed move"),
        counted(positions, "position"),
        counted(refused, "other text"),
        also(fouls, "foul"),
        also(spellings, "other spelling")
    ))
}

/// All listed moves, or a sample of them where playing all would take long.
fn sample<'a>(listed: &[&'a str], plies: usize, random: &mut SplitMix64) -> Vec<&'a str> {
    let mut sample = listed.to_vec();
    random.shuffle(&mut sample);
    sample.truncate((PLAYED_MAX / (plies + 1)).max(1));
    sample
}

fn check_duplicates(game: &TestGame, listed: &[&str]) -> StepResult<()> {
    let mut known = BTreeSet::new();
    match listed.iter().find(|mv| !known.insert(**mv)) {
        None => Ok(()),
        Some(twice) => {
            let sentence = format!("it lists the move {} twice", quoted(twice));
            let answers = [listed.join(" "), "each move once".into()];
            Err(game.failure(sentence, "list the legal moves", answers))
        }
    }
}

/// Plays a listed move in a fresh game.
fn check_listed(
    context: &GameContext<'_>,
    random: &RandomGame,
    (plies, mv): (usize, &str),
    tally: &mut Tally,
) -> StepResult<()> {
    let mut game = context.game_at(random, plies)?;
    let call = format!("play {}", quoted(mv));
    let expected = || format!("it is played, and returned as {}", quoted(mv));
    match game.play(mv)? {
        Ok(text) if text == mv => {
            tally.played += 1;
            Ok(())
        }
        Ok(text) => {
            let sentence = format!("it lists {}, but returns {}", quoted(mv), quoted(&text));
            Err(game.failure(sentence, &call, [quoted(&text), expected()]))
        }
        Err(refusal) => {
            let sentence = format!("it refuses {}, which it lists", quoted(mv));
            Err(game.failure(sentence, &call, [refusal.to_string(), expected()]))
        }
    }
}

/// The notation of a listed move is read as this move.
fn check_notation(game: &TestGame, mv: &str) -> StepResult<()> {
    let Some(notation) = game.ask("notation", |game| game.notation(mv))? else { return Ok(()) };
    let read = game.ask("canonical text", |game| game.canonical(&notation))?;
    if read.as_deref() == Ok(mv) {
        return Ok(());
    }
    let [mv, notation] = [mv, &notation].map(quoted);
    let sentence = format!("it does not read its notation {notation} as {mv}");
    let found = read.map_or_else(|refusal| refusal.to_string(), |read| quoted(&read));
    Err(game.failure(sentence, &format!("canonical text of {notation}"), [found, mv]))
}

/// Texts that are not listed: listed moves with small changes, earlier moves, and texts that are
/// moves of no game.
fn others(listed: &[&str], earlier: &BTreeSet<String>, random: &mut SplitMix64) -> Vec<String> {
    let mut texts: BTreeSet<String> = NO_MOVES.map(str::to_owned).into();
    let mut bases = listed.to_vec();
    random.shuffle(&mut bases);
    for mv in bases.into_iter().take(CHANGED) {
        texts.extend(changed(mv));
    }
    let mut earlier: Vec<&String> = earlier.iter().collect();
    random.shuffle(&mut earlier);
    let unlisted = earlier.into_iter().filter(|mv| !listed.contains(&mv.as_str()));
    texts.extend(unlisted.take(EARLIER).cloned());
    texts.into_iter().filter(|text| !listed.contains(&text.as_str())).collect()
}

/// Texts that differ a little from a move, and a long one.
fn changed(mv: &str) -> Vec<String> {
    let mut texts = vec![
        mv.to_uppercase(),
        mv.to_lowercase(),
        format!("{mv} "),
        format!(" {mv}"),
        format!("{mv}{mv}"),
        format!("{mv}\n"),
        mv.chars().rev().collect(),
        mv.chars().skip(1).collect(),
        "x".repeat(LONG_BYTES),
        mv.repeat(LONG_BYTES.div_ceil(mv.len().max(1))),
    ];
    // The next letter or digit in each place: `a1` gives `b1` and `a2`.
    for (at, letter) in mv.char_indices() {
        let next = char::from_u32(u32::from(letter) + 1).unwrap_or('?');
        let (before, after) = (&mv[..at], &mv[at + letter.len_utf8()..]);
        texts.push(format!("{before}{next}{after}"));
    }
    texts
}

/// Plays texts that are not listed. Each must be refused without a change, or be a foul, or be
/// another spelling of a listed move.
fn check_others(
    context: &mut GameContext<'_>,
    random: &RandomGame,
    (plies, state): (usize, &GameState),
    texts: &[String],
    tally: &mut Tally,
) -> StepResult<()> {
    let mut game = context.game_at(random, plies)?;
    for text in texts {
        let call = format!("play {}", quoted(text));
        let refusal = match game.play(text)? {
            Err(refusal) => refusal,
            Ok(mv) => {
                check_accepted(context, random, (plies, state), (&game, text, &mv), tally)?;
                game = context.game_at(random, plies)?;
                continue;
            }
        };
        tally.refused += 1;
        let circumstance = format!("after {} is refused", quoted(text));
        game.expect(state, &circumstance)?;
        let found = game.ask("count the plies", |game| game.plies())?;
        if found != plies {
            let answers = [counted(found, "ply"), counted(plies, "ply")];
            return Err(game.failure(
                format!("{circumstance}, the number of plies differs"),
                &call,
                answers,
            ));
        }
        if refusal.reason.trim().is_empty() {
            let sentence = format!("it refuses {} without a reason", quoted(text));
            let request = format!("{}; {call}", game.history());
            let answers = [refusal.to_string(), "a reason, in one sentence".into()];
            context.warn(game.reporter.finding(sentence, request, answers));
        }
    }
    Ok(())
}

/// A text that is not listed was played: as a foul, or as another spelling of a listed move.
fn check_accepted(
    context: &GameContext<'_>,
    random: &RandomGame,
    (plies, state): (usize, &GameState),
    (game, text, mv): (&TestGame, &str, &str),
    tally: &mut Tally,
) -> StepResult<()> {
    if state.legal.split_ascii_whitespace().any(|listed| listed == mv) {
        let mut usual = context.game_at(random, plies)?;
        usual.play_listed(mv)?;
        tally.spellings += 1;
        return game.expect(&usual.state()?, &format!("after {} for {}", quoted(text), quoted(mv)));
    }
    let ending = game.ask("ending", |game| game.ending())?;
    if state.ending.is_none() && ending.is_some() {
        tally.fouls += 1;
        return Ok(());
    }
    let sentence = format!("it plays {}, which it does not list", quoted(text));
    let response = format!("it is played as {}; {}", quoted(mv), ending_text(ending.as_ref()));
    let expected = match &state.ending {
        None => "a refusal, or the end of the game by a foul",
        Some(_) => "a refusal: the game is over",
    };
    let request = format!("query the result of {}", quoted(text));
    Err::<(), StepFailure>(game.failure(sentence, &request, [response, expected.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_of_a_move() {
        let check = |mv: &str, expected: &[&str]| {
            let texts = changed(mv);
            let short = texts.iter().filter(|text| text.len() < LONG_BYTES);
            let found: BTreeSet<&str> = short.map(String::as_str).collect();
            assert_eq!(found, expected.iter().copied().collect(), "{mv}");
            assert_eq!(texts.iter().filter(|text| text.len() >= LONG_BYTES).count(), 2, "{mv}");
        };
        check("a", &["", " a", "A", "a", "a ", "a\n", "aa", "b"]);
        check("Ä1", &["1", "1Ä", " Ä1", "Ä1", "Ä1 ", "Ä1\n", "Ä1Ä1", "Ä2", "Å1", "ä1"]);
    }

    #[test]
    fn other_texts_are_not_listed() {
        let earlier = BTreeSet::from(["a".to_owned(), "q".to_owned()]);
        let mut random = SplitMix64::new(1);
        let texts = others(&["a", "b"], &earlier, &mut random);
        assert!(texts.iter().all(|text| !["a", "b"].contains(&text.as_str())), "{texts:?}");
        assert!(["", "A", "c", "q", "zz99"].iter().all(|text| texts.contains(&(*text).to_owned())));
    }

    #[test]
    fn a_late_position_has_a_smaller_sample() {
        let check = |plies: usize, expected: usize| {
            let listed = vec!["a"; 100];
            assert_eq!(sample(&listed, plies, &mut SplitMix64::new(1)).len(), expected, "{plies}");
        };
        check(0, 100);
        check(39, 100);
        check(79, 50);
        check(10_000, 1);
    }
}
