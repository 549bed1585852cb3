//! The table of misbehaviours: words and what they ask for. What each does is
//! in the engine.

/// Every misbehaviour, by the word that asks for it.
pub const FAULTS: &[(&str, Fault)] = &[
    ("none", Fault::None),
    ("ask", Fault::Ask),
    ("panic", Fault::Panic),
    ("panic-in-played", Fault::PanicInPlayed),
    ("panic-in-start", Fault::PanicInStart),
    ("loop", Fault::Loop),
    ("loop-in-start", Fault::LoopInStart),
    ("loop-in-played", Fault::LoopInPlayed),
    ("report-then-loop", Fault::ReportThenLoop),
    ("report-illegal-then-loop", Fault::ReportIllegalThenLoop),
    ("late", Fault::Late),
    ("sleep", Fault::Sleep),
    ("stack", Fault::Stack),
    ("memory", Fault::Memory),
    ("error", Fault::Error),
    ("refuse-start", Fault::RefuseStart),
    ("occupied", Fault::Occupied),
    ("occupied-once", Fault::OccupiedOnce),
    ("nonsense", Fault::Nonsense),
    ("huge-move", Fault::HugeMove),
    ("huge-line", Fault::HugeLine),
    ("huge-log", Fault::HugeLog),
    ("log-flood", Fault::LogFlood),
    ("report-flood", Fault::ReportFlood),
    ("resign", Fault::Resign),
    ("offer-draw", Fault::OfferDraw),
    ("accept-draw", Fault::AcceptDraw),
    ("deaf", Fault::Deaf),
    ("ignore-clock", Fault::IgnoreClock),
    ("ignore-depth", Fault::IgnoreDepth),
    ("ignore-barred", Fault::IgnoreBarred),
    ("ignore-undo", Fault::IgnoreUndo),
    ("forget-seed", Fault::ForgetSeed),
    ("disturbed", Fault::Disturbed),
    ("leak", Fault::Leak),
    ("illegal-line", Fault::IllegalLine),
    ("other-line", Fault::OtherLine),
    ("accept-nonsense", Fault::AcceptNonsense),
    ("panic-on-nonsense", Fault::PanicOnNonsense),
    ("confer", Fault::Confer),
    ("panic-as-helper", Fault::PanicAsHelper),
    ("loop-as-helper", Fault::LoopAsHelper),
    ("flood-as-helper", Fault::FloodAsHelper),
    ("refuse-as-helper", Fault::RefuseAsHelper),
    ("toil-as-helper", Fault::ToilAsHelper),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Nothing wrong: asks the host all it can and logs the answers.
    Ask,
    Panic,
    PanicInPlayed,
    PanicInStart,
    Loop,
    LoopInStart,
    LoopInPlayed,
    ReportThenLoop,
    ReportIllegalThenLoop,
    Late,
    /// Never comes back, and uses no time of the processor where it can help it.
    Sleep,
    Stack,
    Memory,
    Error,
    RefuseStart,
    Occupied,
    OccupiedOnce,
    Nonsense,
    HugeMove,
    HugeLine,
    HugeLog,
    LogFlood,
    ReportFlood,
    Resign,
    OfferDraw,
    AcceptDraw,
    /// Without a limit it never stops, whatever `left()` says.
    Deaf,
    /// Knows limits per move, and no clock of the game.
    IgnoreClock,
    /// Without a limit of time it thinks on, whatever depth and nodes are allowed.
    IgnoreDepth,
    IgnoreBarred,
    IgnoreUndo,
    /// Draws from a number that all instances of a process share.
    ForgetSeed,
    /// Plays otherwise while another instance is there.
    Disturbed,
    Leak,
    /// Reports a line of which only the first move is legal.
    IllegalLine,
    /// Reports another move than it plays.
    OtherLine,
    /// Starts its own usual game when it does not understand the one asked for.
    AcceptNonsense,
    PanicOnNonsense,
    /// Nothing wrong: helpers say by table and cells that they are there, and it logs who was.
    Confer,
    /// As the others, but only where it helps: in `think`, or in `start`.
    PanicAsHelper,
    LoopAsHelper,
    FloodAsHelper,
    RefuseAsHelper,
    /// Does so much and no more, whoever tells it to stop.
    ToilAsHelper,
}
