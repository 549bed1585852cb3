//! Where instances of a program come from: each is a process of its own, made of the sealed copy.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Description, OptionSpec};

use super::Speech;
use super::instance::{Facts, ProcessInstance};
use crate::engine::{
    Assets, Caps, Confinement, Deaf, Engine, EngineSource, Fault, FaultCode, Listener,
};
use crate::jail::files::{sealed, sealed_program};
use crate::jail::{Layer, Order, PROGRAM_FOLDER, Program, Role};
use crate::worker::Workers;

/// A program each instance of which is a process.
pub struct ProcessSource {
    workers: Arc<Workers>,
    program: Program,
    files: Vec<File>,
    speech: Arc<Speech>,
    options: Arc<[OptionSpec]>,
    caps: Caps,
    confinement: Confinement,
}

impl ProcessSource {
    /// The program with these bytes, which finds its assets in its folder. Err: this machine has
    /// no jail that is good enough for programs, or nothing can be handed over.
    pub fn new(
        workers: &Arc<Workers>,
        program: &[u8],
        description: &Description,
        speech: &Speech,
        caps: Caps,
        assets: &Assets,
    ) -> Result<Self, Fault> {
        let layers = workers.jail()?.layers();
        let unfit = |why: String| {
            let sentence = format!("is a program, and has no jail for that here: {why}");
            Err(Fault::new(FaultCode::Load, sentence))
        };
        if let Err(why) = layers.keep_programs() {
            return unfit(why);
        }
        if assets.held().next().is_some() && !layers.has(Layer::MountNamespace) {
            return unfit(
                "its files need mount-namespace, which this machine does not give".into(),
            );
        }
        let lost = |error: io::Error| {
            Fault::new(FaultCode::Host, format!("cannot be handed to its process: {error}"))
        };
        let (mut shown, mut files) = (Vec::new(), vec![sealed_program(program).map_err(lost)?]);
        for (name, bytes) in assets.held() {
            shown.push(speech.place_of(name));
            files.push(sealed("asset", bytes).map_err(lost)?);
        }
        let (name, arguments) = (description.id.clone(), speech.arguments.clone());
        Ok(Self {
            workers: workers.clone(),
            program: Program { name, arguments, shown },
            files,
            speech: Arc::new(speech.clone()),
            options: description.options.clone().into(),
            caps,
            confinement: workers.confinement()?,
        })
    }
}

impl ProcessSource {
    /// What the program says that it is, in our own protocol. It runs for that, in its jail.
    pub fn describe(&self) -> Result<Description, Fault> {
        self.instance(Arc::new(Deaf))?.describe()
    }

    fn instance(&self, listener: Arc<dyn Listener>) -> Result<ProcessInstance, Fault> {
        let files = self.files.iter().map(File::try_clone).collect::<io::Result<_>>();
        let files = files.map_err(|error| {
            Fault::new(FaultCode::Host, format!("cannot be handed to its process: {error}"))
        })?;
        let order = Order {
            role: Role::Program,
            memory_bytes: self.caps.memory_bytes,
            cpu_s: None,
            file_bytes: 0,
            files,
            program: Some(self.program.clone()),
        };
        let inmate = self.workers.spawn(order)?;
        let facts = Facts {
            speech: self.speech.clone(),
            options: self.options.clone(),
            has_files: self
                .program
                .shown
                .iter()
                .any(|at| Path::new(at).starts_with(PROGRAM_FOLDER)),
        };
        ProcessInstance::new(inmate, facts, self.caps, listener)
    }
}

impl EngineSource for ProcessSource {
    fn open_for(
        &self,
        listener: Arc<dyn Listener>,
        _threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        Ok(Box::new(self.instance(listener)?))
    }

    fn confinement(&self) -> Option<Confinement> {
        Some(self.confinement.clone())
    }
}
