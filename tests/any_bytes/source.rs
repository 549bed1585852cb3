//! Values out of bytes: the same bytes give the same values, and a small change of
//! the bytes a small one of the values. When they are used up, it gives zeros.

/// Bytes that are used up from the front.
pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A number, most of them short, the largest among them.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            short @ ..128 => short.into(),
            _ => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    pub fn short(&mut self) -> u16 {
        self.number() as u16
    }

    /// Any real number that is one.
    pub fn real(&mut self) -> f64 {
        let real = f64::from_bits(self.number());
        if real.is_finite() { real } else { 0.1 }
    }

    pub fn text(&mut self) -> String {
        let length = usize::from(self.byte() % 24).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    pub fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.byte() % 4).map(|_| one(self)).collect()
    }

    pub fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| one(self))
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()].clone()
    }
}
