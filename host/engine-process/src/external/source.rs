//! Makes instances of an external engine: each is a process of its own that runs the sealed copy of
//! the program.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Description, OptionSpec};

use super::external_engine::{ExternalEngine, ProgramInfo};
use super::identity::ProgramIdentity;
use crate::EngineProcesses;
use sandboard_common::jail_paths::PROGRAM_FOLDER;
use sandboard_engine::{
    Caps, Confinement, Engine, EngineSource, Fault, FaultCode, Listener, NullListener, Resources,
};
use sandboard_games::Games;
use sandboard_jail::files::{sealed_file, sealed_program};
use sandboard_jail::{Layer, Program, Role, SpawnRequest};
use sandboard_protocols::ProtocolConfig;

/// A source of engines that runs a program in a new process for each instance.
pub struct ExternalSource {
    processes: Arc<EngineProcesses>,
    program: Program,
    files: Vec<File>,
    config: Arc<ProtocolConfig>,
    options: Arc<[OptionSpec]>,
    games: Games,
    caps: Caps,
    confinement: Confinement,
}

impl ExternalSource {
    /// A source for the program with these bytes, which finds its assets in its folder. Err: this
    /// machine's jail is not good enough for programs, or no file can be made.
    pub fn new(
        processes: &Arc<EngineProcesses>,
        program: &[u8],
        description: &Description,
        config: &ProtocolConfig,
        caps: Caps,
        resources: &Resources,
    ) -> Result<Self, Fault> {
        let layers = processes.jail()?.layers();
        let jail_fault = |why: String| {
            let sentence = format!("is an external engine, which this machine cannot jail: {why}");
            Err(Fault::new(FaultCode::Load, sentence))
        };
        if let Err(why) = layers.meets_program_minimum() {
            return jail_fault(why);
        }
        if resources.assets.in_memory().next().is_some() && !layers.has(Layer::MountNamespace) {
            return jail_fault(
                "its files need mount-namespace, which this machine does not offer".into(),
            );
        }
        let file_fault = |error: io::Error| {
            Fault::new(FaultCode::Host, format!("cannot be passed to its process: {error}"))
        };
        let (mut file_paths, mut files) =
            (Vec::new(), vec![sealed_program(program).map_err(file_fault)?]);
        for (name, bytes) in resources.assets.in_memory() {
            file_paths.push(config.asset_path(name));
            files.push(sealed_file("asset", bytes).map_err(file_fault)?);
        }
        let (name, arguments) = (description.id.clone(), config.arguments.clone());
        Ok(Self {
            processes: processes.clone(),
            program: Program { name, arguments, file_paths },
            files,
            config: Arc::new(config.clone()),
            options: description.options.clone().into(),
            games: resources.games.clone(),
            caps,
            confinement: processes.confinement()?,
        })
    }
}

impl ExternalSource {
    /// The program's description of itself, in the Sandboard protocol. Runs the program in its
    /// jail.
    pub fn describe(&self) -> Result<Description, Fault> {
        self.instance(Arc::new(NullListener))?.describe()
    }

    /// What the program says about itself in its protocol: its name and its options. Runs the
    /// program in its jail.
    pub fn identify(&self) -> Result<ProgramIdentity, Fault> {
        self.instance(Arc::new(NullListener))?.identify()
    }

    fn instance(&self, listener: Arc<dyn Listener>) -> Result<ExternalEngine, Fault> {
        let files = self.files.iter().map(File::try_clone).collect::<io::Result<_>>();
        let files = files.map_err(|error| {
            Fault::new(FaultCode::Host, format!("cannot be passed to its process: {error}"))
        })?;
        let request = SpawnRequest {
            role: Role::Program,
            memory_bytes: self.caps.memory_bytes,
            cpu_s: None,
            file_bytes: 0,
            files,
            program: Some(self.program.clone()),
        };
        let process = self.processes.spawn(request)?;
        let info = ProgramInfo {
            config: self.config.clone(),
            options: self.options.clone(),
            games: self.games.clone(),
            has_files: self
                .program
                .file_paths
                .iter()
                .any(|at| Path::new(at).starts_with(PROGRAM_FOLDER)),
        };
        ExternalEngine::new(process, info, self.caps, listener)
    }
}

impl EngineSource for ExternalSource {
    fn open(&self, listener: Arc<dyn Listener>, _threads: u16) -> Result<Box<dyn Engine>, Fault> {
        Ok(Box::new(self.instance(listener)?))
    }

    fn confinement(&self) -> Option<Confinement> {
        Some(self.confinement.clone())
    }
}
