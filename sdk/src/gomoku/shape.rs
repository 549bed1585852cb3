//! What one more stone of a colour makes of a line, for all points of the line
//! at a time: each bit of a word is a point, or a window of five by its first
//! point. Sees one line and no further.

/// The points of a line where a stone of a colour makes something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// A five, which wins.
    pub(super) five: u32,
    /// Two ways to a five at once in this line: a straight four (open at both
    /// ends) or two fours.
    pub(super) double: u32,
    /// At least one way to a five: a four. Holds those of `double`.
    pub(super) four: u32,
    /// A point of `double`: an open three.
    pub(super) three: u32,
}

/// A line as one colour sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    own: u32,
    empty: u32,
    /// Windows with neither an opponent's stone nor the edge in them, which
    /// five stones would turn into a winning row.
    open: u32,
    /// How many stones are in each window, as three bits of a number.
    counts: [u32; 3],
}

impl View {
    #[inline]
    pub(super) fn new(own: u32, other: u32, length: u32, overline_wins: bool) -> View {
        let blocked = other | !((1 << length) - 1);
        let two = blocked | blocked >> 1;
        let mut open = !(two | two >> 2 | blocked >> 4);
        if !overline_wins {
            // The points just outside must not be of the same colour.
            open &= !(own << 1 | own >> 5);
        }
        View { own, empty: !(own | blocked), open, counts: counts(own) }
    }

    /// Open windows with exactly so many stones, 2 to 4.
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
    pub(super) fn shape(&self) -> Shape {
        let mut shape = Shape::default();
        if self.own & self.own.wrapping_sub(1) == 0 {
            // Less than two stones make nothing here.
            return shape;
        }
        shape.five = self.five();
        (shape.four, shape.double) = self.fours();
        // Six points, empty at both ends, two stones and two gaps between: when
        // the gaps are filled, both ends make a five.
        let six = self.open & self.open >> 1 & self.empty & self.empty >> 5;
        let middle = (six & self.with(2)) << 1;
        shape.three = (middle | middle << 1 | middle << 2 | middle << 3) & self.empty;
        shape
    }

    /// Points that fill the gap of a window with four stones.
    #[inline]
    pub(super) fn five(&self) -> u32 {
        let windows = self.with(4);
        let two = windows | windows << 1;
        (two | two << 2 | windows << 4) & self.empty
    }

    /// Points in a window with three stones: each makes its other gap a way to
    /// a five. Those with at least two such partners make a double.
    #[inline]
    fn fours(&self) -> (u32, u32) {
        let windows = self.with(3);
        // By distance between the two gaps: which windows can have the lower one.
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

/// Adds five bits for each window at a time.
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

    /// The line as text, `x` own, `o` other, and below it the points of a kind.
    #[track_caller]
    fn check(overline_wins: bool, line: &str, five: &str, double: &str, four: &str, three: &str) {
        let word = |text: &str, wanted: char| {
            (0..).zip(text.chars()).map(|(bit, c)| u32::from(c == wanted) << bit).sum::<u32>()
        };
        let (own, other) = (word(line, 'x'), word(line, 'o'));
        let shape = View::new(own, other, line.len() as u32, overline_wins).shape();
        let show = |bits: u32| -> String {
            (0..line.len()).map(|bit| if bits >> bit & 1 == 1 { '^' } else { '.' }).collect()
        };
        let found = [shape.five, shape.double, shape.four, shape.three].map(show);
        assert_eq!(found, [five, double, four, three], "five, double, four, three of {line}");
    }

    #[test]
    fn a_point_that_makes_a_five() {
        check(true, ".xxxx..", "^....^.", ".......", ".....^^", ".......");
        check(true, "oxxxx.o", ".....^.", ".......", ".......", ".......");
        check(true, "xx.xx", "..^..", ".....", ".....", ".....");
        check(true, "xx.xo", ".....", ".....", ".....", ".....");
        check(true, "xxxo.", ".....", ".....", ".....", ".....");
    }

    #[test]
    fn an_overline_wins_or_counts_for_nothing() {
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
    fn counts_are_those_of_each_window() {
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
