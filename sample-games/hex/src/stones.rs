//! The stones of a Hex board, and which edges each of them is connected with.
//!
//! The board has a frame of border places around its cells: red ones above and below, blue ones at
//! the sides. So a stone at an edge finds that edge among its neighbours.

use super::SIZE_MAX;

/// Cells in a row, with the frame.
const WIDTH_MAX: usize = SIZE_MAX + 2;
const PLACES: usize = WIDTH_MAX * WIDTH_MAX;

/// What is on a place: the colour of a stone or of the border, as a bit.
const COLORS: [u8; 2] = [1, 2];
const COLOR_BITS: u8 = COLORS[0] | COLORS[1];
/// The place is connected with the first edge of its colour: the upper or the left one.
const FIRST_EDGE: u8 = 4;
/// The place is connected with the other edge of its colour.
const LAST_EDGE: u8 = 8;
const BOTH_EDGES: u8 = FIRST_EDGE | LAST_EDGE;
/// The place belongs to the frame.
const BORDER: u8 = 16;

/// A board. The index of a place is `row · width + column`, with the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stones {
    width: usize,
    places: [u8; PLACES],
    /// The cells without a stone, as bits.
    free: [u64; PLACES.div_ceil(64)],
    /// The colour that connects its edges.
    winner: Option<u8>,
}

impl Stones {
    /// A board of this size without stones.
    pub(super) fn new(size: usize) -> Self {
        let width = size + 2;
        let (places, free) = ([0; PLACES], [0; PLACES.div_ceil(64)]);
        let mut stones = Self { width, places, free, winner: None };
        for line in 1..=size {
            let end = size + 1;
            stones.places[line] = COLORS[0] | FIRST_EDGE | BORDER;
            stones.places[end * width + line] = COLORS[0] | LAST_EDGE | BORDER;
            stones.places[line * width] = COLORS[1] | FIRST_EDGE | BORDER;
            stones.places[line * width + end] = COLORS[1] | LAST_EDGE | BORDER;
        }
        for place in stones.cells() {
            stones.free[place / 64] |= 1 << (place % 64);
        }
        stones
    }

    pub(super) fn size(&self) -> usize {
        self.width - 2
    }

    /// The place of a cell.
    pub(super) fn place(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.width + column + 1
    }

    /// The row and the column of a cell.
    pub(super) fn cell(&self, place: usize) -> (usize, usize) {
        (place / self.width - 1, place % self.width - 1)
    }

    /// The places of all cells, row by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, width) = (self.size(), self.width);
        (1..=size).flat_map(move |row| row * width + 1..=row * width + size)
    }

    /// The colour of the stone on a cell.
    pub(super) fn color(&self, place: usize) -> Option<u8> {
        (0..2).find(|color| self.places[place] & COLORS[usize::from(*color)] != 0)
    }

    /// The free cells in the order of [`cells`](Self::cells).
    pub(super) fn free(&self) -> impl Iterator<Item = usize> {
        let set = |(index, word): (usize, &u64)| {
            let next = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
            let words = std::iter::successors(Some(*word).filter(|word| *word != 0), next);
            words.map(move |word| index * 64 + word.trailing_zeros() as usize)
        };
        self.free.iter().enumerate().flat_map(set)
    }

    /// The free cell with this index in [`free`](Self::free).
    pub(super) fn nth_free(&self, mut number: usize) -> Option<usize> {
        for (index, word) in self.free.iter().enumerate() {
            let count = word.count_ones() as usize;
            if number < count {
                let rest = (0..number).fold(*word, |word, _| word & (word - 1));
                return Some(index * 64 + rest.trailing_zeros() as usize);
            }
            number -= count;
        }
        None
    }

    /// The colour that connects its edges.
    pub(super) fn winner(&self) -> Option<u8> {
        self.winner
    }

    /// Puts a stone on a free cell.
    pub(super) fn add(&mut self, place: usize, color: u8) {
        self.free[place / 64] &= !(1 << (place % 64));
        let stone = COLORS[usize::from(color)];
        let connected = self.neighbours(place).map(|next| self.places[next]);
        let connected = connected.into_iter().filter(|next| next & stone != 0);
        let edges = connected.fold(0, |edges, next| edges | next & BOTH_EDGES);
        self.places[place] = stone | edges;
        if edges == BOTH_EDGES {
            self.winner = Some(color);
        }
        if edges != 0 {
            self.spread(place, stone | edges);
        }
    }

    /// Connects the stones around a place with the edges that it is connected with. In a game this
    /// visits a stone twice at most: once for each edge.
    fn spread(&mut self, place: usize, marked: u8) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            for next in self.neighbours(place) {
                let is_own = self.places[next] & (COLOR_BITS | BORDER) == marked & COLOR_BITS;
                if is_own && self.places[next] & marked != marked {
                    self.places[next] |= marked;
                    open.push(next);
                }
            }
        }
    }

    /// The six neighbours of a cell.
    fn neighbours(&self, place: usize) -> [usize; 6] {
        let (above, below) = (place - self.width, place + self.width);
        [above, above + 1, place - 1, place + 1, below - 1, below]
    }
}
