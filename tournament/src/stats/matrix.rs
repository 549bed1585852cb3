//! Symmetric positive definite matrices for the joint fit: solving and inverting by Cholesky
//! decomposition.

/// A square matrix, stored row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// The zero matrix of a size.
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The value of a cell.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    /// Adds a value to a cell.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// Adds `weight · v vᵀ` for a sparse vector `v` of (index, value) entries.
    pub(crate) fn add_outer(&mut self, weight: f64, vector: &[(usize, f64)]) {
        for (row, a) in vector {
            for (column, b) in vector {
                self.add(*row, *column, weight * a * b);
            }
        }
    }

    /// The matrix product `self · other`.
    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::zero(self.size);
        for row in 0..self.size {
            for inner in 0..self.size {
                let factor = self.at(row, inner);
                if factor != 0.0 {
                    for column in 0..self.size {
                        product.add(row, column, factor * other.at(inner, column));
                    }
                }
            }
        }
        product
    }

    /// The lower triangular factor L of L Lᵀ; `None` if the matrix is not positive definite, within
    /// rounding.
    fn cholesky(&self) -> Option<Matrix> {
        let mut lower = Matrix::zero(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|k| lower.at(row, k) * lower.at(column, k)).sum();
                let rest = self.at(row, column) - dot;
                let cell = if row != column {
                    rest / lower.at(column, column)
                } else if rest > 1e-12 * self.at(row, row).abs() {
                    rest.sqrt()
                } else {
                    return None;
                };
                lower.add(row, column, cell);
            }
        }
        Some(lower)
    }

    /// Solves `self · x = right` for x.
    pub(crate) fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        Some(substitute(&self.cholesky()?, right))
    }

    /// The inverse of the matrix.
    pub(crate) fn inverse(&self) -> Option<Matrix> {
        let lower = self.cholesky()?;
        let mut inverse = Matrix::zero(self.size);
        let mut unit = vec![0.0; self.size];
        for column in 0..self.size {
            unit[column] = 1.0;
            for (row, value) in substitute(&lower, &unit).into_iter().enumerate() {
                inverse.add(row, column, value);
            }
            unit[column] = 0.0;
        }
        Some(inverse)
    }
}

fn substitute(lower: &Matrix, right: &[f64]) -> Vec<f64> {
    let size = lower.size;
    let mut x = right.to_vec();
    for row in 0..size {
        let known: f64 = (0..row).map(|k| lower.at(row, k) * x[k]).sum();
        x[row] = (x[row] - known) / lower.at(row, row);
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| lower.at(k, row) * x[k]).sum();
        x[row] = (x[row] - known) / lower.at(row, row);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        let cells = rows.iter().flat_map(|row| row.iter().copied()).collect();
        Matrix { size: rows.len(), cells }
    }

    fn check(rows: &[&[f64]], right: &[f64], expected: Option<&[f64]>) {
        let (matrix, found) = (matrix(rows), matrix(rows).solve(right));
        match (&found, expected) {
            (Some(found), Some(expected)) => {
                let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(near, "{rows:?}: {found:?}");
                let unit = matrix.times(&matrix.inverse().unwrap());
                for row in 0..matrix.size() {
                    for column in 0..matrix.size() {
                        let expected = f64::from(u8::from(row == column));
                        assert!((unit.at(row, column) - expected).abs() < 1e-12, "{unit:?}");
                    }
                }
            }
            _ => assert_eq!(found.as_deref(), expected, "{rows:?}"),
        }
    }

    #[test]
    fn systems_solved_by_hand() {
        check(&[], &[], Some(&[]));
        check(&[&[4.0]], &[2.0], Some(&[0.5]));
        check(&[&[2.0, 1.0], &[1.0, 2.0]], &[4.0, 5.0], Some(&[1.0, 2.0]));
        let rows: [&[f64]; 3] = [&[4.0, 2.0, 0.0], &[2.0, 5.0, 3.0], &[0.0, 3.0, 6.0]];
        check(&rows, &[2.0, -1.0, 3.0], Some(&[1.2, -1.4, 1.2]));
        // A singular matrix, and an indefinite one.
        check(&[&[1.0, -1.0], &[-1.0, 1.0]], &[1.0, -1.0], None);
        check(&[&[1.0, 2.0], &[2.0, 1.0]], &[1.0, 1.0], None);
    }
}
