//! Tests of the page: its content, and that it has no scripts and no external resources.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use sandboard_tournament::schedule::Format;

use crate::present::samples::{
    HOSTILE, empty, game, hostile, hostile_game, many, match_of_two, three,
};
use crate::present::sanitize::sanitize;
use crate::present::{GAMES_LISTED_MAX, html};
use sandboard_arena_plan::{GameRow, View};

fn page(view: &View, games: impl Iterator<Item = GameRow>) -> String {
    let mut out = Vec::new();
    html(view, &mut games.into_iter(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Reads the page as XML, which is stricter than a browser. Returns the text of its elements with
/// `|` between them.
fn read(page: &str) -> String {
    let mut reader = Reader::from_str(page);
    let mut text = String::new();
    let mut style = false;
    loop {
        let position = reader.buffer_position() as usize;
        match reader.read_event().unwrap_or_else(|error| panic!("{error} at {}", &page[position..]))
        {
            Event::Eof => return text,
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                style = name == "style";
                check_tag(&name, &tag);
                text.push('|');
            }
            Event::End(_) => style = false,
            Event::Text(part) if !style => text.push_str(&part),
            Event::GeneralRef(name) => {
                text.push(match &*name {
                    "amp" => '&',
                    "lt" => '<',
                    "gt" => '>',
                    "quot" => '"',
                    "#39" => '\'',
                    name => panic!("&{name};"),
                });
            }
            _ => {}
        }
    }
}

/// Allows no element and no attribute that runs or loads something.
fn check_tag(name: &str, tag: &quick_xml::events::BytesStart<'_>) {
    let known = "html head meta title style body header h1 h2 h3 p nav a main section div table thead tbody \
                 tr th td bdi small strong code dl dt dd details summary ul li svg desc line text circle \
                 path footer";
    assert!(known.split_whitespace().any(|known| known == name), "<{name}>");
    for attribute in tag.attributes() {
        let attribute = attribute.unwrap();
        let key = attribute.key.as_ref().to_owned();
        let value = attribute.value.clone().into_owned();
        assert!(!key.starts_with("on") && key != "src", "{key} of <{name}>");
        assert!(key != "href" || value.starts_with('#'), "{key}={value}");
        assert!(key != "style" || value.starts_with("--depth:"), "{key}={value}");
        assert!(!value.contains(['<', '>']), "{key}={value}");
    }
}

fn check(view: &View, games: &[GameRow], expected: &[&str]) {
    let page = page(view, games.iter().cloned());
    let text = read(&page);
    for expected in expected {
        match expected.strip_prefix('!') {
            None => assert!(text.contains(expected), "{expected}:\n{text}"),
            Some(absent) => assert!(!text.contains(absent), "{absent}:\n{text}"),
        }
    }
}

#[test]
fn nothing_played() {
    let view = empty(&["a", "b"], Format::Match { pairs: 10 });
    let expected = [
        "match of 10 pairs",
        "open: 0 pairs counted (0 games, 0 moves), 10 left",
        "None yet.",
        "!Ratings",
        "!Seats",
        "!Cross table",
        "!|Openings\n",
    ];
    check(&view, &[], &expected);
}

#[test]
fn two_players() {
    let expected = [
        "||alpha |12½ of 24 against |五子棋",
        "52.1 %, 41.0 to 63.2 % with 95 % confidence",
        "|+14.5 ± 75.4 with 95 % confidence",
        "0.0 Elo or less, or +5.0 or more? (α 5.0 %, β 5.0 %)",
        "||not decided yet",
        "|LLR 0.13 between −2.94 and 2.94",
        "||五子棋 did not move in time",
        "sandboard arena game spring pair-000004-2.",
        "|on_timeout||loss\n",
        "|grace.us||",
        "|pair-000001-1||alpha||五子棋|0–1|1|1|40||black has five in a row|||2026-01-01T00:00:00Z",
        "!Cross table",
    ];
    check(&match_of_two(), &[game(0)], &expected);
}

#[test]
fn three_players() {
    let expected =
        ["above all: stronger than all", "below all: weaker", "†: withdrawn", "†2", "2|/2|"];
    check(&three(), &[], &expected);
}

#[test]
fn every_page_is_well_formed() {
    for players in [1, 2, 3, 12, 40, 70] {
        let page = page(&many(players), (0..10).map(game));
        read(&page);
        let more = page.contains("The last 10 by place are left out");
        assert_eq!(more, players == 70);
    }
}

#[test]
fn the_latest_games_are_listed() {
    let most = GAMES_LISTED_MAX as u32;
    let check = |games: u32, listed: u32, note: bool| {
        let page = page(&match_of_two(), (0..games).map(game));
        assert_eq!(page.matches(">pair-").count() as u32, listed + 1, "of {games}");
        assert_eq!(page.contains("The latest 1000 of "), note, "of {games}");
        let names = [games - listed, games - 1].map(|number| format!(">{}<", game(number).name));
        let [first, last] = names.map(|name| page.rfind(&name));
        assert!(last.is_some() && last <= first, "the latest of {games} is first");
    };
    check(1, 1, false);
    check(most, most, false);
    check(most + 1, most, true);
    check(3 * most, most, true);
}

#[test]
fn hostile_texts_are_escaped() {
    let page = page(&hostile(), HOSTILE.iter().map(|text| hostile_game(text)));
    let text = read(&page);
    let hidden = |letter: char| letter != '\n' && sandboard_common::text::is_hidden(letter);
    assert!(!page.contains(hidden), "{:?}", page.find(hidden));
    for shown in
        ["<script>alert(1)</script>", "\\u{202e}txt.exe\\u{2066}", "</style></svg></title><b>&amp;"]
    {
        assert!(text.contains(&format!("|{shown}")), "{shown}");
    }
    assert_eq!(page.matches("<style").count(), 1);
}

proptest! {
    #[test]
    fn any_text_is_shown_sanitized(text in ".*", other in any::<String>()) {
        let mut view = match_of_two();
        (view.players[0].name, view.players[1].engine) = (text.clone(), other.clone());
        (view.faults[0].sentence, view.name) = (text.clone(), other.clone());
        let game = GameRow { sentence: other.clone(), ..game(0) };
        let read = read(&page(&view, std::iter::once(game)));
        for text in [&text, &other] {
            prop_assert!(read.contains(&sanitize(text)), "{text:?}");
        }
    }
}
