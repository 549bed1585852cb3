//! RenLib's `.lib`: a tree of openings on a board of 15, two bytes per node. Follows RenLib's own
//! reader (Frank Arkbo, github.com/gomoku/RenLib: LibraryFile.cpp, MoveNode.cpp, RenLibDoc.cpp) and
//! Rapfi's (dbutils.cpp). Reads without recursion: a node tells whether a child follows (bit 0x40
//! is clear) and whether a sibling follows later (bit 0x80). So only the depths of pending siblings
//! are stored.

use super::{text_of, tree_full};
use crate::formats::{FormatError, GameTree, Location, LocationUnit, decode};
use crate::info::Variant;

const MAGIC: &[u8] = b"\xffRenLib\xff";
const HEADER_BYTES: usize = 20;
/// Newest supported version, major and minor.
const NEWEST_VERSION: (u8, u8) = (3, 4);
/// Files without a header start with this byte: the centre as the first move.
const CENTRE: u8 = 0x78;
const SIZE: u8 = 15;

const EXTENSION: u8 = 0x01;
const COMMENT: u8 = 0x08;
const OLD_COMMENT: u8 = 0x20;
const NO_CHILD: u8 = 0x40;
const SIBLING: u8 = 0x80;
/// Flag in the second byte of an extension.
const BOARD_TEXT: u8 = 0x01;
/// Separates the first line of a comment from the rest.
const FIRST_LINE_END: char = '\u{8}';

/// Reads the tree of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let mut tree = GameTree::new(LocationUnit::Bytes);
    tree.size = Some(SIZE);
    let mut reader = Reader { bytes, at: nodes_begin(bytes)? };
    // Depths at which a sibling is pending, deepest last.
    let mut open: Vec<u16> = Vec::new();
    let mut depth = 1;
    let mut first = true;
    loop {
        let at = reader.at;
        let node = reader.node(if first { "a first node" } else { "another node" })?;
        let is_root = std::mem::take(&mut first) && node.point == 0;
        if !is_root {
            let mv = node.mv(at)?;
            tree.add(depth, &mv, at).map_err(tree_full(Location::Byte(at)))?;
        }
        reader.texts(&node, &mut tree)?;
        if is_root {
            // The sibling flag of a root is ignored.
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

/// The offset of the first node.
fn nodes_begin(bytes: &[u8]) -> Result<usize, FormatError> {
    if bytes.first() == Some(&CENTRE) {
        return Ok(0);
    }
    if !bytes.starts_with(MAGIC) {
        return Err(wrong(0, "not a RenLib library: its signature is missing"));
    }
    let version = bytes.get(8).zip(bytes.get(9)).filter(|_| bytes.len() >= HEADER_BYTES);
    let Some((&major, &minor)) = version else {
        return Err(wrong(bytes.len(), "the file ends inside its 20-byte header"));
    };
    match (major, minor) > NEWEST_VERSION {
        true => {
            Err(wrong(8, format!("version {major}.{minor} is not supported; the newest is 3.4")))
        }
        false => Ok(HEADER_BYTES),
    }
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Location::Byte(at), reason)
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

    /// The low half of the byte is the column from 1, the high half the row from the top, from 0. A
    /// zero byte is a pass.
    fn mv(&self, at: usize) -> Result<String, FormatError> {
        if self.point == 0 {
            return Ok("pass".to_owned());
        }
        let column = u64::from(self.point & 0x0f).checked_sub(1);
        let row = u64::from(self.point >> 4);
        let text = column.and_then(|column| text_of(column, row, SIZE));
        text.ok_or_else(|| {
            wrong(at, format!("0x{:02x} is not a point of a board of 15", self.point))
        })
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
            _ => Err(wrong(self.bytes.len(), format!("the file ends before {what}"))),
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

    /// Reads the texts of a node, in file order.
    fn texts(&mut self, node: &Node, tree: &mut GameTree) -> Result<(), FormatError> {
        let at = self.at;
        if node.flags & OLD_COMMENT != 0 {
            let text = self.old_text()?;
            tree.add_comment(&text).map_err(tree_full(Location::Byte(at)))?;
        }
        if node.flags & COMMENT != 0 {
            let text = self.text("the end of a comment")?;
            tree.add_comment(&text).map_err(tree_full(Location::Byte(at)))?;
        }
        if node.board_text {
            let text = self.text("the end of a board text")?;
            tree.set_label(&text.replace('\n', " ")).map_err(tree_full(Location::Byte(at)))?;
        }
        Ok(())
    }

    /// Reads a text in pairs of bytes, up to a pair that contains a zero.
    fn text(&mut self, what: &str) -> Result<String, FormatError> {
        let begin = self.at;
        let length = loop {
            match self.pair(what)? {
                [0, _] => break self.at - 2 - begin,
                [_, 0] => break self.at - 1 - begin,
                _ => (),
            }
        };
        Ok(clean(&decode(&self.bytes[begin..begin + length])))
    }

    /// Reads a comment of early versions: seven bits per byte; the eighth bit marks the last pair.
    fn old_text(&mut self) -> Result<String, FormatError> {
        let mut bytes = Vec::new();
        loop {
            let pair = self.pair("the end of a comment")?;
            bytes.extend(pair.map(|byte| byte & 0x7f));
            if pair.iter().any(|byte| byte & 0x80 != 0) {
                return Ok(clean(&decode(&bytes)));
            }
        }
    }

    /// Checks that nothing follows a complete tree.
    fn end(&self) -> Result<(), FormatError> {
        match self.bytes.len().saturating_sub(self.at) {
            0 => Ok(()),
            left => Err(wrong(self.at, format!("{left} bytes follow the end of the tree"))),
        }
    }
}

/// A text with LF line ends and no other control characters.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', FIRST_LINE_END], "\n");
    let text: String = text.chars().filter(|&c| c == '\n' || !c.is_control()).collect();
    text.trim().to_owned()
}
