// The functions for Python. module.cpp binds them, native.pyi has their types, and each is documented by its NumPy twin
// in reference/, for example concordance.cpp by reference/concordance.py.
//
// Kernels take contiguous arrays of float64 and int64, return counts and sums, and fill `out` and `duals`. They release
// the GIL, raise TypeError or ValueError for wrong arrays, or MemoryError, and never draw random numbers. Any number of
// `workers` (threads) gives the same bits. The formulas of the coefficients are in coefficients/.
#pragma once

#include "arrays.hpp"

namespace kernels {

// *_pair returns a tuple of sums, or None if a score is not finite. *_rows fills out[b] with the sums for
// truth[truth_row[b]] and candidate[candidate_row[b]], and returns whether all scores were finite.
nb::object concordance_pair(const Vector& truth, const Vector& candidate, double tolerance, int extra);
bool concordance_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                      const IntVector& candidate_row, const OutMatrix& out, int workers, double tolerance, int extra);
nb::object gaps_pair(const Vector& truth, const Vector& candidate);
bool gaps_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row, const IntVector& candidate_row,
               const OutMatrix& out, int workers);
nb::object ranks_pair(const Vector& truth, const Vector& candidate);
bool ranks_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                const IntVector& candidate_row, const OutMatrix& out, int workers);
nb::object weights_pair(const Vector& truth, const Vector& candidate);
bool weights_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                  const IntVector& candidate_row, const OutMatrix& out, int workers);
nb::object overlaps_pair(const Vector& truth, const Vector& candidate, const Vector& weights, int ties);
bool overlaps_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                   const IntVector& candidate_row, const OutMatrix& out, int workers, const Vector& weights, int ties);
nb::object cosines_pair(const Vector& truth, const Vector& candidate);
bool cosines_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                  const IntVector& candidate_row, const OutMatrix& out, int workers);

void rank_distances(const Matrix& covariance, const Vector& means, const Matrix& candidate, double eps,
                    const OutMatrix& out, const OutMatrix& duals, int workers);
void recentred_distances(const Matrix& columns, const Vector& projection, const IntVector& ends,
                         const IntMatrix& weights, double eps, const OutMatrix& out, int workers);

void resampled_sums(const Matrix& values, const IntMatrix& weights, const OutMatrix& out, int workers);
void short_means(const Matrix& sums, double divisor, double slack, const OutMatrix& out, int workers);

void exceedances(const Matrix& values, const IntVector& base, const IntMatrix& signs, const IntVector& first,
                 const IntVector& second, const Vector& scale, const Vector& least, const IntVector& ends,
                 const OutVector& out);

void negative_shares(const Matrix& differences, const Vector& steps, const IntVector& points, const Vector& widths,
                     int most, const OutMatrix& out, int workers);
void plug_in_widths(const Matrix& differences, const Vector& scales, const OutVector& out, int workers);

}  // namespace kernels
