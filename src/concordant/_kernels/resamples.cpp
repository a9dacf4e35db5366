// Sums scores over the topics of each resample.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "threads.hpp"

namespace kernels {

namespace {

// Adds four topics at a time, so that the sums are loaded and stored less often.
VECTORISED void sum_resamples(const double* values, const int64_t* weights, size_t n, size_t m, double* out,
                              Queue& queue) {
    std::vector<const double*> drawn(n + 3);
    std::vector<double> times(n + 3);
    for (Turn turn(queue); turn.next();) {
        const int64_t* const w = weights + turn.row() * n;
        size_t count = 0;  // number of topics drawn at least once, about two thirds
        for (size_t i = 0; i < n; i++) {
            drawn[count] = values + i * m;
            times[count] = double(w[i]);
            count += w[i] != 0;
        }
        for (; count % 4 != 0; count++) {
            drawn[count] = values;
            times[count] = 0.0;
        }
        double* __restrict const to = out + turn.row() * m;
        std::fill(to, to + m, 0.0);
        for (size_t i = 0; i < count; i += 4) {
            const double *const a = drawn[i], *const b = drawn[i + 1], *const c = drawn[i + 2], *const d = drawn[i + 3];
            const double s = times[i], t = times[i + 1], u = times[i + 2], v = times[i + 3];
            for (size_t j = 0; j < m; j++) to[j] += (s * a[j] + t * b[j]) + (u * c[j] + v * d[j]);
        }
    }
}

}  // namespace

void resampled_sums(const Matrix& values, const IntMatrix& weights, const OutMatrix& out, int workers) {
    const size_t n = values.shape(0), m = values.shape(1), count = weights.shape(0);
    require_shape("weights", weights, count, n);
    require_shape("out", out, count, m);
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        sum_resamples(values.data(), weights.data(), n, m, out.data(), queue);
    });
}

}  // namespace kernels
