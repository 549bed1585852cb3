//! Which positions of a file are asked, set up by the rules; or all that is
//! wrong with the file.

use std::path::Path;

use anyhow::Result;
use sandboard_games::{GameInfo, Variant};

use crate::cli::{usage, variant_of};
use crate::manifest::nearest;
use crate::suite::{Case, Draft, Drafts, SuiteError, check};

/// What is asked for of a file.
pub struct Selection<'a> {
    /// Only positions of this variant.
    pub variant: Option<&'a str>,
    /// Only these; empty: all.
    pub ids: &'a [String],
}

/// The positions that are asked for. Of the others only the form is checked.
pub fn cases(
    file: &Path,
    drafts: &Drafts,
    info: &'static GameInfo,
    selection: &Selection<'_>,
) -> Result<Vec<Case>> {
    let variant = variant_of(info, selection.variant)?;
    check_ids(file, drafts, selection.ids)?;
    let is_asked = |draft: &&Draft| {
        let is_named = selection.ids.is_empty() || selection.ids.contains(&draft.id);
        is_named && (selection.variant.is_none() || is_of(draft, info, &variant))
    };
    let checked = check(drafts.drafts.iter().filter(is_asked), info, &variant);
    let mut faults = drafts.faults.clone();
    match checked {
        Ok(cases) if faults.is_empty() && cases.is_empty() => {
            let variant = variant.text();
            Err(usage(format!("no position of {} is of {} {variant}", file.display(), info.id)))
        }
        Ok(cases) if faults.is_empty() => Ok(cases),
        checked => {
            faults.extend(checked.err().unwrap_or_default());
            faults.sort_by_key(|fault| fault.place);
            Err(usage(SuiteError::Faults { path: file.to_owned(), faults }))
        }
    }
}

/// Whether a position is of this variant, in any size of it unless it has one.
fn is_of(draft: &Draft, info: &GameInfo, variant: &Variant) -> bool {
    draft
        .variant
        .as_deref()
        .is_none_or(|own| info.variant(own).is_ok_and(|own| info.covers(&variant.text(), &own)))
}

fn check_ids(file: &Path, drafts: &Drafts, ids: &[String]) -> Result<()> {
    let known = || {
        let faulty = drafts.faults.iter().filter_map(|fault| fault.id.as_deref());
        drafts.drafts.iter().map(|draft| draft.id.as_str()).chain(faulty)
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
