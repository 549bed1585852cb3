//! Broadcasts engine output while engines think: analysis lines and log texts, both rate-limited.
//! Keeps nothing; the record contains all of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{OutgoingEvent, Room, wire_views};
use crate::wire::Event;
use sandboard_bout::driver::{EngineOutput, OutputListener};

/// The shortest time between two analysis lines of a room.
const LINE_INTERVAL: Duration = Duration::from_millis(100);
/// How many log texts of one engine are sent at one ply. The packet buffer holds twice as many.
const TEXTS_PER_PLY_MAX: u32 = 8;
/// What is sent instead of the first omitted text.
const OMITTED_NOTICE: &str = crate::messages::OMITTED_LOG;

/// Returns the output listener of a bout in this room. It drops what exceeds the limits and never
/// blocks an engine.
pub(super) fn output_listener(room: &Arc<Room>, names: Vec<String>) -> OutputListener {
    let room = Arc::downgrade(room);
    let limiter = Mutex::new(OutputLimiter::new(names.len()));
    Arc::new(move |player, output| {
        let Some(room) = room.upgrade() else { return };
        if room.has_views() {
            // What an engine reports and logs depends on what its seat sees and chooses.
            return;
        }
        let mut limiter = limiter.lock().unwrap_or_else(PoisonError::into_inner);
        let event = match output {
            EngineOutput::Line(line) => {
                if line.rank > 1 || !limiter.allow_line(Instant::now()) {
                    return;
                }
                let ply = room.lock_state().progress.plies;
                Event::Line { player, ply, line: wire_views::line(line) }
            }
            EngineOutput::Log(log) => {
                let name = names.get(player).map_or("", String::as_str);
                let text = match limiter.text_action(player, log.at_ply) {
                    TextAction::Send => format!("{name}: {}", log.text),
                    TextAction::SendNotice => format!("{name} {OMITTED_NOTICE}"),
                    TextAction::Drop => return,
                };
                Event::Log { at_ply: log.at_ply, kind: "engine", text, message: None }
            }
        };
        room.hub.try_send(room.update(Vec::new(), vec![OutgoingEvent::to_all(event)]));
    })
}

/// What happens to a log text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextAction {
    /// The text is sent.
    Send,
    /// It is the first over the limit: a notice is sent instead.
    SendNotice,
    /// The text is dropped.
    Drop,
}

/// How much output was sent.
struct OutputLimiter {
    last_line_at: Option<Instant>,
    /// For each player: the ply, and the number of texts at it.
    texts: Vec<(u32, u32)>,
}

impl OutputLimiter {
    fn new(players: usize) -> Self {
        Self { last_line_at: None, texts: vec![(0, 0); players] }
    }

    /// Returns whether another analysis line may be sent.
    fn allow_line(&mut self, now: Instant) -> bool {
        let early = |last: Instant| now.saturating_duration_since(last) < LINE_INTERVAL;
        let is_time = !self.last_line_at.is_some_and(early);
        if is_time {
            self.last_line_at = Some(now);
        }
        is_time
    }

    fn text_action(&mut self, player: usize, at_ply: u32) -> TextAction {
        let Some((ply, count)) = self.texts.get_mut(player) else { return TextAction::Drop };
        if *ply != at_ply {
            (*ply, *count) = (at_ply, 0);
        }
        *count = count.saturating_add(1);
        match *count {
            count if count <= TEXTS_PER_PLY_MAX => TextAction::Send,
            count if count == TEXTS_PER_PLY_MAX + 1 => TextAction::SendNotice,
            _ => TextAction::Drop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends texts of these players at these plies: `+` sent, `m` replaced by the notice, `-`
    /// dropped.
    fn check(texts: &[(usize, u32)], expected: &str) {
        let mut limiter = OutputLimiter::new(2);
        let actions =
            texts.iter().map(|(player, at_ply)| match limiter.text_action(*player, *at_ply) {
                TextAction::Send => '+',
                TextAction::SendNotice => 'm',
                TextAction::Drop => '-',
            });
        assert_eq!(actions.collect::<String>(), expected, "{texts:?}");
    }

    #[test]
    fn texts_are_limited_at_each_ply() {
        check(&[(0, 0); 11], "++++++++m--");
        check(&[(0, 0); 8], "++++++++");
        check(&[[(0, 1); 9], [(1, 1); 9]].concat(), "++++++++m++++++++m");
        check(&[[(0, 1); 9], [(0, 3); 9]].concat(), "++++++++m++++++++m");
        check(&[(2, 0), (1, 0)], "-+");
    }

    #[test]
    fn lines_are_limited_in_time() {
        let begin = Instant::now();
        let mut limiter = OutputLimiter::new(1);
        let mut at = |ms| limiter.allow_line(begin + Duration::from_millis(ms));
        assert_eq!([0, 99, 100, 150, 200].map(&mut at), [true, false, true, false, true]);
    }
}
