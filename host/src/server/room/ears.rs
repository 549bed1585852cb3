//! What the engines of a room say, told to everybody while they think: lines not too often, texts
//! not too many. Keeps nothing: the record does.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Room, Told, show};
use crate::bout::{Live, Remark};
use crate::server::wire::Event;

/// How often lines of engines are told at most.
const LINE_EVERY: Duration = Duration::from_millis(100);
/// How many texts of one engine are told at one ply. Readers may be twice as many messages
/// behind.
const TEXTS: u32 = 8;
/// What is told in place of the next one.
const MORE: &str = "said more, which is in the record";

/// The ears of a bout in this room, whose players have these names. What is too much is left out:
/// engines wait for nobody.
pub(super) fn listen(room: &Arc<Room>, names: Vec<String>) -> Live {
    let room = Arc::downgrade(room);
    let tally = Mutex::new(Tally::of(names.len()));
    Arc::new(move |player, remark| {
        let Some(room) = room.upgrade() else { return };
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        let event = match remark {
            Remark::Line(line) => {
                if line.rank > 1 || !tally.line(Instant::now()) {
                    return;
                }
                let ply = room.live().at.plies;
                Event::Line { player, ply, line: show::line(line) }
            }
            Remark::Log(log) => {
                let name = names.get(player).map_or("", String::as_str);
                let text = match tally.text(player, log.at_ply) {
                    Share::Told => format!("{name}: {}", log.text),
                    Share::More => format!("{name} {MORE}"),
                    Share::Dropped => return,
                };
                Event::Log { at_ply: log.at_ply, kind: "engine", text }
            }
        };
        room.hub.send_if_room(room.emission(Vec::new(), vec![Told::all(event)]));
    })
}

/// What becomes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// It is told.
    Told,
    /// It is the first that is not; that is told.
    More,
    /// It is not told.
    Dropped,
}

/// How much has been told.
struct Tally {
    line_at: Option<Instant>,
    /// Of each player: at which ply, and how many texts there.
    texts: Vec<(u32, u32)>,
}

impl Tally {
    fn of(players: usize) -> Self {
        Self { line_at: None, texts: vec![(0, 0); players] }
    }

    /// Whether it is time for another line.
    fn line(&mut self, now: Instant) -> bool {
        let early = |last: Instant| now.saturating_duration_since(last) < LINE_EVERY;
        let is_time = !self.line_at.is_some_and(early);
        if is_time {
            self.line_at = Some(now);
        }
        is_time
    }

    fn text(&mut self, player: usize, at_ply: u32) -> Share {
        let Some((ply, count)) = self.texts.get_mut(player) else { return Share::Dropped };
        if *ply != at_ply {
            (*ply, *count) = (at_ply, 0);
        }
        *count = count.saturating_add(1);
        match *count {
            count if count <= TEXTS => Share::Told,
            count if count == TEXTS + 1 => Share::More,
            _ => Share::Dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of these players at these plies: `+` told, `m` that there are more, `-` dropped.
    fn check(texts: &[(usize, u32)], expected: &str) {
        let mut tally = Tally::of(2);
        let told = texts.iter().map(|(player, at_ply)| match tally.text(*player, *at_ply) {
            Share::Told => '+',
            Share::More => 'm',
            Share::Dropped => '-',
        });
        assert_eq!(told.collect::<String>(), expected, "{texts:?}");
    }

    #[test]
    fn so_many_texts_at_a_ply() {
        check(&[(0, 0); 11], "++++++++m--");
        check(&[(0, 0); 8], "++++++++");
        check(&[[(0, 1); 9], [(1, 1); 9]].concat(), "++++++++m++++++++m");
        check(&[[(0, 1); 9], [(0, 3); 9]].concat(), "++++++++m++++++++m");
        check(&[(2, 0), (1, 0)], "-+");
    }

    #[test]
    fn lines_come_one_at_a_time() {
        let begin = Instant::now();
        let mut tally = Tally::of(1);
        let mut at = |ms| tally.line(begin + Duration::from_millis(ms));
        assert_eq!([0, 99, 100, 150, 200].map(&mut at), [true, false, true, false, true]);
    }
}
