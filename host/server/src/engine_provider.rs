//! The trait through which the server finds, loads and trusts engines. The server itself opens no
//! module.

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Description, Unit};

use super::problem::ApiResult;
use super::wire::EngineSeat;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::EngineRecord;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Budget, EngineSource};
use sandboard_packs::catalog::{Catalog, Entry};

/// Finds and loads engines. Every call may block for as long as compiling an engine takes.
pub trait EngineProvider: Send + Sync {
    /// Returns the engines folder.
    fn folder(&self) -> &Path;

    /// Scans the folder again. Changed engines are reloaded when they are used next.
    fn rescan(&self) -> ApiResult<()>;

    /// Returns the result of the last scan.
    fn catalog(&self) -> Catalog;

    /// Loads an engine that can play this variant with the seat's options.
    fn load_player(
        &self,
        seat: &EngineSeat,
        unit: Unit,
        start: &StartPosition,
    ) -> ApiResult<EnginePlayer>;

    /// Loads the engine that a record names, to resume its bout.
    fn load_recorded(&self, record: &EngineRecord, unit: Unit) -> ApiResult<Arc<dyn EngineSource>>;

    /// Returns whether the operator trusts the module with this SHA-256.
    fn is_trusted(&self, sha256: &str) -> bool;

    /// Marks the module of this engine as trusted by the operator.
    fn trust(&self, id: &str) -> ApiResult<()>;

    /// Returns the engine's own description.
    fn describe(&self, entry: &Entry) -> ApiResult<Description>;

    /// Checks that this machine can measure the budget. Err: it cannot count that unit.
    fn check_budget(&self, budget: &Budget) -> ApiResult<()>;
}
