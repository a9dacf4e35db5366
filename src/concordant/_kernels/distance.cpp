// The solver of the rank distance. reference_distance.py is its twin, and the place to read what is computed.
//
// The dual, v >= 0 minimising v'Sv/2 + d'v, is solved by the active-set method of Lawson and Hanson on the Gram matrix
// S: differences whose delta = d + Sv is negative enter the active set; where the solution on the set turns a v
// negative, the step is cut and that v leaves. The inverse of a Cholesky factor of S on the set is updated, never
// computed anew, and rows of S are formed when their difference enters. Every round lowers the objective, so no set
// comes twice; where rounding would have it otherwise, a cap on the steps ends the search and the caller is told.
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
#include <vector>

#include "compiler.hpp"
#include "threads.hpp"

namespace nb = nanobind;

namespace {

constexpr size_t LANES = 8;  // partial sums of a dot product, and the width that rows are padded to
constexpr double ROUNDING = 4e-16;
constexpr double NEARLY = 0.2;  // of the largest gain: what may enter together with the difference that has it

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

constexpr size_t BATCH = 64;

// Four doubles. GCC keeps a few of these in registers over a loop, which it does not do with arrays of doubles.
#if defined(GNU_VECTORS)
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#pragma GCC diagnostic ignored "-Wpsabi"  // they are never passed to what is not inline
#else
struct Four {
    double of[4];
    Four operator*(const Four& o) const {
        return {{of[0] * o.of[0], of[1] * o.of[1], of[2] * o.of[2], of[3] * o.of[3]}};
    }
    Four& operator+=(const Four& o) {
        for (int l = 0; l < 4; l++) of[l] += o.of[l];
        return *this;
    }
};
#endif
INLINE Four four(const double* from) {
    Four found;
    std::memcpy(&found, from, sizeof found);
    return found;
}
INLINE Four four(double x) { return Four{x, x, x, x}; }
INLINE void store(double* to, const Four& x) { std::memcpy(to, &x, sizeof x); }

// to = start + the sum of factor[r] * at[r], some columns at a time, which are kept in registers.
template <size_t PARTS>
INLINE void scattered_block(const double* const* at, const double* factor, size_t count, const double* start, double* to,
                            size_t c) {
    Four sum[PARTS];
    for (size_t l = 0; l < PARTS; l++) sum[l] = four(start + c + 4 * l);
    for (size_t r = 0; r < count; r++) {
        const double* const from = at[r] + c;
        const Four share = four(factor[r]);
        for (size_t l = 0; l < PARTS; l++) sum[l] += share * four(from + 4 * l);
    }
    for (size_t l = 0; l < PARTS; l++) store(to + c + 4 * l, sum[l]);
}
INLINE void scattered(const double* const* at, const double* factor, size_t count, const double* start, double* to,
                      size_t end) {
    size_t c = 0;
    for (; c + 32 <= end; c += 32) scattered_block<8>(at, factor, count, start, to, c);
    for (; c + 16 <= end; c += 16) scattered_block<4>(at, factor, count, start, to, c);
    for (; c < end; c += 8) scattered_block<2>(at, factor, count, start, to, c);
}

// The same without a start, for rows one after the other.
template <size_t PARTS>
INLINE void combine_block(const double* from, size_t stride, const double* factor, size_t count, double* to) {
    Four sum[PARTS];
    for (size_t l = 0; l < PARTS; l++) sum[l] = four(0.0);
    for (size_t r = 0; r < count; r++, from += stride) {
        const Four share = four(factor[r]);
        for (size_t l = 0; l < PARTS; l++) sum[l] += share * four(from + 4 * l);
    }
    for (size_t l = 0; l < PARTS; l++) store(to + 4 * l, sum[l]);
}
INLINE void combine(const double* from, size_t stride, const double* factor, size_t count, double* to, size_t end) {
    size_t c = 0;
    for (; c + 32 <= end; c += 32) combine_block<8>(from + c, stride, factor, count, to + c);
    for (; c + 16 <= end; c += 16) combine_block<4>(from + c, stride, factor, count, to + c);
    for (; c < end; c += 8) combine_block<2>(from + c, stride, factor, count, to + c);
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

// The active set, and with S on the set = L L': the rows of L^-1, and its columns, which are the rows of its transpose.
// With h = L^-1 (-d on the set) the solution on the set is (L^-1)'h: a difference that enters adds a row and moves the
// solution along it, and no triangular system is ever solved.
struct Solver {
    size_t p, width, k = 0;           // k: size of the active set
    std::vector<int32_t> set;         // the active differences, by place
    std::vector<char> out_of_reach;
    std::vector<double> rows, columns;        // of L^-1, padded
    std::vector<double> s, x, h, v, z;        // by place; z: the solution on the set, v: how far it could be followed
    std::vector<double> delta, gain, weight;  // by difference; weight: 1 / its variance, 0 in the set

    explicit Solver(size_t p)
        : p(p), width(padded(p)), set(p), out_of_reach(p), rows(p * width), columns(p * width), s(width), x(width),
          h(width), v(width), z(width), delta(width), gain(width), weight(width) {}

    double* row(size_t r) { return rows.data() + r * width; }

    // S between difference j and the set.
    INLINE void gather(size_t j, const Problem& problem) {
        const double* const from = problem.s.data() + j * width;
        const size_t end = padded(k + 1);
        for (size_t r = 0; r < k; r++) s[r] = from[set[r]];
        for (size_t r = k; r < end; r++) s[r] = 0;
    }

    // Difference j enters, and z follows. False if rounding leaves nothing of its pivot or of its step.
    INLINE bool enter(size_t j, const Problem& problem, double least) {
        gather(j, problem);
        const size_t end = padded(k + 1);
        combine(columns.data(), width, s.data(), k, x.data(), end);  // L^-1 s
        const double pivot = problem.diagonal[j] - dot(x.data(), x.data(), end);
        const double below = -problem.d[j] - dot(s.data(), z.data(), end);  // - delta_j on this set
        if (!(pivot > least) || !(below > 0)) return false;
        const double scale = 1 / std::sqrt(pivot);
        double* const mine = row(k);
        combine(rows.data(), width, x.data(), k, mine, end);
        for (size_t c = 0; c < k; c++) mine[c] *= -scale;
        mine[k] = scale;
        std::memset(mine + k + 1, 0, (width - k - 1) * sizeof(double));
        std::memset(columns.data() + k * width, 0, width * sizeof(double));
        for (size_t c = 0; c <= k; c++) columns[c * width + k] = mine[c];
        h[k] = below * scale;
        v[k] = z[k] = 0;
        set[k] = int32_t(j);
        weight[j] = 0;
        add(z.data(), mine, h[k], end);
        k++;
        return true;
    }

    // The difference at place q leaves. Rotations of neighbouring rows move its column of L^-1 into the last row, which
    // goes, and the column, 0 by then, with it.
    INLINE void leave(size_t q, const Problem& problem) {
        weight[size_t(set[q])] = 1 / problem.diagonal[size_t(set[q])];
        const size_t end = padded(k);
        for (size_t r = q; r + 1 < k; r++) {
            set[r] = set[r + 1];
            v[r] = v[r + 1];
            double* const a = row(r);
            double* const b = row(r + 1);
            const double first = a[q], second = b[q], size = std::sqrt(first * first + second * second);
            const double c = second / size, t = first / size;
            for (size_t i = 0; i < end; i += LANES)
                for (size_t l = 0; l < LANES; l++) {
                    const double one = a[i + l], other = b[i + l];
                    a[i + l] = c * one - t * other;
                    b[i + l] = t * one + c * other;
                }
            const double one = h[r], other = h[r + 1];
            h[r] = c * one - t * other;
            h[r + 1] = t * one + c * other;
        }
        k--;
        h[k] = v[k] = 0;
        for (size_t r = 0; r < k; r++) {
            double* const u = row(r);
            std::memmove(u + q, u + q + 1, (k - q) * sizeof(double));
            u[k] = 0;
        }
    }

    // After something left: the columns from the rows, and the solution.
    INLINE void restore() {
        const size_t end = padded(k);
        for (size_t c = 0; c < k; c++) {
            double* const to = columns.data() + c * width;
            const double* from = rows.data() + c;
            for (size_t r = 0; r < c; r++) to[r] = 0;
            for (size_t r = c; r < k; r++) to[r] = from[r * width];
            for (size_t r = k; r < width; r++) to[r] = 0;
        }
        std::fill(z.begin(), z.end(), 0.0);
        combine(rows.data(), width, h.data(), k, z.data(), end);
    }

    INLINE bool positive() const {
        bool all = true;
        for (size_t r = 0; r < k; r++) all &= z[r] > 0;
        return all;
    }

    // Follow the solution on the set; whatever would turn negative stops at 0 and leaves, until nothing does.
    INLINE void settle(const Problem& problem) {
        while (!positive()) {
            double step = 1;
            size_t first = k;
            for (size_t r = 0; r < k; r++)
                if (!(z[r] > 0)) {
                    const double reach = v[r] > 0 ? v[r] / (v[r] - z[r]) : 0;
                    if (first == k || reach < step) step = reach, first = r;
                }
            for (size_t r = 0; r < k; r++) v[r] += step * (z[r] - v[r]);
            v[first] = 0;
            for (size_t r = k; r-- > 0;)
                if (!(v[r] > 0) && !(z[r] > 0)) leave(r, problem);
            restore();
        }
        std::memcpy(v.data(), z.data(), k * sizeof(double));
    }

    INLINE void update_delta(const Problem& problem) {
        const double* at[BATCH];
        size_t done = 0;
        const double* from = problem.d.data();
        do {  // some rows at a time, so that their addresses fit an array
            const size_t some = std::min(BATCH, k - done);
            for (size_t r = 0; r < some; r++) at[r] = problem.s.data() + size_t(set[done + r]) * width;
            scattered(at, v.data() + done, some, from, delta.data(), width);
            from = delta.data();
            done += some;
        } while (done < k);
    }

    // One step of Newton's method with what delta, computed from S itself, has left on the set.
    INLINE void refine(const Problem& problem) {
        const size_t end = padded(k);
        std::fill(s.begin(), s.end(), 0.0);
        for (size_t r = 0; r < k; r++) s[r] = delta[size_t(set[r])];
        combine(columns.data(), width, s.data(), k, x.data(), end);
        combine(rows.data(), width, x.data(), k, s.data(), end);
        for (size_t r = 0; r < k; r++)
            if (!(v[r] - s[r] > 0)) return;
        for (size_t r = 0; r < k; r++) v[r] -= s[r];
        update_delta(problem);
    }

    // The difference outside of the set that would gain most by itself; p if none is violated.
    INLINE size_t most_wanted(double tolerance) {
        double most[LANES] = {};
        for (size_t j = 0; j < width; j += LANES)
            for (size_t l = 0; l < LANES; l++) {
                const double above = delta[j + l] + tolerance, below = above < 0 ? above : 0;
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

    // With the most wanted one, others may enter at once that gain nearly as much, and still do after those before.
    template <class Source>
    INLINE void enter_more(Problem& problem, Source& from, double best, double least, double& steps) {
        for (size_t j = 0; j < p; j++) {
            if (gain[j] < NEARLY * best || weight[j] == 0) continue;
            from.form(j, problem);
            gather(j, problem);
            const double below = -problem.d[j] - dot(s.data(), z.data(), padded(k + 1));
            if (!(below > 0) || below * below * weight[j] < NEARLY * best) continue;
            steps += enter(j, problem, least);
            if (!positive()) return;
        }
    }

    template <class Source>
    INLINE Result solve(Problem& problem, Source& from) {
        Result result;
        k = 0;
        std::fill(out_of_reach.begin(), out_of_reach.end(), char(0));
        std::fill(h.begin(), h.end(), 0.0);
        std::fill(z.begin(), z.end(), 0.0);
        std::memcpy(delta.data(), problem.d.data(), width * sizeof(double));
        double largest = 0;
        for (size_t j = 0; j < p; j++) largest = std::max(largest, problem.diagonal[j]);
        for (size_t j = 0; j < p; j++) weight[j] = 1 / problem.diagonal[j];
        const double least = 1e-15 * largest, cap = 30 * double(p) + 100;
        double total = 0;
        bool refined = false, blocked = false;
        while (true) {
            const size_t next = most_wanted(ROUNDING * largest * total);
            if (next == p) {
                if (refined || k == 0) break;
                refine(problem);  // and look again
                refined = true;
                continue;
            }
            if (result.steps >= cap) {
                result.steps = -1;
                return result;
            }
            result.steps++;
            from.form(next, problem);
            if (!enter(next, problem, least)) {
                weight[next] = 0;  // out of reach until something else changes
                out_of_reach[next] = blocked = true;
                continue;
            }
            if (positive()) enter_more(problem, from, gain[next], least, result.steps);
            settle(problem);
            refined = false;
            if (blocked) release(problem), blocked = false;
            total = 0;
            for (size_t r = 0; r < k; r++) total += v[r];
            update_delta(problem);
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

// Rows 0 .. count are handed out to threads, some at a time, so that none waits for a slower one. A row's result does
// not depend on who computes it.
struct Rows {
    const size_t count;
    std::atomic<size_t> taken{0};

    explicit Rows(size_t count) : count(count) {}
};
constexpr size_t AT_A_TIME = 16;

struct Turn {
    Rows& all;
    size_t row = 0, end = 0;

    explicit Turn(Rows& all) : all(all) {}
    bool next() {
        if (++row < end) return true;
        row = all.taken.fetch_add(AT_A_TIME);
        end = std::min(row + AT_A_TIME, all.count);
        return row < end;
    }
};

VECTORISED void solve_orders(const double* covariance, const double* means, const double* observed, size_t m,
                             double eps, double* out, double* duals, Rows& todo) {
    Pairs pairs(covariance, means, m, eps);
    Problem problem(m - 1);
    Solver solver(m - 1);
    for (Turn turn(todo); turn.next();) {
        const size_t b = turn.row;
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

// Sums over the topics of each resample. Four topics at a time, so that the sums are loaded and stored less often.
VECTORISED void sum_resamples(const double* values, const int64_t* weights, size_t n, size_t m, double* out,
                              Rows& todo) {
    std::vector<const double*> drawn(n + 3);
    std::vector<double> times(n + 3);
    for (Turn turn(todo); turn.next();) {
        const int64_t* const w = weights + turn.row * n;
        size_t count = 0;  // topics that were drawn at all: some two thirds
        for (size_t i = 0; i < n; i++) {
            drawn[count] = values + i * m;
            times[count] = double(w[i]);
            count += w[i] != 0;
        }
        for (; count % 4 != 0; count++) {
            drawn[count] = values;
            times[count] = 0.0;
        }
        double* __restrict const to = out + turn.row * m;
        std::fill(to, to + m, 0.0);
        for (size_t i = 0; i < count; i += 4) {
            const double *const a = drawn[i], *const b = drawn[i + 1], *const c = drawn[i + 2], *const d = drawn[i + 3];
            const double s = times[i], t = times[i + 1], u = times[i + 2], v = times[i + 3];
            for (size_t j = 0; j < m; j++) to[j] += (s * a[j] + t * b[j]) + (u * c[j] + v * d[j]);
        }
    }
}

// Resamples of a collection that was moved to where the order is true.
VECTORISED void solve_resamples(const double* differences, const double* projection, const int64_t* weights, size_t n,
                                size_t p, double eps, double* out, Rows& todo) {
    Problem problem(p);
    Solver solver(p);
    Whole whole;
    const size_t width = problem.width;
    std::vector<double> rows(n * width), shift(width);
    for (Turn turn(todo); turn.next();) {
        const size_t b = turn.row;
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

// Calls work(todo) in each of `workers` threads, until all rows are done.
template <class Work>
void in_threads(size_t count, int workers, const Work& work) {
    Rows todo(count);
    std::atomic<bool> no_memory{false};
    const auto guarded = [&] {
        try {
            work(todo);
        } catch (const std::bad_alloc&) {
            no_memory = true;
        }
    };
    in_parallel(thread_count(workers, (count + AT_A_TIME - 1) / AT_A_TIME), [&](size_t) { guarded(); });
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
    in_threads(count, workers, [&](Rows& todo) {
        solve_orders(covariance.data(), means.data(), observed.data(), m, eps, out.data(), dual, todo);
    });
}

void recentred_distances(const Matrix& differences, const Vector& projection, const Weights& weights, double eps,
                         const Output& out, int workers) {
    const size_t n = differences.shape(0), p = projection.size(), count = weights.shape(0);
    if (n < 2 || p < 1 || differences.shape(1) != p || weights.shape(1) != n || out.shape(0) != count ||
        out.shape(1) != 2)
        throw nb::value_error("shapes do not match");
    nb::gil_scoped_release unlocked;
    in_threads(count, workers, [&](Rows& todo) {
        solve_resamples(differences.data(), projection.data(), weights.data(), n, p, eps, out.data(), todo);
    });
}

void resampled_sums(const Matrix& values, const Weights& weights, const Output& out, int workers) {
    const size_t n = values.shape(0), m = values.shape(1), count = weights.shape(0);
    if (weights.shape(1) != n || out.shape(0) != count || out.shape(1) != m)
        throw nb::value_error("shapes do not match");
    nb::gil_scoped_release unlocked;
    in_threads(count, workers, [&](Rows& todo) {
        sum_resamples(values.data(), weights.data(), n, m, out.data(), todo);
    });
}

}  // namespace

void bind_distance(nb::module_& m) {
    const auto array = nb::arg().noconvert();  // what is written to a converted copy would be lost
    const auto number = nb::arg();
    m.def("rank_distances", &rank_distances, array, array, array, number, array, array, number);
    m.def("recentred_distances", &recentred_distances, array, array, array, number, array, number);
    m.def("resampled_sums", &resampled_sums, array, array, array, number);
}
