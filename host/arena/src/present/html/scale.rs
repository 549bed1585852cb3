//! Maps values to positions in a plot, in percent of its width or height, and chooses round tick
//! values. Pure.

/// The range of values of a plot; never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// A range slightly wider than these values, and at least `least` wide. Values that are not
    /// finite are ignored.
    pub(super) fn of(values: impl Iterator<Item = f64>, least: f64) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            return Self { low: -least / 2.0, high: least / 2.0 };
        }
        let more = ((least - (high - low)) / 2.0).max(0.0) + 0.04 * (high - low);
        Self { low: low - more, high: high + more }
    }

    /// The range from one value to another, exactly.
    pub(super) fn between(low: f64, high: f64) -> Self {
        Self { low, high: if high > low { high } else { low + 1.0 } }
    }

    /// The position of a value, from 0 to 100; values outside are at the edge.
    pub(super) fn position(&self, value: f64) -> f64 {
        let position = 100.0 * (value - self.low) / (self.high - self.low);
        if position.is_finite() { position.clamp(0.0, 100.0) } else { 50.0 }
    }

    /// The lower edge.
    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// The upper edge.
    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// Round values in the range, at most `most` of them: 1, 2 or 5 times a power of ten apart, and
    /// at least `least`.
    pub(super) fn ticks(&self, most: u32, least: f64) -> Vec<f64> {
        let rough = ((self.high - self.low) / f64::from(most.max(1))).max(least);
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|times| times * power)
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * power);
        let first = (self.low / step).ceil();
        // Adding 0 avoids −0.
        let ticks = (0..=most).map(|i| (first + f64::from(i)) * step + 0.0);
        ticks.take_while(|tick| *tick <= self.high).take(most as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_values_in_the_range() {
        let check = |low, high, least, expected: &[f64]| {
            assert_eq!(Scale::between(low, high).ticks(5, least), expected, "{low} to {high}");
        };
        check(-100.0, 100.0, 0.1, &[-100.0, -50.0, 0.0, 50.0, 100.0]);
        check(-99.0, 99.0, 0.1, &[-50.0, 0.0, 50.0]);
        check(0.0, 12_345.0, 1.0, &[0.0, 5_000.0, 10_000.0]);
        check(1.0, 3.0, 0.1, &[1.0, 1.5, 2.0, 2.5, 3.0]);
        // Numbers of pairs are whole, so ticks are at least 1 apart.
        check(1.0, 3.0, 1.0, &[1.0, 2.0, 3.0]);
        check(-0.5, 0.5, 2.0, &[0.0]);
        check(0.0, f64::MAX, 1.0, &[0.0, 5e307, 1e308, 1.5e308]);
        check(f64::MIN, f64::MAX, 1.0, &[]);
    }

    #[test]
    fn values_are_mapped_to_positions() {
        let check = |values: &[f64], value, expected| {
            assert_eq!(
                Scale::of(values.iter().copied(), 10.0).position(value),
                expected,
                "{values:?}"
            );
        };
        check(&[], 0.0, 50.0);
        check(&[f64::NAN, f64::INFINITY], 5.0, 100.0);
        check(&[7.0], 7.0, 50.0);
        check(&[0.0, 100.0], 50.0, 50.0);
        check(&[0.0, 100.0], -1000.0, 0.0);
        check(&[0.0, 100.0], f64::NAN, 50.0);
    }
}
