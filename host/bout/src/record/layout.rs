//! The line breaks in a record's JSON: one line for each field, player, ply, event and log text, so
//! that people and version control can read it.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Breaks lines between the elements of the record's lists, but not within them.
#[derive(Default)]
pub(super) struct Layout {
    depth: usize,
    filled: bool,
}

/// Depth 1 is the record itself; the elements of its lists begin at depth 2.
const BROKEN_DEPTH: usize = 2;

impl Layout {
    fn open(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn close(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let broken = self.filled && self.depth <= BROKEN_DEPTH;
        self.depth = self.depth.saturating_sub(1);
        if broken {
            self.indent(out)?;
        }
        self.filled = true;
        out.write_all(bracket)
    }

    fn item(&mut self, out: &mut (impl Write + ?Sized), first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        match self.depth {
            ..=BROKEN_DEPTH => self.indent(out),
            _ if first => Ok(()),
            _ => out.write_all(b" "),
        }
    }

    fn indent(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}
