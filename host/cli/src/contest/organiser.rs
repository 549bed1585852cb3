//! `contest close`, `withdraw`, `disqualify`, `rerun`: the commands of the organiser. Each action
//! is written to the audit log of the contest.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};

use super::{service, shown};
use crate::output::out_line;
use crate::{known_games, usage};
use sandboard_arena::OpenFolder;
use sandboard_common::date::{parse_date, rfc3339};
use sandboard_contest::store::{AuditEntry, FINAL_PROPERTY, OVER_PROPERTY, Write, final_arena};
use sandboard_contest::{ContestFolder, now_ms};
use sandboard_contest_rules::Status;
use sandboard_contest_rules::arena_rules::ArenaKind;

/// Withdraw an entrant from a contest, or let an entrant return
///
/// The entrant's engines do not play from the next round on; games already played count. For
/// example: sandboard contest withdraw autumn "Ann Lee" --reason "on request"
#[derive(clap::Args, Debug)]
pub(super) struct WithdrawArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name
    #[arg(value_name = "NAME")]
    name: String,
    /// The reason, shown to everyone who can see the contest
    #[arg(long, default_value = "")]
    reason: String,
    /// Let the entrant return
    #[arg(long)]
    back: bool,
}

/// Disqualify an entrant
///
/// The entrant is removed from the standings as well. For example: sandboard contest disqualify
/// autumn Bob --reason "a copy of entry 7"
#[derive(clap::Args, Debug)]
pub(super) struct DisqualifyArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name
    #[arg(value_name = "NAME")]
    name: String,
    /// The reason, shown to everyone who can see the contest
    #[arg(long)]
    reason: String,
}

/// Change the closing date of a contest, or close it now
///
/// For example: sandboard contest close autumn --at 2026-12-24T18:00:00Z
#[derive(clap::Args, Debug)]
pub(super) struct CloseArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The new closing date, with its time zone [default: now]
    #[arg(long, value_name = "DATE")]
    at: Option<String>,
}

/// Test an entry again, or play the final again
///
/// An entry that may play keeps playing during the test. A repeated final is a new arena; the
/// previous one is kept. Its seeds follow from the seed of the contest and from its players: with
/// the same players, the same games are played. For example: sandboard contest rerun autumn --entry
/// 7
#[derive(clap::Args, Debug)]
pub(super) struct RerunArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entry's number
    #[arg(long, value_name = "N", required_unless_present = "final_again")]
    entry: Option<i64>,
    /// Play the final again
    #[arg(long = "final", conflicts_with = "entry")]
    final_again: bool,
}

/// Withdraws an entrant, or lets the entrant return.
pub(super) fn withdraw(args: &WithdrawArgs) -> Result<()> {
    let status = if args.back { Status::In } else { Status::Withdrawn };
    set(&args.dir, &args.name, status, &args.reason)
}

/// Disqualifies an entrant.
pub(super) fn disqualify(args: &DisqualifyArgs) -> Result<()> {
    set(&args.dir, &args.name, Status::Disqualified, &args.reason)
}

fn set(dir: &std::path::Path, name: &str, status: Status, reason: &str) -> Result<()> {
    let folder = ContestFolder::open(dir, &known_games())?;
    folder.block_on(service(&folder).set_status(name, status, reason)).map_err(shown)?;
    out_line!("{name} is {}", sandboard_contest::service::status_word(status));
    Ok(())
}

/// Changes the closing date.
pub(super) fn close(args: &CloseArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let at = match &args.at {
        None => SystemTime::now(),
        Some(text) => parse_date(text).ok_or_else(|| {
            usage(format!("--at: `{text}` is not a valid date; write it as 2026-12-01T18:00:00Z"))
        })?,
    };
    folder.block_on(service(&folder).set_closes(at)).map_err(shown)?;
    out_line!("entries are accepted until {}", rfc3339(at));
    Ok(())
}

/// Has an entry tested, or the final played, again.
pub(super) fn rerun(args: &RerunArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    if let Some(number) = args.entry {
        let entry = folder.block_on(service(&folder).request_retest(number)).map_err(shown)?;
        out_line!("entry {number} of {} is queued to be tested again", entry.entrant);
        return Ok(());
    }
    let named = folder.wait(final_arena(&**folder.store()))?.name();
    if !OpenFolder::holds_arena(&args.dir.join(&named)) {
        bail!("this contest has no final yet");
    }
    if folder.is_running() {
        bail!("the contest is running: stop it first (Ctrl-C), then repeat this command");
    }
    let mut names = (2_u32..).map(|number| ArenaKind::Final(number).name());
    let next = names.find(|name| !args.dir.join(name).exists()).unwrap_or_default();
    let text = format!("the final is played again: {next} replaces {named}");
    let property =
        |name: &str, text: &str| Write::Property { name: name.into(), text: text.into() };
    let audit = Write::Audit(AuditEntry { at_ms: now_ms(), text: text.clone() });
    let writes = [audit, property(FINAL_PROPERTY, &next), property(OVER_PROPERTY, "")];
    folder.wait(folder.store().commit(&writes))?;
    out_line!("{text}");
    Ok(())
}
