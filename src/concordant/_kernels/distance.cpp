// The rank distance: the nearest scores that keep an order, solved by active_set.hpp. reference/distance.py derives the
// problem.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "active_set.hpp"
#include "compiler.hpp"
#include "kernels.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace kernels {

namespace {

// The differences between neighbours in an order of the systems. Rows of S come from the covariance c of the systems:
// S_jk = c(j, k) - c(j, k+1) - c(j+1, k) + c(j+1, k+1), in the order.
struct Neighbours {
    const double* covariance;
    size_t m;
    double eps;
    std::vector<int32_t> own, order;  // the systems, best first: by X itself, and by the candidate
    std::vector<double> between, keys;

    Neighbours(const double* covariance, const double* mean, size_t m, double eps)
        : covariance(covariance), m(m), eps(eps), own(m), order(m), between(m), keys(m) {
        std::iota(own.begin(), own.end(), 0);
        std::stable_sort(own.begin(), own.end(), [=](int32_t a, int32_t b) { return mean[a] > mean[b]; });
    }

    // Best first by score. It starts from X's own order and is stable, so that ties are broken in favour of X; and
    // rankings that resemble that of X, as resamples do, leave an insertion sort little to do.
    void sort(const double* score) {
        order = own;
        if (m > 512) {
            std::stable_sort(order.begin(), order.end(), [=](int32_t a, int32_t b) { return score[a] > score[b]; });
            return;
        }
        for (size_t i = 0; i < m; i++) {
            const int32_t mine = own[i];
            const double key = score[mine];
            size_t at = i;
            for (; at > 0 && keys[at - 1] < key; at--) keys[at] = keys[at - 1], order[at] = order[at - 1];
            keys[at] = key;
            order[at] = mine;
        }
    }
    void begin(const double* mean, Problem& problem) const {
        for (size_t j = 0; j + 1 < m; j++) {
            const size_t a = size_t(order[j]), b = size_t(order[j + 1]);
            problem.d[j] = mean[a] - mean[b];
            const double *const of_a = covariance + a * m, *const of_b = covariance + b * m;
            problem.diagonal[j] = ((of_a[a] - of_a[b]) + (of_b[b] - of_b[a])) + eps;
        }
        std::fill(problem.formed.begin(), problem.formed.end(), char(0));
    }
    INLINE void form(size_t j, Problem& problem) {
        if (problem.formed[j]) return;
        problem.formed[j] = 1;
        const double* a = covariance + size_t(order[j]) * m;
        const double* b = covariance + size_t(order[j + 1]) * m;
        double* const to = between.data();
        double* const row = problem.row(j);
        const int32_t* const at = order.data();
        const size_t last = m - 1;
        for (size_t k = 0; k <= last; k++) to[k] = a[k] - b[k];
        for (size_t k = 0; k < last; k++) row[k] = to[at[k]] - to[at[k + 1]];
        row[j] = problem.diagonal[j];
    }
};

// All rows of S are there already.
struct Whole {
    INLINE void form(size_t, Problem&) {}
};

// The problem of each row of candidates.
VECTORISED void solve_orders(const double* covariance, const double* means, const double* candidate, size_t m,
                             double eps, double* out, double* duals, Queue& queue) {
    Neighbours neighbours(covariance, means, m, eps);
    Problem problem(m - 1);
    Solver solver(m - 1);
    for (Turn turn(queue); turn.next();) {
        const size_t b = turn.row();
        neighbours.sort(candidate + b * m);
        neighbours.begin(means, problem);
        const Solution found = solver.solve(problem, neighbours);
        out[2 * b] = found.value;
        out[2 * b + 1] = found.steps;
        if (duals) solver.write_dual(duals + b * (m - 1));
    }
}

constexpr size_t DOWN = 4, ACROSS = 8;  // the tile of a product that is kept in registers

// gram = rows' rows, the upper tiles of it and then the mirror; rows are padded with zeros.
INLINE void gram_of(const double* rows, size_t count, size_t width, double* gram, size_t p) {
    for (size_t j = 0; j < p; j += DOWN)
        for (size_t c = j / ACROSS * ACROSS; c < width; c += ACROSS) {
            Four sum[DOWN][ACROSS / 4];
            for (size_t a = 0; a < DOWN; a++)
                for (size_t b = 0; b < ACROSS / 4; b++) sum[a][b] = four(0.0);
            for (size_t i = 0; i < count; i++) {
                const double* const row = rows + i * width;
                for (size_t a = 0; a < DOWN; a++)
                    for (size_t b = 0; b < ACROSS / 4; b++) sum[a][b] += four(row[j + a]) * four(row + c + 4 * b);
            }
            for (size_t a = 0; a < DOWN && j + a < p; a++)
                for (size_t b = 0; b < ACROSS / 4; b++) store(gram + (j + a) * width + c + 4 * b, sum[a][b]);
        }
    for (size_t j = 0; j < p; j++)
        for (size_t c = 0; c < j / ACROSS * ACROSS; c++) gram[j * width + c] = gram[c * width + j];
}

// The problem of each resample of a collection that was moved to where the order is true.
VECTORISED void solve_resamples(const double* differences, const double* projection, const int64_t* weights, size_t n,
                                size_t p, double eps, double* out, Queue& queue) {
    Problem problem(p);
    Solver solver(p);
    Whole whole;
    const size_t width = problem.width;
    std::vector<double> rows(n * width), shift(width);
    for (Turn turn(queue); turn.next();) {
        const size_t b = turn.row();
        const int64_t* w = weights + b * n;
        std::fill(shift.begin(), shift.end(), 0.0);
        size_t count = 0;  // topics that were drawn at all: some two thirds
        for (size_t i = 0; i < n; i++) {
            if (w[i] == 0) continue;
            const double root = std::sqrt(double(w[i]));
            const double* from = differences + i * p;
            double* const to = rows.data() + count++ * width;
            for (size_t j = 0; j < p; j++) to[j] = root * from[j];
            for (size_t j = 0; j < p; j++) shift[j] += double(w[i]) * from[j];
        }
        for (size_t j = 0; j < p; j++) shift[j] /= double(n);
        gram_of(rows.data(), count, width, problem.s.data(), p);
        const double scale = 1 / double(n - 1);
        for (size_t j = 0; j < p; j++) {
            double* const s = problem.row(j);
            const double across = double(n) * shift[j];
            for (size_t c = 0; c < p; c++) s[c] = (s[c] - across * shift[c]) * scale;
            s[j] += eps;
            problem.diagonal[j] = s[j];
            problem.d[j] = projection[j] + shift[j];
        }
        const Solution found = solver.solve(problem, whole);
        out[2 * b] = found.value;
        out[2 * b + 1] = found.steps;
    }
}

}  // namespace

void rank_distances(const Matrix& covariance, const Vector& means, const Matrix& candidate, double eps,
                    const OutMatrix& out, const OutMatrix& duals, int workers) {
    const size_t m = means.size(), count = candidate.shape(0);
    require(m >= 2, "means must have at least 2 systems");
    require_shape("covariance", covariance, m, m);
    require_shape("candidate", candidate, count, m);
    require_shape("out", out, count, 2);
    if (duals.shape(0)) require_shape("duals", duals, count, m - 1);
    nb::gil_scoped_release unlocked;
    double* const dual = duals.shape(0) ? duals.data() : nullptr;
    share_rows(count, workers, [&](Queue& queue) {
        solve_orders(covariance.data(), means.data(), candidate.data(), m, eps, out.data(), dual, queue);
    });
}

void recentred_distances(const Matrix& differences, const Vector& projection, const IntMatrix& weights, double eps,
                         const OutMatrix& out, int workers) {
    const size_t n = differences.shape(0), p = projection.size(), count = weights.shape(0);
    require(n >= 2, "differences must have at least 2 topics");
    require(p >= 1, "projection must have at least 1 difference");
    require_shape("differences", differences, n, p);
    require_shape("weights", weights, count, n);
    require_shape("out", out, count, 2);
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        solve_resamples(differences.data(), projection.data(), weights.data(), n, p, eps, out.data(), queue);
    });
}

}  // namespace kernels
