//! Makes a stored arena longer before it is resumed.

use anyhow::Result;
use sandboard_arena::store::Write;
use sandboard_arena::{ArenaFolder, LoadedArena};
use sandboard_tournament::schedule::{Change, Event};

use super::create::check_rounds;
use crate::usage;

/// The new length of an arena. One of these, as its format counts.
#[derive(clap::Args, Debug)]
#[group(multiple = false)]
pub(crate) struct ExtensionArgs {
    /// With --resume: extend a match or a ladder to this number of pairs, even if it is complete
    #[arg(long, value_name = "N", requires = "resume")]
    pairs: Option<u32>,
    /// With --resume: extend a round robin or a gauntlet to this number of cycles
    #[arg(long, value_name = "N", requires = "resume")]
    cycles: Option<u32>,
    /// With --resume: extend a Swiss system to this number of rounds
    #[arg(long, value_name = "N", requires = "resume")]
    rounds: Option<u32>,
}

impl ExtensionArgs {
    /// What is counted, and the new number; none: the arena keeps its length.
    fn wanted(&self) -> Option<(&'static str, u32)> {
        let all = [("pairs", self.pairs), ("cycles", self.cycles), ("rounds", self.rounds)];
        all.into_iter().find_map(|(unit, count)| Some((unit, count?)))
    }

    /// Extends a loaded arena, and stores that.
    pub(super) fn apply(&self, folder: &ArenaFolder, loaded: &mut LoadedArena) -> Result<()> {
        let Some((unit, count)) = self.wanted() else { return Ok(()) };
        let option = format!("--{unit} {count}");
        let schedule = loaded.ledger.schedule();
        match schedule.format().length() {
            Some((counted, _)) if counted != unit => {
                return Err(usage(format!("{option}: this arena counts {counted}: --{counted} N")));
            }
            _ if loaded.ledger.is_decided() => {
                return Err(usage(format!("{option}: the test of this arena has decided")));
            }
            _ => (),
        }
        let longer = sandboard_arena_plan::ArenaSetup {
            schedule: schedule.format().with_length(count),
            ..loaded.setup.clone()
        };
        check_rounds(&longer).map_err(|(_, reason)| usage(format!("{option}: {reason}")))?;
        let number = schedule.events().len() as u32;
        let event = Event { from_pair: schedule.first_unstarted(), change: Change::Extend(count) };
        loaded.ledger.apply(event).map_err(|error| usage(format!("{option}: {error}")))?;
        let json = serde_json::to_string(&event)?;
        folder.wait(folder.store().commit(&[Write::Event { number, json }]))?;
        Ok(())
    }
}
