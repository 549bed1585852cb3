//! Generates values from bytes, deterministically; a small change of the bytes is a small change of
//! the values. Exhausted input gives zeros.

/// Bytes that are consumed from the front.
pub(super) struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(super) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A number; short ones are likely, and the maximum is possible.
    pub(super) fn number(&mut self) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            short @ ..128 => short.into(),
            _ => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    pub(super) fn short(&mut self) -> u16 {
        self.number() as u16
    }

    /// A number other than NaN.
    pub(super) fn real(&mut self) -> f64 {
        let real = f64::from_bits(self.number());
        if real.is_finite() { real } else { 0.1 }
    }

    pub(super) fn text(&mut self) -> String {
        let length = usize::from(self.byte() % 24).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.byte() % 4).map(|_| one(self)).collect()
    }

    pub(super) fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| one(self))
    }

    /// An element of the list.
    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()].clone()
    }
}
