// The solver of the rank distance. reference_distance.py is its twin, and the place to read what is computed.
//
// The dual, v >= 0 minimising v'Sv/2 + d'v, is solved by the active-set method of Lawson and Hanson on the Gram matrix
// S: a difference whose delta = d + Sv is negative enters the active set; where the solution on the set turns a v
// negative, the step is cut and that v leaves. A Cholesky factor of S on the set is updated, never computed anew, and
// rows of S are formed when their difference enters. Every step lowers the objective, so no set comes twice; where
// rounding would have it otherwise, a cap on the steps ends the search and the caller is told.
//
// All sums run in one order at any width of register and number of threads, so results are the same to the last bit.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

namespace nb = nanobind;

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTORISED
#endif
#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

namespace {

constexpr size_t LANES = 8;  // partial sums of a dot product, and the width that rows are padded to
constexpr double ROUNDING = 4e-16;

INLINE size_t padded(size_t n) { return (n + LANES - 1) / LANES * LANES; }

// Sums in LANES parts, always in this order. Both rows are padded with zeros to a multiple of LANES.
INLINE double dot(const double* a, const double* b, size_t n) {
    double part[LANES] = {};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) part[l] += a[i + l] * b[i + l];
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

// y += factor * x, on rows padded as above.
INLINE void add(double* y, const double* x, double factor, size_t n) {
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) y[i + l] += factor * x[i + l];
}

// What a problem is: p differences, their means, and rows of S. One object a thread, used again and again.
struct Problem {
    size_t p, width;  // width: p padded
    std::vector<double> d, diagonal, s;
    std::vector<char> formed;

    explicit Problem(size_t p)
        : p(p), width(padded(p)), d(width), diagonal(width), s(p * width), formed(p) {}
    double* row(size_t j) { return s.data() + j * width; }
};

// Rows of S from the covariance of the systems: S_jk = c(j, k) - c(j, k+1) - c(j+1, k) + c(j+1, k+1), in the order.
struct Pairs {
    const double* covariance;
    size_t m;
    double eps;
    std::vector<int32_t> own, order;  // the systems, best first: by X itself, and by what was observed
    std::vector<double> between, keys;

    Pairs(const double* covariance, const double* mean, size_t m, double eps)
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
            problem.diagonal[j] =
                ((covariance[a * m + a] - covariance[a * m + b]) + (covariance[b * m + b] - covariance[b * m + a])) + eps;
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

// All rows of S are there.
struct Whole {
    INLINE void form(size_t, Problem&) {}
};

struct Result {
    double value = 0, steps = 0;
};

// The active set, and with S on the set = L L': the rows of G = L^-1 S, one entry for each difference, followed by
// those of L^-1 itself, one for each place in the set. With h = L^-1 (-d on the set), delta = d + G'h and the solution on
// the set is (L^-1)'h, so that a difference that enters adds a row to each, and no triangular system is ever solved.
struct Solver {
    size_t p, width, length, k = 0;  // k: size of the active set; length: of a row, G and L^-1
    std::vector<int32_t> set;        // the active differences, by place
    std::vector<char> out_of_reach;
    std::vector<double> g;
    std::vector<double> x, h, v, z;           // by place; z: the solution on the set, v: how far it could be followed
    std::vector<double> delta, gain, weight;  // by difference; weight: 1 / its variance, 0 in the set

    explicit Solver(size_t p)
        : p(p), width(padded(p)), length(2 * width), set(p), out_of_reach(p), g(p * length), x(width), h(width),
          v(width), z(width), delta(width), gain(width), weight(width) {}

    double* row(size_t r) { return g.data() + r * length; }

    // Difference j enters. False if rounding leaves nothing of its pivot.
    INLINE bool enter(size_t j, const Problem& problem, double least) {
        const size_t end = padded(k + 1);
        for (size_t r = 0; r < k; r++) x[r] = row(r)[j];
        for (size_t r = k; r < end; r++) x[r] = 0;
        const double pivot = problem.diagonal[j] - dot(x.data(), x.data(), end);
        if (!(pivot > least)) return false;
        const double scale = 1 / std::sqrt(pivot);
        h[k] = -delta[j] * scale;
        v[k] = z[k] = 0;
        set[k] = int32_t(j);
        weight[j] = 0;
        double* const mine = row(k);
        new_row(problem.s.data() + j * width, scale, width, mine);
        std::memset(mine + width, 0, width * sizeof(double));
        mine[width + k] = 1;
        new_row(mine + width, scale, end, mine + width);
        add(delta.data(), mine, h[k], width);
        add(z.data(), mine + width, h[k], end);
        k++;
        return true;
    }

    // A row of G, or of L^-1 behind it: (s - x_0 G_0 - x_1 G_1 ...) * scale, some columns at a time, kept in registers.
    INLINE void new_row(const double* s, double scale, size_t end, double* to) const {
        constexpr size_t BLOCK = 4 * LANES;
        const double* const from = g.data() + (to - (g.data() + k * length));
        size_t c = 0;
        for (; c + BLOCK <= end; c += BLOCK) columns<BLOCK>(s + c, from + c, scale, to + c);
        for (; c < end; c += LANES) columns<LANES>(s + c, from + c, scale, to + c);
    }
    template <size_t BLOCK>
    INLINE void columns(const double* s, const double* from, double scale, double* to) const {
        double sum[BLOCK];
        const double* const share = x.data();
        const size_t count = k, stride = length;
        for (size_t l = 0; l < BLOCK; l++) sum[l] = s[l];
        for (size_t r = 0; r < count; r++, from += stride)
            for (size_t l = 0; l < BLOCK; l++) sum[l] -= share[r] * from[l];
        for (size_t l = 0; l < BLOCK; l++) to[l] = sum[l] * scale;
    }

    // The difference at place q leaves: rotations move what only it needed into the last row, which goes.
    INLINE void leave(size_t q, const Problem& problem) {
        weight[size_t(set[q])] = 1 / problem.diagonal[size_t(set[q])];
        const size_t end = width + padded(k);
        for (size_t r = q; r + 1 < k; r++) {
            set[r] = set[r + 1];
            v[r] = v[r + 1];
            double* const a = row(r);
            double* const b = row(r + 1);
            const double first = a[set[r]], second = b[set[r]], size = std::sqrt(first * first + second * second);
            const double c = first / size, s = second / size;
            for (size_t i = 0; i < end; i += LANES)
                for (size_t l = 0; l < LANES; l++) {
                    const double one = a[i + l], other = b[i + l];
                    a[i + l] = c * one + s * other;
                    b[i + l] = c * other - s * one;
                }
            const double one = h[r], other = h[r + 1];
            h[r] = c * one + s * other;
            h[r + 1] = c * other - s * one;
        }
        k--;
        add(delta.data(), row(k), -h[k], width);
        h[k] = v[k] = 0;
        for (size_t r = 0; r < k; r++) {  // its column of L^-1 is 0 by now, and goes
            double* const u = row(r) + width;
            std::memmove(u + q, u + q + 1, (k - q) * sizeof(double));
            u[k] = 0;
        }
    }

    INLINE void solution() {
        std::fill(z.begin(), z.end(), 0.0);
        for (size_t r = 0; r < k; r++) add(z.data(), row(r) + width, h[r], padded(r + 1));
    }

    // Follow the solution on the set; whatever would turn negative stops at 0 and leaves, until nothing does.
    INLINE void settle(const Problem& problem) {
        while (k > 0) {
            double step = 1;
            size_t first = k;
            for (size_t r = 0; r < k; r++)
                if (!(z[r] > 0)) {
                    const double reach = v[r] > 0 ? v[r] / (v[r] - z[r]) : 0;
                    if (first == k || reach < step) step = reach, first = r;
                }
            if (first == k) {
                std::memcpy(v.data(), z.data(), k * sizeof(double));
                return;
            }
            for (size_t r = 0; r < k; r++) v[r] += step * (z[r] - v[r]);
            v[first] = 0;
            for (size_t r = k; r-- > 0;)
                if (!(v[r] > 0)) leave(r, problem);
            solution();
        }
    }

    // delta from S itself, and one step of Newton's method with what it has left on the set.
    INLINE void refine(const Problem& problem) {
        true_delta(problem);
        const size_t end = padded(k);
        std::fill(x.begin(), x.end(), 0.0);
        for (size_t r = 0; r < k; r++) x[r] = delta[size_t(set[r])];
        std::fill(z.begin(), z.end(), 0.0);
        for (size_t r = 0; r < k; r++) add(z.data(), row(r) + width, dot(row(r) + width, x.data(), end), end);
        for (size_t r = 0; r < k; r++) z[r] = v[r] - z[r];
        for (size_t r = 0; r < k; r++)
            if (!(z[r] > 0)) return;
        std::memcpy(v.data(), z.data(), k * sizeof(double));
        true_delta(problem);
    }
    INLINE void true_delta(const Problem& problem) {
        std::memcpy(delta.data(), problem.d.data(), width * sizeof(double));
        for (size_t r = 0; r < k; r++) add(delta.data(), problem.s.data() + size_t(set[r]) * width, v[r], width);
    }

    // The difference outside of the set that would gain most by itself; p if none is violated.
    INLINE size_t most_wanted(double tolerance) {
        double most[LANES] = {};
        for (size_t j = 0; j < width; j += LANES)
            for (size_t l = 0; l < LANES; l++) {
                const double x = delta[j + l] + tolerance, below = x < 0 ? x : 0;
                const double found = below * below * weight[j + l];
                gain[j + l] = found;
                most[l] = found > most[l] ? found : most[l];
            }
        const double best = *std::max_element(most, most + LANES);
        if (!(best > 0)) return p;
        size_t j = 0;
        while (gain[j] != best) j++;
        return j;
    }

    template <class Rows>
    INLINE Result solve(Problem& problem, Rows& rows) {
        Result result;
        k = 0;
        std::fill(out_of_reach.begin(), out_of_reach.end(), char(0));
        std::fill(h.begin(), h.end(), 0.0);
        std::memcpy(delta.data(), problem.d.data(), width * sizeof(double));
        double largest = 0;
        for (size_t j = 0; j < p; j++) largest = std::max(largest, problem.diagonal[j]);
        for (size_t j = 0; j < p; j++) weight[j] = 1 / problem.diagonal[j];
        const double least = 1e-15 * largest;
        const size_t cap = 30 * p + 100;
        double total = 0;
        bool refined = false, blocked = false;
        while (true) {
            const size_t next = most_wanted(ROUNDING * largest * total);
            if (next == p) {
                if (refined || k == 0) break;
                refine(problem);  // and look again, now that delta is exact
                refined = true;
                continue;
            }
            if (result.steps++ == double(cap)) {
                result.steps = -1;
                return result;
            }
            rows.form(next, problem);
            if (!enter(next, problem, least)) {
                weight[next] = 0;  // out of reach until something else changes
                out_of_reach[next] = blocked = true;
                continue;
            }
            settle(problem);
            refined = false;
            if (blocked) release(problem), blocked = false;
            total = 0;
            for (size_t r = 0; r < k; r++) total += v[r];
        }
        for (size_t r = 0; r < k; r++) {
            const size_t j = size_t(set[r]);
            result.value -= v[r] * (problem.d[j] + delta[j]);
        }
        result.value = std::max(result.value, 0.0);
        const double bad = -250 * ROUNDING * largest * total;
        for (size_t j = 0; j < p; j++)
            if (delta[j] < bad || !std::isfinite(delta[j])) result.steps = -1;
        return result;
    }
    INLINE void release(const Problem& problem) {
        for (size_t j = 0; j < p; j++)
            if (out_of_reach[j]) out_of_reach[j] = 0, weight[j] = 1 / problem.diagonal[j];
        for (size_t r = 0; r < k; r++) weight[size_t(set[r])] = 0;
    }

    void write_dual(double* to) const {
        std::fill(to, to + p, 0.0);
        for (size_t r = 0; r < k; r++) to[set[r]] = v[r];
    }
};

// Orders lo .. hi of one collection.
VECTORISED void solve_orders(const double* covariance, const double* means, const double* observed, size_t m,
                             double eps, double* out, double* duals, size_t lo, size_t hi) {
    Pairs pairs(covariance, means, m, eps);
    Problem problem(m - 1);
    Solver solver(m - 1);
    for (size_t b = lo; b < hi; b++) {
        pairs.sort(observed + b * m);
        pairs.begin(means, problem);
        const Result result = solver.solve(problem, pairs);
        out[2 * b] = result.value;
        out[2 * b + 1] = result.steps;
        if (duals) solver.write_dual(duals + b * (m - 1));
    }
}

constexpr size_t DOWN = 4, ACROSS = 8;  // the tile of a product that is kept in registers

// gram = rows' rows, the upper tiles of it and then the mirror; rows are padded with zeros.
INLINE void gram_of(const double* rows, size_t count, size_t width, double* gram, size_t p) {
    for (size_t j = 0; j < p; j += DOWN)
        for (size_t c = j / ACROSS * ACROSS; c < width; c += ACROSS) {
            double sum[DOWN][ACROSS] = {};
            for (size_t i = 0; i < count; i++) {
                const double* row = rows + i * width;
                for (size_t a = 0; a < DOWN; a++)
                    for (size_t b = 0; b < ACROSS; b++) sum[a][b] += row[j + a] * row[c + b];
            }
            for (size_t a = 0; a < DOWN && j + a < p; a++)
                for (size_t b = 0; b < ACROSS; b++) gram[(j + a) * width + c + b] = sum[a][b];
        }
    for (size_t j = 0; j < p; j++)
        for (size_t c = 0; c < j / ACROSS * ACROSS; c++) gram[j * width + c] = gram[c * width + j];
}

// Resamples lo .. hi of a collection that was moved to where the order is true.
VECTORISED void solve_resamples(const double* differences, const double* projection, const int64_t* weights, size_t n,
                                size_t p, double eps, double* out, size_t lo, size_t hi) {
    Problem problem(p);
    Solver solver(p);
    Whole whole;
    const size_t width = problem.width;
    std::vector<double> rows(n * width), shift(width);
    for (size_t b = lo; b < hi; b++) {
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
        const Result result = solver.solve(problem, whole);
        out[2 * b] = result.value;
        out[2 * b + 1] = result.steps;
    }
}

// Calls work(lo, hi) on equal shares of 0 .. count, each in a thread.
template <class Work>
void in_threads(size_t count, int workers, const Work& work) {
    std::atomic<bool> no_memory{false};
    const auto guarded = [&](size_t lo, size_t hi) {
        try {
            work(lo, hi);
        } catch (const std::bad_alloc&) {
            no_memory = true;
        }
    };
    const size_t threads = std::max<size_t>(1, std::min<size_t>(size_t(std::max(workers, 1)), count));
    std::vector<std::thread> others;
    for (size_t t = 1; t < threads; t++) others.emplace_back(guarded, count * t / threads, count * (t + 1) / threads);
    guarded(0, count / threads);
    for (std::thread& other : others) other.join();
    if (no_memory) throw std::bad_alloc();
}

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void rank_distances(const Matrix& covariance, const Vector& means, const Matrix& observed, double eps,
                    const Output& out, const Output& duals, int workers) {
    const size_t m = means.size(), count = observed.shape(0);
    if (m < 2 || covariance.shape(0) != m || covariance.shape(1) != m || observed.shape(1) != m ||
        out.shape(0) != count || out.shape(1) != 2 ||
        (duals.shape(0) != 0 && (duals.shape(0) != count || duals.shape(1) != m - 1)))
        throw nb::value_error("shapes do not match");
    nb::gil_scoped_release unlocked;
    double* const dual = duals.shape(0) ? duals.data() : nullptr;
    in_threads(count, workers, [&](size_t lo, size_t hi) {
        solve_orders(covariance.data(), means.data(), observed.data(), m, eps, out.data(), dual, lo, hi);
    });
}

void recentred_distances(const Matrix& differences, const Vector& projection, const Weights& weights, double eps,
                         const Output& out, int workers) {
    const size_t n = differences.shape(0), p = projection.size(), count = weights.shape(0);
    if (n < 2 || p < 1 || differences.shape(1) != p || weights.shape(1) != n || out.shape(0) != count ||
        out.shape(1) != 2)
        throw nb::value_error("shapes do not match");
    nb::gil_scoped_release unlocked;
    in_threads(count, workers, [&](size_t lo, size_t hi) {
        solve_resamples(differences.data(), projection.data(), weights.data(), n, p, eps, out.data(), lo, hi);
    });
}

}  // namespace

void bind_distance(nb::module_& m) {
    m.def("rank_distances", &rank_distances);
    m.def("recentred_distances", &recentred_distances);
}
