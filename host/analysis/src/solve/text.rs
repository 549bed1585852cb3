//! Formats results as text for people.

use std::fmt::Write;

use super::solver::{ByDeclarer, OrderedMap, ParResult, SolveResult, Trace};

/// A result as a few lines, followed by an empty line.
pub fn result_text(answer: &SolveResult) -> String {
    let mut text = String::new();
    let name = match (&answer.board, &answer.id) {
        (Some(board), _) => format!("board {board}"),
        (None, Some(id)) => id.to_string(),
        (None, None) => String::new(),
    };
    let deal = answer.deal.as_deref().unwrap_or_default();
    let head = [name.as_str(), deal].into_iter().filter(|part| !part.is_empty());
    let head = head.collect::<Vec<_>>().join("  ");
    if !head.is_empty() {
        let _ = writeln!(text, "{head}");
    }
    if let Some(table) = &answer.table {
        let _ = writeln!(text, "       S   H   D   C  NT");
        for (declarer, row) in &table.0 {
            let cell = |value: &Option<u8>| match value {
                Some(tricks) => format!("{tricks:4}"),
                None => "   .".to_owned(),
            };
            let _ = writeln!(text, "  {declarer} {}", row.iter().map(cell).collect::<String>());
        }
    }
    if let Some(tricks) = answer.tricks {
        let _ = writeln!(
            text,
            "  the side to move wins {}",
            sandboard_common::text::counted(tricks as usize, "trick")
        );
    }
    if let Some(scores) = &answer.scores {
        let _ = writeln!(text, "  {}", by_tricks(scores));
    }
    for (declarer, of) in answer.leads.iter().flat_map(|leads| &leads.0) {
        for (strain, scores) in &of.0 {
            let _ = writeln!(text, "  leads against {declarer} in {strain}: {}", by_tricks(scores));
        }
    }
    if let Some(par) = &answer.par {
        par_lines(par, &mut text);
    }
    if let Some(trace) = &answer.trace {
        trace_lines(trace, &mut text);
    }
    text.push('\n');
    text
}

/// `5: SJ S4; 4: HA`.
fn by_tricks(scores: &OrderedMap<u32>) -> String {
    let mut text = String::new();
    let mut before = None;
    for (card, tricks) in &scores.0 {
        match before == Some(tricks) {
            true => text += &format!(" {card}"),
            false if text.is_empty() => text = format!("{tricks}: {card}"),
            false => text += &format!("; {tricks}: {card}"),
        }
        before = Some(tricks);
    }
    text
}

/// Writes a line for each vulnerability, with the dealers separately if their results differ.
fn par_lines(par: &OrderedMap<ByDeclarer<ParResult>>, text: &mut String) {
    for (vulnerable, by_dealer) in &par.0 {
        let mut groups: Vec<(String, &ParResult)> = Vec::new();
        for (dealer, par) in &by_dealer.0 {
            match groups.iter_mut().find(|(_, other)| *other == par) {
                Some((dealers, _)) => dealers.push_str(dealer),
                None => groups.push((dealer.clone(), par)),
            }
        }
        let alike = groups.len() == 1;
        let parts = groups.into_iter().map(|(dealers, par)| {
            let dealers_text = if alike { String::new() } else { format!("dealer {dealers}: ") };
            let contracts = match par.contracts.is_empty() {
                true => "passed out".to_owned(),
                false => par.contracts.join(" "),
            };
            format!("{dealers_text}NS {:+} ({contracts})", par.score)
        });
        let parts: Vec<String> = parts.collect();
        let _ = writeln!(text, "  par, vulnerable {vulnerable}: {}", parts.join("; "));
    }
}

/// Writes the tricks before the first card, and the cards that lost tricks.
fn trace_lines(trace: &Trace, text: &mut String) {
    let (Some(first), Some(last)) = (trace.tricks.first(), trace.tricks.last()) else { return };
    let _ = write!(text, "  {} had {first} at first, and {last} after ", trace.side);
    let _ = writeln!(text, "{}", sandboard_common::text::counted(trace.cards.len(), "card"));
    for (index, (card, loss)) in trace.cards.iter().zip(&trace.losses).enumerate() {
        if *loss > 0 {
            let loss = sandboard_common::text::counted(*loss as usize, "trick");
            let (trick, place) = (index / 4 + 1, index % 4 + 1);
            let _ = writeln!(text, "    {card}, card {place} of trick {trick}, gave away {loss}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: SolveResult, expected: &[&str]) {
        assert_eq!(
            result_text(&answer),
            expected.iter().map(|line| format!("{line}\n")).collect::<String>()
        );
    }

    fn listed<T: Clone>(entries: &[(&str, T)]) -> OrderedMap<T> {
        OrderedMap(
            entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        )
    }

    #[test]
    fn a_table_and_par() {
        let par = |score, contracts: &[&str]| ParResult {
            score,
            contracts: contracts.iter().map(|it| (*it).to_owned()).collect(),
        };
        let (one, other) = (par(100, &["4Hx-EW-1", "4Cx-EW-1"]), par(-100, &["4Hx-NS-1"]));
        let apart = listed(&[("N", one.clone()), ("E", other.clone()), ("S", one), ("W", other)]);
        let out = par(0, &[]);
        let alike =
            listed(&[("N", out.clone()), ("E", out.clone()), ("S", out.clone()), ("W", out)]);
        let answer = SolveResult {
            board: Some("7".to_owned()),
            deal: Some("N:…".to_owned()),
            table: Some(listed(&[("N", [Some(8), None, Some(10), Some(0), Some(13)])])),
            par: Some(listed(&[("none", apart), ("ew", alike)])),
            ..SolveResult::default()
        };
        check(
            answer,
            &[
                "board 7  N:…",
                "       S   H   D   C  NT",
                "  N    8   .  10   0  13",
                "  par, vulnerable none: dealer NS: NS +100 (4Hx-EW-1 4Cx-EW-1); dealer EW: NS -100 \
                 (4Hx-NS-1)",
                "  par, vulnerable ew: NS +0 (passed out)",
                "",
            ],
        );
    }

    #[test]
    fn cards_and_a_trace() {
        let scores = listed(&[("SJ", 2), ("S4", 2), ("HA", 1)]);
        let trace = Trace {
            side: "NS",
            tricks: vec![2, 2, 1],
            cards: vec!["SJ".to_owned(), "SA".to_owned()],
            losses: vec![0, 1],
        };
        let leads = listed(&[("S", listed(&[("NT", scores.clone())]))]);
        let answer = SolveResult {
            tricks: Some(1),
            scores: Some(scores),
            leads: Some(leads),
            trace: Some(trace),
            ..SolveResult::default()
        };
        check(
            answer,
            &[
                "  the side to move wins 1 trick",
                "  2: SJ S4; 1: HA",
                "  leads against S in NT: 2: SJ S4; 1: HA",
                "  NS had 2 at first, and 1 after 2 cards",
                "    SA, card 2 of trick 1, gave away 1 trick",
                "",
            ],
        );
    }
}
