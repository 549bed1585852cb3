//! The normal distribution: the quantile and the distribution function used by the statistics.

/// The two-sided 95 % quantile of the normal distribution.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// The cumulative distribution function of the standard normal distribution: M. Abramowitz, I. A.
/// Stegun, *Handbook of Mathematical Functions* (1964), 26.2.17. The error is below 7.5e-8.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    const B: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let above = density * polynomial;
    if x >= 0.0 { 1.0 - above } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_of_the_distribution_function() {
        // Source: Python's math.erfc.
        let table = [
            (-3.0, 0.001_349_898),
            (-1.96, 0.024_997_895),
            (-1.0, 0.158_655_254),
            (0.0, 0.5),
            (0.5, 0.691_462_461),
            (1.644_853_6, 0.949_999_997),
            (3.0, 0.998_650_102),
            (5.0, 0.999_999_713),
            (40.0, 1.0),
            (-40.0, 0.0),
        ];
        for (x, expected) in table {
            assert!((normal_cdf(x) - expected).abs() < 1e-7, "{x}: {}", normal_cdf(x));
        }
    }
}
