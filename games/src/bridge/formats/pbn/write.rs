//! Writes boards as PBN: the fifteen mandatory tags, then sections and tables.

use super::super::board::Board;
use super::super::name;
use super::draft::{is_inherited, is_unknown};
use super::sections;
use crate::bridge::notation::hands_text;
use crate::bridge::{Call, Compass, Table, TrickTable, par};
use crate::formats::one_line;

/// Writes boards, each followed by an empty line.
pub(in super::super) fn write(boards: &[Board]) -> Vec<u8> {
    let mut out = String::from("% PBN 2.1\n% EXPORT\n");
    for board in boards {
        write_board(board, &mut out);
        out.push('\n');
    }
    // Characters outside Latin-1 are lost; so are all others if the bytes would be read as UTF-8.
    let bytes: Vec<u8> = out.chars().map(|sign| u8::try_from(sign).unwrap_or(b'?')).collect();
    match str::from_utf8(&bytes) {
        Ok(_) => bytes.into_iter().map(|byte| if byte.is_ascii() { byte } else { b'?' }).collect(),
        Err(_) => bytes,
    }
}

fn tag(out: &mut String, name: &str, value: &str) {
    let value = one_line(value).unwrap_or_default().replace('\\', "\\\\").replace('"', "\\\"");
    out.push_str(&format!("[{name} \"{value}\"]\n"));
}

fn write_board(board: &Board, out: &mut String) {
    let known = |text: Option<String>| text.unwrap_or("?".to_owned());
    // A text with a special meaning is written as unknown.
    let text = |text: &Option<String>| {
        let text = text.as_deref().and_then(name);
        known(text.filter(|text| !is_unknown(text) && !is_inherited(text)))
    };
    let player = |of: Compass| text(&board.names[of.index()]);
    tag(out, "Event", &text(&board.event));
    tag(out, "Site", "?");
    tag(out, "Date", "?");
    tag(out, "Board", &known(board.number.map(|number| number.to_string())));
    for (title, of) in [
        ("West", Compass::West),
        ("North", Compass::North),
        ("East", Compass::East),
        ("South", Compass::South),
    ] {
        tag(out, title, &player(of));
    }
    let letter = |of: Option<Compass>| known(of.map(|of| of.letter().to_string()));
    tag(out, "Dealer", &letter(board.dealer));
    tag(out, "Vulnerable", board.vulnerability.map_or("?", |it| it.text()));
    tag(out, "Deal", &hands_text(board.hands));
    tag(out, "Scoring", "?");
    if board.passed_out {
        tag(out, "Declarer", "");
        tag(out, "Contract", "Pass");
        tag(out, "Result", "");
    } else {
        tag(out, "Declarer", &letter(board.declarer));
        tag(out, "Contract", &known(board.contract.map(|contract| contract.to_string())));
        if let (None, Some(strain)) = (board.contract, board.denomination) {
            tag(out, "Denomination", strain.text());
        }
        tag(out, "Result", &known(board.result.map(|tricks| tricks.to_string())));
    }
    write_auction(board, out);
    write_play(board, out);
    if let Some(table) = &board.table {
        write_table(table, board, out);
    }
}

fn write_auction(board: &Board, out: &mut String) {
    let Some(dealer) = board.dealer.filter(|_| !board.auction.is_empty()) else { return };
    tag(out, "Auction", &dealer.letter().to_string());
    for calls in board.auction.chunks(4) {
        let calls: Vec<String> = calls.iter().map(Call::to_string).collect();
        out.push_str(&calls.join(" "));
        out.push('\n');
    }
    if crate::bridge::auction_result(dealer, &board.auction).is_none() {
        out.push_str("*\n");
    }
}

/// Writes one trick per line, in columns from the opening leader.
fn write_play(board: &Board, out: &mut String) {
    let leader = board.declarer.map(|declarer| declarer.after(1));
    let Some((strain, first)) = board.strain().zip(leader).filter(|_| !board.play.is_empty())
    else {
        return;
    };
    tag(out, "Play", &first.letter().to_string());
    let mut table = Table::empty(strain, first);
    for trick in board.play.chunks(4) {
        let mut row = ["- "; 4].map(str::to_owned);
        let leader = table.leader();
        for (place, card) in trick.iter().enumerate() {
            table.play(*card);
            row[(leader.after(place).index() + 4 - first.index()) % 4] = card.to_string();
        }
        out.push_str(row.join(" ").trim_end());
        out.push('\n');
    }
    if board.play.len() < 4 * usize::from(board.cards_each()) {
        out.push_str("*\n");
    }
}

fn write_table(table: &TrickTable, board: &Board, out: &mut String) {
    let tricks = || sections::pbn_order().map(|(by, strain)| (by, strain, table.get(by, strain)));
    if let Some((vulnerability, dealer)) = board.vulnerability.zip(board.dealer) {
        // Par is only defined for a whole deal.
        if board.cards_each() == 13 {
            let score = par(table, vulnerability, dealer).score_ns;
            let side = if score < 0 { "EW" } else { "NS" };
            tag(out, "OptimumScore", &format!("{side} {}", score.abs()));
        }
    }
    let digits: String = tricks().map(|(_, _, tricks)| format!("{tricks:x}")).collect();
    tag(out, "DoubleDummyTricks", &digits);
    // These backslashes are part of the format.
    out.push_str("[OptimumResultTable \"Declarer;Denomination\\2R;Result\\2R\"]\n");
    for (by, strain, tricks) in tricks() {
        out.push_str(&format!("{} {strain:>2} {tricks:>2}\n", by.letter()));
    }
}
