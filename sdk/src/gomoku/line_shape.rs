//! What one more stone of a colour makes on a line, for all points of the line at once. Each bit of
//! a word is a point, or a window of five by its first point. Looks at single lines only.

/// The points of a line on which a stone of a colour makes a threat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineShape {
    /// Points that make a five, which wins.
    pub(super) five: u32,
    /// Points that make two fives possible in this line: a straight four (open at both ends) or two
    /// fours.
    pub(super) double: u32,
    /// Points that make a four, at least one five possible. Contains those of `double`.
    pub(super) four: u32,
    /// Points that make an open three: a point of `double` comes next.
    pub(super) three: u32,
}

/// A line from one colour's point of view.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineView {
    own: u32,
    empty: u32,
    /// Windows without opponent's stones and inside the board, in which five stones would win.
    open: u32,
    /// The number of own stones in each window, one word for each of its three bits.
    counts: [u32; 3],
}

impl LineView {
    #[inline]
    pub(super) fn new(own: u32, other: u32, length: u32, overline_wins: bool) -> LineView {
        let blocked = other | !((1 << length) - 1);
        let two = blocked | blocked >> 1;
        let mut open = !(two | two >> 2 | blocked >> 4);
        if !overline_wins {
            // The points next to the window must not have own stones.
            open &= !(own << 1 | own >> 5);
        }
        LineView { own, empty: !(own | blocked), open, counts: counts(own) }
    }

    /// Open windows with exactly this many own stones, 2 to 4.
    #[inline]
    fn with(&self, stones: u32) -> u32 {
        let [ones, twos, fours] = self.counts;
        self.open
            & match stones {
                4 => fours & !ones,
                3 => ones & twos,
                _ => twos & !ones,
            }
    }

    #[inline]
    pub(super) fn shape(&self) -> LineShape {
        let mut shape = LineShape::default();
        if self.own & self.own.wrapping_sub(1) == 0 {
            // Fewer than two stones make no threat.
            return shape;
        }
        shape.five = self.five();
        (shape.four, shape.double) = self.fours();
        // Six points, empty at both ends, with two stones and two gaps between them: once the gaps
        // are filled, both ends make a five.
        let six = self.open & self.open >> 1 & self.empty & self.empty >> 5;
        let middle = (six & self.with(2)) << 1;
        shape.three = (middle | middle << 1 | middle << 2 | middle << 3) & self.empty;
        shape
    }

    /// Points that fill the gap in a window with four stones.
    #[inline]
    pub(super) fn five(&self) -> u32 {
        let windows = self.with(4);
        let two = windows | windows << 1;
        (two | two << 2 | windows << 4) & self.empty
    }

    /// Points in a window with three stones: a stone there makes a five possible on the window's
    /// other gap. Points with at least two such partners make a double.
    #[inline]
    fn fours(&self) -> (u32, u32) {
        let windows = self.with(3);
        // By distance between the two gaps: the positions of the lower gap.
        let one = windows | windows << 1;
        let spread = [one | one << 2, one | windows << 2, one, windows];
        let (mut any, mut more) = (0, 0);
        for (distance, lower) in (1..).zip(spread) {
            let lower = lower & self.empty & self.empty >> distance;
            for gap in [lower, lower << distance] {
                more |= any & gap;
                any |= gap;
            }
        }
        (any, more)
    }
}

/// Counts the five bits of each window, for all windows at once.
#[inline]
fn counts(own: u32) -> [u32; 3] {
    let add = |a: u32, b: u32, c: u32| (a ^ b ^ c, a & b | (a ^ b) & c);
    let (ones, carry) = add(own, own >> 1, own >> 2);
    let (ones, carry2) = add(ones, own >> 3, own >> 4);
    [ones, carry ^ carry2, carry & carry2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line as text, `x` own, `o` other, and the points of each kind as `^`.
    #[track_caller]
    fn check(overline_wins: bool, line: &str, five: &str, double: &str, four: &str, three: &str) {
        let word = |text: &str, wanted: char| {
            (0..).zip(text.chars()).map(|(bit, c)| u32::from(c == wanted) << bit).sum::<u32>()
        };
        let (own, other) = (word(line, 'x'), word(line, 'o'));
        let shape = LineView::new(own, other, line.len() as u32, overline_wins).shape();
        let show = |bits: u32| -> String {
            (0..line.len()).map(|bit| if bits >> bit & 1 == 1 { '^' } else { '.' }).collect()
        };
        let found = [shape.five, shape.double, shape.four, shape.three].map(show);
        assert_eq!(found, [five, double, four, three], "five, double, four, three of {line}");
    }

    #[test]
    fn points_that_make_a_five() {
        check(true, ".xxxx..", "^....^.", ".......", ".....^^", ".......");
        check(true, "oxxxx.o", ".....^.", ".......", ".......", ".......");
        check(true, "xx.xx", "..^..", ".....", ".....", ".....");
        check(true, "xx.xo", ".....", ".....", ".....", ".....");
        check(true, "xxxo.", ".....", ".....", ".....", ".....");
    }

    #[test]
    fn an_overline_wins_or_has_no_effect() {
        check(true, "xx.xxx.", "..^....", ".......", "..^...^", ".......");
        check(false, "xx.xxx.", ".......", ".......", ".......", ".......");
        check(false, "x.xxxx.", "......^", ".......", ".......", ".......");
        check(false, "xxx.x.x", "...^...", ".......", ".......", ".......");
    }

    #[test]
    fn doubles_and_fours() {
        // An open three; one end closer to the edge; closed at one end.
        check(true, "..xxx..", ".......", ".^...^.", "^^...^^", ".......");
        check(true, ".xxx..", "......", "....^.", "^...^^", "......");
        check(true, "oxxx...", ".......", ".......", "....^^.", ".......");
        check(true, "oxxx..", "......", "......", "....^^", "......");
        check(true, ".x.xx.", "......", "..^...", "^.^..^", "......");
        // Two fours in one line.
        check(true, "x.x.x.x", ".......", "...^...", ".^.^.^.", ".......");
        check(true, "xx...xx", ".......", ".......", ".......", ".......");
        check(true, "xx.x...xx", ".........", ".........", "..^.^....", ".........");
        check(true, "x.xx....", "........", "........", ".^..^...", "....^^..");
    }

    #[test]
    fn threes_need_room_on_both_sides() {
        check(true, "...xx...", "........", "........", "........", ".^^..^^.");
        check(true, "oxx....", ".......", ".......", ".......", ".......");
        check(true, "o.xx..", "......", "......", "......", "......");
        check(true, "o.xx...", ".......", ".......", ".......", "....^^.");
        check(true, "..x..x..", "........", "........", "........", "...^^...");
        check(true, "x.....x", ".......", ".......", ".......", ".......");
    }

    #[test]
    fn counts_equal_the_stones_in_each_window() {
        for own in 0..1u32 << 10 {
            let [ones, twos, fours] = counts(own);
            for first in 0..10 {
                let bit = |word: u32| word >> first & 1;
                let count = bit(ones) + 2 * bit(twos) + 4 * bit(fours);
                assert_eq!(count, (own >> first & 31).count_ones());
            }
        }
    }
}
