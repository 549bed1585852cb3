//! RenLib's `.lib`: a tree of openings on a board of 15, two bytes a node. As
//! RenLib reads it itself (Frank Arkbo, github.com/gomoku/RenLib: LibraryFile.cpp,
//! MoveNode.cpp, RenLibDoc.cpp) and Rapfi does (dbutils.cpp). Read without
//! recursion: a node says whether one below it follows (bit 0x40 is off) and whether
//! a sibling follows later (bit 0x80), so that all that is kept of what is still
//! to come are depths.

use super::{full, text_of};
use crate::formats::{FormatError, GameTree, Place, Unit, decoded};
use crate::info::Variant;

const MAGIC: &[u8] = b"\xffRenLib\xff";
const HEADER_BYTES: usize = 20;
/// The newest version that is known, major and minor.
const NEWEST: (u8, u8) = (3, 4);
/// What files without a header begin with: the centre, the first move in them.
const CENTRE: u8 = 0x78;
const SIZE: u8 = 15;

const EXTENSION: u8 = 0x01;
const COMMENT: u8 = 0x08;
const OLD_COMMENT: u8 = 0x20;
const NO_CHILD: u8 = 0x40;
const SIBLING: u8 = 0x80;
/// In the second byte of an extension.
const BOARD_TEXT: u8 = 0x01;
/// Parts the one line of a comment from the others.
const PARTED: char = '\u{8}';

/// Reads the one tree of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut tree = GameTree::new(Unit::Bytes);
    tree.size = Some(SIZE);
    let mut reader = Reader { bytes, at: nodes_begin(bytes)? };
    // The depths at which a sibling is still to come, deepest last.
    let mut open: Vec<u16> = Vec::new();
    let mut depth = 1;
    let mut first = true;
    loop {
        let at = reader.at;
        let node = reader.node(if first { "a first node" } else { "another node" })?;
        let is_root = std::mem::take(&mut first) && node.point == 0;
        if !is_root {
            let mv = node.mv(at)?;
            tree.add(depth, &mv, at).map_err(full(Place::Byte(at)))?;
        }
        reader.texts(&node, &mut tree)?;
        if is_root {
            // What is beside a root has no meaning.
            match node.has_child() {
                true => continue,
                false => break,
            }
        }
        if node.flags & SIBLING != 0 {
            open.push(depth as u16);
        }
        if node.has_child() {
            depth += 1;
        } else if let Some(sibling) = open.pop() {
            depth = sibling.into();
        } else {
            break;
        }
    }
    reader.end()?;
    Ok(vec![tree])
}

/// Where the nodes begin.
fn nodes_begin(bytes: &[u8]) -> Result<usize, FormatError> {
    if bytes.first() == Some(&CENTRE) {
        return Ok(0);
    }
    if !bytes.starts_with(MAGIC) {
        return Err(wrong(0, "it does not begin with RenLib's mark: this is no library of RenLib"));
    }
    let version = bytes.get(8).zip(bytes.get(9)).filter(|_| bytes.len() >= HEADER_BYTES);
    let Some((&major, &minor)) = version else {
        return Err(wrong(bytes.len(), "the file ends within its header of 20 bytes"));
    };
    match (major, minor) > NEWEST {
        true => Err(wrong(8, format!("it is of version {major}.{minor}; 3.4 is the newest known"))),
        false => Ok(HEADER_BYTES),
    }
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Place::Byte(at), reason)
}

struct Node {
    point: u8,
    flags: u8,
    board_text: bool,
}

impl Node {
    fn has_child(&self) -> bool {
        self.flags & NO_CHILD == 0
    }

    /// The low half of the byte is the column from 1, the high half the row from the
    /// top and from 0; nothing at all is a pass.
    fn mv(&self, at: usize) -> Result<String, FormatError> {
        if self.point == 0 {
            return Ok("pass".to_owned());
        }
        let column = u64::from(self.point & 0x0f).checked_sub(1);
        let row = u64::from(self.point >> 4);
        let text = column.and_then(|column| text_of(column, row, SIZE));
        text.ok_or_else(|| wrong(at, format!("0x{:02x} is no point of a board of 15", self.point)))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn pair(&mut self, what: &str) -> Result<[u8; 2], FormatError> {
        match self.bytes[self.at.min(self.bytes.len())..] {
            [a, b, ..] => {
                self.at += 2;
                Ok([a, b])
            }
            _ => Err(wrong(self.bytes.len(), format!("the file ends where {what} should follow"))),
        }
    }

    fn node(&mut self, what: &str) -> Result<Node, FormatError> {
        let [point, flags] = self.pair(what)?;
        let mut board_text = false;
        if flags & EXTENSION != 0 {
            let [_, more] = self.pair("the extension of a node")?;
            board_text = more & BOARD_TEXT != 0;
        }
        Ok(Node { point, flags, board_text })
    }

    /// The texts of a node, in the order in which they stand.
    fn texts(&mut self, node: &Node, tree: &mut GameTree) -> Result<(), FormatError> {
        let at = self.at;
        if node.flags & OLD_COMMENT != 0 {
            let text = self.old_text()?;
            tree.add_comment(&text).map_err(full(Place::Byte(at)))?;
        }
        if node.flags & COMMENT != 0 {
            let text = self.text("the end of a comment")?;
            tree.add_comment(&text).map_err(full(Place::Byte(at)))?;
        }
        if node.board_text {
            let text = self.text("the end of a board text")?;
            tree.set_label(&text.replace('\n', " ")).map_err(full(Place::Byte(at)))?;
        }
        Ok(())
    }

    /// A text by pairs of bytes, up to one with a zero in it.
    fn text(&mut self, what: &str) -> Result<String, FormatError> {
        let begin = self.at;
        let length = loop {
            match self.pair(what)? {
                [0, _] => break self.at - 2 - begin,
                [_, 0] => break self.at - 1 - begin,
                _ => (),
            }
        };
        Ok(clean(&decoded(&self.bytes[begin..begin + length])))
    }

    /// The text of an early version: seven bits, the eighth marks its last pair.
    fn old_text(&mut self) -> Result<String, FormatError> {
        let mut bytes = Vec::new();
        loop {
            let pair = self.pair("the end of a comment")?;
            bytes.extend(pair.map(|byte| byte & 0x7f));
            if pair.iter().any(|byte| byte & 0x80 != 0) {
                return Ok(clean(&decoded(&bytes)));
            }
        }
    }

    /// Nothing follows on a tree that is whole.
    fn end(&self) -> Result<(), FormatError> {
        match self.bytes.len().saturating_sub(self.at) {
            0 => Ok(()),
            left => Err(wrong(self.at, format!("the tree is whole, and {left} bytes follow"))),
        }
    }
}

/// A text in lines, without other signs that cannot be seen.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', PARTED], "\n");
    let text: String = text.chars().filter(|&c| c == '\n' || !c.is_control()).collect();
    text.trim().to_owned()
}
