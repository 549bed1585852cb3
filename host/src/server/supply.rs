//! Where the server has its engines from: somebody who knows the engines folder, loads from it
//! and asks what is trusted. The server itself opens no module.

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Description, Unit};

use super::problem::Answer;
use super::wire::EngineSeat;
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::catalog::{Catalog, Entry};
use crate::engine::EngineSource;
use crate::record::{EngineRecord, Start};

/// Finds and loads engines. Every call may block: for as long as compiling takes.
pub trait Supplier: Send + Sync {
    /// The engines folder.
    fn folder(&self) -> &Path;

    /// Looks through the folder again. What has changed is loaded anew from then on.
    fn look(&self) -> Answer<()>;

    /// What was there when it was last looked through.
    fn catalog(&self) -> Catalog;

    /// An engine that can play this variant with these options.
    fn player(&self, seat: &EngineSeat, unit: Unit, start: &Start) -> Answer<EnginePlayer>;

    /// The very engine of a record that goes on.
    fn source(&self, record: &EngineRecord, unit: Unit) -> Answer<Arc<dyn EngineSource>>;

    /// Whether the operator trusts the module with this SHA-256.
    fn trusts(&self, sha256: &str) -> bool;

    /// The operator trusts the module of this engine from now on.
    fn trust(&self, id: &str) -> Answer<()>;

    /// What an engine says of itself.
    fn describe(&self, entry: &Entry) -> Answer<Description>;

    /// Err: this machine cannot count what the budget names.
    fn check_budget(&self, budget: &Budget) -> Answer<()>;
}
