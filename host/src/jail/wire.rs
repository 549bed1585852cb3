//! What host, zygote and init say to each other: one JSON value a packet, and the
//! descriptors that go with it. Nothing of an engine passes here.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Layer, LayerState, Program, Role};

/// The kernel hands over no more descriptors in one packet (`SCM_MAX_FD`).
const MAX_DESCRIPTORS: usize = 253;
/// Those that every request brings: channel, stops, status.
pub const OWN_DESCRIPTORS: usize = 3;
/// The most files of an order.
pub const MAX_FILES: usize = MAX_DESCRIPTORS - OWN_DESCRIPTORS;
/// The longest packet: an end with its output, and any request that a manifest can make.
const PACKET_BYTES: usize = 128 << 10;

/// From a host to its zygote, with channel, stops, status and the files of the order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub role: Role,
    pub memory_bytes: u64,
    pub cpu_s: Option<u64>,
    pub file_bytes: u64,
    /// The inmate tries what the jail forbids, instead of serving.
    pub probe: bool,
    /// What it becomes, instead of serving.
    pub program: Option<Program>,
}

/// From a zygote to its host.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromZygote {
    /// The first: what it found that it can do.
    Ready(Vec<LayerState>),
    /// The first and last: nobody can be jailed.
    Hopeless(String),
    /// An init is on its way; its pidfd comes along.
    Forked,
    /// None is.
    Refused(String),
}

/// On the status channel of one inmate.
#[derive(Debug, Serialize, Deserialize)]
pub enum Status {
    /// By the process to be jailed, with its pidfd.
    Born,
    /// By the same: it is jailed, and serves from now on.
    Jailed,
    /// By init or the process: it could not be confined.
    Failed(String),
    /// By init: it is over.
    Ended(Ended),
}

/// How it ended, as its init saw it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ended {
    pub how: Over,
    pub cpu_us: u64,
    pub peak_memory_bytes: u64,
    pub output_bytes: u64,
    /// The last of it, as text as far as it is one.
    pub output: String,
}

/// Code or signal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Over {
    Exited(i32),
    Signal(i32),
}

/// The words of the layers to do without, as arguments.
pub fn without_arguments(without: &[Layer]) -> Vec<&'static str> {
    without.iter().flat_map(|layer| ["--without", layer.word()]).collect()
}

/// A packet that came.
pub struct Packet<T> {
    pub message: T,
    pub descriptors: Vec<OwnedFd>,
    /// The sender, as this process sees it; only where credentials are asked for.
    pub pid: Option<u32>,
}

/// Err: nothing was sent.
pub fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    descriptors: &[BorrowedFd],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    if bytes.len() > PACKET_BYTES {
        let count = bytes.len();
        let sentence = format!("{count} bytes in one packet; {PACKET_BYTES} is the most");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !along.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(&bytes)], &mut along, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// As [`send`], by a call that a jailed process may make.
pub fn send_plain(socket: impl AsFd, message: &impl Serialize) -> io::Result<()> {
    rustix::net::send(socket, &serde_json::to_vec(message)?, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Whether the other end is still there after an error of [`send`].
pub fn can_send_others(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, NotConnected};
    !matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected)
}

/// Whether what came, and is gone, was merely not understood: the next packet is another one.
pub fn can_receive_others(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// None: the other end is closed. See [`can_receive_others`].
pub fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<Packet<T>>> {
    let mut bytes = vec![0; PACKET_BYTES];
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS), ScmCredentials(1))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        match recvmsg(&socket, &mut slices, &mut along, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => (),
            Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            other => break other?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(unread("a packet came in part"));
    }
    let (mut descriptors, mut pid) = (Vec::new(), None);
    for came in along.drain() {
        match came {
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
