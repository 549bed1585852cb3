//! The messages between host, zygote and init: one JSON value in each packet, with its descriptors.
//! They contain nothing about engines.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Layer, LayerState, Program, Role};

/// The most descriptors in one packet (`SCM_MAX_FD` of the kernel).
const DESCRIPTORS_MAX: usize = 253;
/// The descriptors that come with every request: channel, stop channel, status.
const CHANNEL_COUNT: usize = 3;
/// The most files in one request. One more descriptor may be that of a cgroup.
pub(crate) const FILES_MAX: usize = DESCRIPTORS_MAX - CHANNEL_COUNT - 1;
/// The largest packet, in bytes: a report with the end of the output, or the largest request that a
/// manifest can cause.
const PACKET_BYTES_MAX: usize = 128 << 10;

/// From the host to its zygote, with the channel, the stop channel, the status socket, what
/// [`CgroupEntry`] needs, and the files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ZygoteRequest {
    pub(crate) role: Role,
    pub(crate) memory_bytes: u64,
    pub(crate) cpu_s: Option<u64>,
    pub(crate) file_bytes: u64,
    /// Whether the process runs the probe instead of the server of engines.
    pub(crate) probe: bool,
    /// The program that it becomes, instead of running the server of engines.
    pub(crate) program: Option<Program>,
    /// The cgroup that limits its memory.
    pub(crate) cgroup: Option<CgroupEntry>,
}

/// How a process begins in its cgroup, with a descriptor that the host has opened.
///
/// Neither way makes the kernel stop all forks of the machine. Moving another process does, which
/// takes about 10 ms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CgroupEntry {
    pub(crate) version: CgroupVersion,
    /// The path of the descriptor, for errors.
    pub(crate) path: PathBuf,
}

/// The version of the kernel's interface of cgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CgroupVersion {
    /// Init moves itself, by the file `tasks`.
    V1,
    /// The zygote forks init into the folder of the cgroup.
    V2,
}

/// From the zygote to its host.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ZygoteReply {
    /// The first message: the state of each layer, and the address space of a process before it
    /// does anything, in bytes.
    Ready { states: Vec<LayerState>, baseline_address_bytes: u64 },
    /// The first and last message: nothing can be jailed, for this reason.
    Unavailable(String),
    /// The zygote has forked an init; its pidfd comes with the message.
    Forked,
    /// The zygote could not fork an init.
    Refused(String),
}

/// A message on the status socket of one jailed process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ChildStatus {
    /// Sent by the jailed process before it confines itself, with its pidfd.
    Started,
    /// Sent by the jailed process: it is confined and starts its work.
    Jailed,
    /// Sent by init or the jailed process: it could not be confined.
    Failed(String),
    /// Sent by init: the process has ended.
    Ended(InitReport),
}

/// The end of a jailed process, as init measured it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InitReport {
    pub(crate) cause: WaitStatus,
    pub(crate) cpu_us: u64,
    pub(crate) peak_memory_bytes: u64,
    pub(crate) output_bytes: u64,
    /// The end of the output, decoded as UTF-8 with replacement characters.
    pub(crate) output: String,
}

/// Exit code or signal, as `wait4` returned it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum WaitStatus {
    Exited(i32),
    Signal(i32),
}

/// The arguments of `sandboard zygote` that disable these layers.
pub(crate) fn without_arguments(without: &[Layer]) -> Vec<&'static str> {
    without.iter().flat_map(|layer| ["--without", layer.word()]).collect()
}

/// A received packet.
pub(crate) struct Packet<T> {
    pub(crate) message: T,
    pub(crate) descriptors: Vec<OwnedFd>,
    /// The process id of the sender. Present only if the socket passes credentials.
    pub(crate) pid: Option<u32>,
}

/// Sends a message with descriptors. Err: nothing was sent.
pub(crate) fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    descriptors: &[BorrowedFd],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    if bytes.len() > PACKET_BYTES_MAX {
        let count = bytes.len();
        let sentence =
            format!("{count} bytes in one packet; at most {PACKET_BYTES_MAX} are possible");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Like [`send`], with a system call that the filter allows to a jailed process.
pub(crate) fn send_without_descriptors(
    socket: impl AsFd,
    message: &impl Serialize,
) -> io::Result<()> {
    rustix::net::send(socket, &serde_json::to_vec(message)?, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Whether the other end is still open after this error of [`send`].
pub(crate) fn is_peer_open(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, NotConnected};
    !matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected)
}

/// Whether only this packet was malformed, so that the next one can be received.
pub(crate) fn is_malformed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// Receives a packet. None: the other end is closed. See [`is_malformed`] for errors.
pub(crate) fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<Packet<T>>> {
    let mut bytes = vec![0; PACKET_BYTES_MAX];
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX), ScmCredentials(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        match recvmsg(&socket, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => (),
            Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            other => break other?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(unread("a packet arrived incomplete"));
    }
    let (mut descriptors, mut pid) = (Vec::new(), None);
    for item in ancillary.drain() {
        match item {
            RecvAncillaryMessage::ScmRights(rights) => descriptors.extend(rights),
            RecvAncillaryMessage::ScmCredentials(sender) => {
                pid = u32::try_from(sender.pid.as_raw_pid()).ok();
            }
            _ => (),
        }
    }
    let message = serde_json::from_slice(&bytes[..received.bytes]).map_err(unread)?;
    Ok(Some(Packet { message, descriptors, pid }))
}

fn unread(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
