// pearson_rank: at each item, the cosine between its gaps in truth and in candidate to the items above it in truth.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

struct Cosines {
    double sum = 0;     // sum of weight times cosine
    double weight = 0;  // sum of weights
    double range_truth = 0, range_candidate = 0;
};

double cosine_directly(const double* x, const double* y, size_t above, size_t i) {
    // Computes the cosine of gaps so small that their squares would vanish. Each side has a nonzero gap.
    double scale_x = 0, scale_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t j = 0; j < above; j++) {
        scale_x = std::max(scale_x, std::fabs(x[j] - x[i]));
        scale_y = std::max(scale_y, std::fabs(y[j] - y[i]));
    }
    for (size_t j = 0; j < above; j++) {
        const double dx = (x[j] - x[i]) / scale_x, dy = (y[j] - y[i]) / scale_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xy / std::sqrt(xx * yy);
}

// Scales scores by a power of two if needed, so that differences do not overflow and squares do not vanish.
void rescale(const double* from, size_t n, double* to) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = std::max(largest, std::fabs(from[i]));
    int exponent = 0;
    if (largest < 1e-100 || largest > 1e100) std::frexp(largest, &exponent);
    for (size_t i = 0; i < n; i++) to[i] = exponent ? std::ldexp(from[i], -exponent) : from[i];
}

// `truth` and `candidate` are in the order of truth, best first; x and y are buffers of the same size.
void cosines(const double* truth, const double* candidate, double* x, double* y, size_t n, Cosines& c) {
    rescale(truth, n, x);
    rescale(candidate, n, y);
    const auto [low, high] = std::minmax_element(y, y + n);
    const double range = x[0] - x[n - 1], spread = *high - *low, worst = x[n - 1], best = x[0], first = y[0];
    c.range_truth = range;
    c.range_candidate = spread;
    if (range == 0 || spread == 0) return;
    // Running means and centred second moments of the items above. Scores are measured from the first item, so every
    // sum is accurate relative to its norm.
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    bool flat = true;  // true while all items above are tied in candidate
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo; hi < n && truth[hi] == truth[lo]; hi++) {
            const double weight = (x[hi] - worst) / range;
            x[hi] = (x[hi] - best) / range;
            y[hi] = (y[hi] - first) / spread;
            if (lo == 0) continue;
            c.weight += weight;
            if (flat && candidate[hi] == candidate[0]) continue;  // no gaps in candidate: the cosine is 0
            const double k = double(lo), dx = mean_x - x[hi], dy = mean_y - y[hi];
            const double norm_x = xx + k * dx * dx, norm_y = yy + k * dy * dy;
            const bool some_x = norm_x > 1e-140, some_y = norm_y > 1e-140;
            // Use the original scores of a side with tiny gaps, because rescaling may have made them 0.
            const double cosine = some_x && some_y
                                      ? (xy + k * dx * dy) / std::sqrt(norm_x * norm_y)
                                      : cosine_directly(some_x ? x : truth, some_y ? y : candidate, lo, hi);
            c.sum += weight * std::max(-1.0, std::min(1.0, cosine));
        }
        for (size_t i = lo; i < hi; i++) {
            const double k = double(i + 1), dx = x[i] - mean_x, dy = y[i] - mean_y;
            mean_x += dx / k;
            mean_y += dy / k;
            xx += dx * (x[i] - mean_x);
            yy += dy * (y[i] - mean_y);
            xy += dx * (y[i] - mean_y);
            flat &= candidate[i] == candidate[0];
        }
    }
}

struct RankCosines {
    using Result = Cosines;
    void small(const Order& order, const double* candidate, Result& r) const {
        double x[SMALL], y[SMALL], sorted[SMALL + BLOCK];
        order.gather(candidate, sorted);
        cosines(order.x, sorted, x, y, order.n, r);
    }
    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        std::vector<double> by_truth(n), along(n);
        {
            const std::vector<Scored> order = sorted_by(truth, candidate, n);
            for (size_t i = 0; i < n; i++) by_truth[i] = order[i].score, along[i] = order[i].value;
        }
        std::vector<double> x(n), y(n);
        cosines(by_truth.data(), along.data(), x.data(), y.data(), n, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

}  // namespace

nb::object cosines_pair(const Vector& truth, const Vector& candidate) {
    return one_pair(truth, candidate, RankCosines{});
}

bool cosines_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                  const IntVector& candidate_row, const OutMatrix& out, int workers) {
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers, RankCosines{});
}

}  // namespace kernels
