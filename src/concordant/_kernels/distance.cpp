// The rank distance: the nearest means that keep an order, with the constraints of constraints.hpp, solved by
// active_set.hpp. reference/distance.py derives the problem.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "active_set.hpp"
#include "compiler.hpp"
#include "constraints.hpp"
#include "kernels.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace kernels {

namespace {

// Differences between neighbours in an order of the systems. Rows of S come from the covariance c of the ordered
// systems: S_jk = c(j, k) - c(j, k+1) - c(j+1, k) + c(j+1, k+1).
struct Neighbours : Differences {
    const double* covariance;
    size_t m;
    double eps;
    std::vector<int32_t> own, order;  // the systems, best first: by X itself, and by the candidate

    Neighbours(const double* covariance, const double* mean, size_t m, double eps)
        : Differences(m - 1), covariance(covariance), m(m), eps(eps), own(m), order(m), formed(p), to(m), keys(m) {
        std::iota(own.begin(), own.end(), 0);
        std::stable_sort(own.begin(), own.end(), [=](int32_t a, int32_t b) { return mean[a] > mean[b]; });
    }

    // Sorts best first by score. Insertion sort starts from X's own order, which is fast for similar rankings, such as
    // the rankings of resamples.
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
    void set_means(const double* mean) {
        for (size_t j = 0; j + 1 < m; j++) {
            const size_t a = size_t(order[j]), b = size_t(order[j + 1]);
            means[j] = mean[a] - mean[b];
            const double *const of_a = covariance + a * m, *const of_b = covariance + b * m;
            variances[j] = ((of_a[a] - of_a[b]) + (of_b[b] - of_b[a])) + eps;
        }
        std::fill(formed.begin(), formed.end(), char(0));
    }
    INLINE void form(size_t j) {
        if (formed[j]) return;
        formed[j] = 1;
        const double* a = covariance + size_t(order[j]) * m;
        const double* b = covariance + size_t(order[j + 1]) * m;
        double* const mine = row(j);
        const int32_t* const at = order.data();
        const size_t last = m - 1;
        for (size_t k = 0; k <= last; k++) to[k] = a[k] - b[k];
        for (size_t k = 0; k < last; k++) mine[k] = to[size_t(at[k])] - to[size_t(at[k + 1])];
        mine[j] = variances[j];
    }

  private:
    std::vector<char> formed;
    std::vector<double> to, keys;
};

// Differences with all rows of S precomputed.
struct Whole : Differences {
    using Differences::Differences;
    INLINE void form(size_t) {}
};

// Constraints between neighbouring groups of tied systems. The covariance is copied at the first tie.
struct Tied : Pairs {
    std::vector<double> covariance;

    using Pairs::Pairs;
    void set_means(const double* mean, const double* from, double eps) {
        std::copy(mean, mean + m, x.begin());
        if (c) return;
        covariance.resize(m * width);
        for (size_t i = 0; i < m; i++) {
            std::copy(from + i * m, from + (i + 1) * m, covariance.begin() + std::ptrdiff_t(i * width));
            covariance[i * width + i] += eps / 2;
        }
        c = covariance.data();
    }
    // Returns whether there are ties.
    bool group(const std::vector<int32_t>& best_first, const double* score) {
        order = best_first;
        ends.clear();
        for (size_t q = 1; q < m; q++)
            if (score[order[q]] != score[order[q - 1]]) ends.push_back(q);
        ends.push_back(m);
        return ends.size() < m;
    }
};

// Solves the problem of each row of candidates.
VECTORISED void solve_orders(const double* covariance, const double* means, const double* candidate, size_t m,
                             double eps, double* out, double* duals, Queue& queue) {
    Neighbours neighbours(covariance, means, m, eps);
    Tied tied(m);
    Solver solver(m - 1);
    for (Turn turn(queue); turn.next();) {
        const size_t b = turn.row();
        double* const dual = duals ? duals + b * (m - 1) : nullptr;
        neighbours.sort(candidate + b * m);
        Solution found;
        if (tied.group(neighbours.order, candidate + b * m)) {
            tied.set_means(means, covariance, eps);
            found = solver.solve(tied);
            if (dual) tied.write_dual(dual);
        } else {
            neighbours.set_means(means);
            found = solver.solve(neighbours);
            if (dual) solver.write_dual(dual);
        }
        out[2 * b] = found.value;
        out[2 * b + 1] = found.steps;
    }
}

constexpr size_t MOST_SYSTEMS = 46340;  // so that the number of a pair fits 32 bits

constexpr size_t DOWN = 4, ACROSS = 8;  // size of a product's tile in registers

// gram = rows' rows: computes the upper tiles and mirrors them; rows are padded with zeros.
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

// Solves the problem of each resample of a collection that was shifted so that the order is true. Columns are
// differences, or systems in groups if some systems are tied.
VECTORISED void solve_resamples(const double* columns, const double* projection, const int64_t* ends, size_t groups,
                                const int64_t* weights, size_t n, size_t p, double eps, double* out, Queue& queue) {
    Whole whole(p);
    Pairs pairs(p);
    Solver solver(p);
    pairs.c = whole.s.data();
    std::iota(pairs.order.begin(), pairs.order.end(), 0);
    pairs.ends.assign(ends, ends + groups);
    if (groups) eps /= 2;
    const size_t width = whole.width;
    std::vector<double> rows(n * width), shift(width);
    for (Turn turn(queue); turn.next();) {
        const size_t b = turn.row();
        const int64_t* w = weights + b * n;
        std::fill(shift.begin(), shift.end(), 0.0);
        size_t count = 0;  // number of topics drawn at least once, about two thirds
        for (size_t i = 0; i < n; i++) {
            if (w[i] == 0) continue;
            const double root = std::sqrt(double(w[i]));
            const double* from = columns + i * p;
            double* const to = rows.data() + count++ * width;
            for (size_t j = 0; j < p; j++) to[j] = root * from[j];
            for (size_t j = 0; j < p; j++) shift[j] += double(w[i]) * from[j];
        }
        for (size_t j = 0; j < p; j++) shift[j] /= double(n);
        gram_of(rows.data(), count, width, whole.s.data(), p);
        const double scale = 1 / double(n - 1);
        for (size_t j = 0; j < p; j++) {
            double* const s = whole.row(j);
            const double across = double(n) * shift[j];
            for (size_t c = 0; c < p; c++) s[c] = (s[c] - across * shift[c]) * scale;
            s[j] += eps;
            whole.variances[j] = s[j];
            whole.means[j] = projection[j] + shift[j];
        }
        if (groups) pairs.x = whole.means;
        const Solution found = groups ? solver.solve(pairs) : solver.solve(whole);
        out[2 * b] = found.value;
        out[2 * b + 1] = found.steps;
    }
}

}  // namespace

void rank_distances(const Matrix& covariance, const Vector& means, const Matrix& candidate, double eps,
                    const OutMatrix& out, const OutMatrix& duals, int workers) {
    const size_t m = means.size(), count = candidate.shape(0);
    require(m >= 2, "means must have at least 2 systems");
    require(m <= MOST_SYSTEMS, "means has too many systems");
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

void recentred_distances(const Matrix& columns, const Vector& projection, const IntVector& ends,
                         const IntMatrix& weights, double eps, const OutMatrix& out, int workers) {
    const size_t n = columns.shape(0), p = projection.size(), count = weights.shape(0), groups = ends.size();
    require(n >= 2, "columns must have at least 2 topics");
    require(p >= 1, "projection must have at least 1 difference");
    require(p <= MOST_SYSTEMS, "projection has too many systems");
    require_shape("columns", columns, n, p);
    require_shape("weights", weights, count, n);
    require_shape("out", out, count, 2);
    for (size_t g = 0; g < groups; g++)
        require(ends.data()[g] > (g ? ends.data()[g - 1] : 0), "ends must increase from 1 on");
    require(!groups || size_t(ends.data()[groups - 1]) == p, "ends must end with the number of systems");
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        solve_resamples(columns.data(), projection.data(), ends.data(), groups, weights.data(), n, p, eps, out.data(),
                        queue);
    });
}

}  // namespace kernels
