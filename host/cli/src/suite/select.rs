//! Selects the positions of a file to ask and sets them up by the rules; or reports all faults of
//! the file.

use std::path::Path;

use anyhow::Result;
use sandboard_games::{GameInfo, Variant};

use crate::{usage, variant_of};
use sandboard_analysis::suite::{Case, RawPosition, SuiteError, SuiteFile, check};
use sandboard_common::suggestions::nearest;

/// The selection of positions.
pub(super) struct Selection<'a> {
    /// Only positions of this variant; `None`: of any variant.
    pub variant: Option<&'a str>,
    /// Only these ids; empty: all.
    pub ids: &'a [String],
}

/// The selected positions. Of the others, only the form is checked.
pub(super) fn cases(
    file: &Path,
    drafts: &SuiteFile,
    info: &'static GameInfo,
    selection: &Selection<'_>,
) -> Result<Vec<Case>> {
    let variant = variant_of(info, selection.variant)?;
    check_ids(file, drafts, selection.ids)?;
    let is_selected = |draft: &&RawPosition| {
        let is_named = selection.ids.is_empty() || selection.ids.contains(&draft.id);
        is_named && (selection.variant.is_none() || is_of(draft, info, &variant))
    };
    let checked = check(drafts.positions.iter().filter(is_selected), info, &variant);
    let mut faults = drafts.faults.clone();
    match checked {
        Ok(cases) if faults.is_empty() && cases.is_empty() => {
            let variant = variant.text();
            Err(usage(format!("{} has no position of {} {variant}", file.display(), info.id)))
        }
        Ok(cases) if faults.is_empty() => Ok(cases),
        checked => {
            faults.extend(checked.err().unwrap_or_default());
            faults.sort_by_key(|fault| fault.location);
            Err(usage(SuiteError::Faults { path: file.to_owned(), faults }))
        }
    }
}

/// Whether a position belongs to this variant, in any board size unless `variant` has one.
fn is_of(draft: &RawPosition, info: &GameInfo, variant: &Variant) -> bool {
    draft
        .variant
        .as_deref()
        .is_none_or(|own| info.variant(own).is_ok_and(|own| info.covers(&variant.text(), &own)))
}

fn check_ids(file: &Path, drafts: &SuiteFile, ids: &[String]) -> Result<()> {
    let known = || {
        let faulty = drafts.faults.iter().filter_map(|fault| fault.id.as_deref());
        drafts.positions.iter().map(|draft| draft.id.as_str()).chain(faulty)
    };
    match ids.iter().find(|id| known().all(|other| other != id.as_str())) {
        None => Ok(()),
        Some(id) => {
            let near = nearest(id, known());
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            Err(usage(format!("--only: {} has no position `{id}`{near}", file.display())))
        }
    }
}
