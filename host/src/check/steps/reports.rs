//! Step 14: whether what an engine reports of its search is true as far as the
//! rules can tell.

use sandboard_abi::{Limits, Line, limits};

use super::super::bench::{Ask, Bench, Way};
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::player::{Chosen, Player};
use super::super::positions::Board;

pub fn reports(bench: &mut Bench<'_>) -> Verdict {
    let ask = bench.usual_ask();
    let (mut requests, mut lines, mut silent) = (0, 0, 0);
    for board in bench.shown_boards() {
        let moves = board.random_game(bench.settings.seed);
        for ply in [0, moves.len() / 3, moves.len() * 2 / 3, moves.len().saturating_sub(1)] {
            let mut player = bench.seat(&board, &moves[..ply], Way::Moves, ask.limits.unit)?;
            let chosen = player.choose(&ask, &[])?;
            let asked = format!("{}; {}", player.scene, player.call(&ask, &[]));
            for line in chosen.lines.iter().chain(&chosen.line) {
                check_line(bench, &player, line, &asked)?;
            }
            check_order(bench, &player, &chosen, &asked);
            requests += 1;
            lines += chosen.lines.len();
            silent += usize::from(chosen.lines.is_empty() && chosen.line.is_none());
            lines += several(bench, &board, &moves[..ply], &ask)?;
            requests += 1;
        }
    }
    let nothing = match silent {
        0 => String::new(),
        _ => format!(
            "; to {silent} requests it reported nothing, which leaves a host nothing to play when time is up"
        ),
    };
    Ok(format!("{lines} lines in {requests} requests, all legal{nothing}"))
}

/// The same with several lines wanted and a draw offered, which an engine may heed or not; how
/// many lines it reported.
fn several(bench: &mut Bench<'_>, board: &Board, moves: &[String], ask: &Ask) -> Verdict<usize> {
    let limits = Limits { lines: 3, draw_offered: true, ..ask.limits.clone() };
    let ask = Ask { limits, label: ask.label.clone() };
    let mut player = bench.seat(board, moves, Way::Moves, ask.limits.unit)?;
    player.scene += ", with 3 lines wanted and a draw offered";
    let chosen = player.choose(&ask, &[])?;
    let asked = format!("{}; {}", player.scene, player.call(&ask, &[]));
    for line in chosen.lines.iter().chain(&chosen.line) {
        check_line(bench, &player, line, &asked)?;
    }
    Ok(chosen.lines.len())
}

fn check_line(bench: &Bench<'_>, player: &Player, line: &Line, asked: &str) -> Verdict<()> {
    let wrong = |sentence: String, expected: &str| {
        let came_back = format!("{line:?}");
        let (asked, expected, help) = (asked.to_owned(), expected.to_owned(), bench.help());
        Wrong::Failed(Box::new(Finding { sentence, asked, came_back, expected, help }))
    };
    let mut game = player.game.boxed_clone();
    for (index, mv) in line.moves.split_ascii_whitespace().enumerate() {
        if let Err(refusal) = game.play(mv) {
            let sentence =
                format!("it reports a line whose move {} is illegal: {refusal}", index + 1);
            return Err(wrong(sentence, "a line of legal moves from the position asked about"));
        }
    }
    if line.rank == 0 {
        return Err(wrong("it reports a line of rank 0".into(), "1 for the best line"));
    }
    let most = limits::WIN_SCORE;
    if let Some(score) = line.score.filter(|score| score.value.abs() >= most) {
        let sentence = format!("it reports a score of {} or beyond", score.value);
        return Err(wrong(sentence, &format!("less than {most}: a win in n plies is {most} - n")));
    }
    Ok(())
}

/// What is no lie, but not what a reader of reports expects.
fn check_order(bench: &mut Bench<'_>, player: &Player, chosen: &Chosen, asked: &str) {
    let first: Vec<&Line> = chosen.lines.iter().filter(|line| line.rank == 1).collect();
    let fewer = first
        .windows(2)
        .find(|pair| pair[1].depth < pair[0].depth || pair[1].nodes < pair[0].nodes);
    let mut wrongs = Vec::new();
    if let Some(pair) = fewer {
        let text = |line: &Line| format!("depth {}, {} nodes", line.depth, line.nodes);
        wrongs.push((
            "depth or nodes of its lines go down within a call".to_owned(),
            format!("{}, then {}", text(pair[0]), text(pair[1])),
            "numbers that grow".to_owned(),
        ));
    }
    let last = chosen.line.as_ref().or(first.last().copied());
    let candidate = last.and_then(|line| line.moves.split_ascii_whitespace().next());
    let candidate = candidate.and_then(|text| player.game.canonical(text).ok());
    if let (Some(candidate), Some(mv)) = (candidate, chosen.mv.as_ref())
        && candidate != *mv
    {
        wrongs.push((
            format!("it plays `{mv}`, and the line behind it begins with `{candidate}`"),
            format!("play `{mv}`, line `{}`", last.map_or("", |line| &line.moves)),
            "a line that begins with the move".to_owned(),
        ));
    }
    for (sentence, came_back, expected) in wrongs {
        let help = bench.help();
        bench.warn(Finding { sentence, asked: asked.to_owned(), came_back, expected, help });
    }
}
