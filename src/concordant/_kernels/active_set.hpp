// Non-negative quadratic programs: v >= 0 minimising v'Sv/2 + d'v, by the active-set method of Lawson and Hanson on the
// Gram matrix S. Differences whose delta = d + Sv is negative enter the active set. If the solution on the set turns a
// v negative, the step is shortened and that v leaves. The inverse of a Cholesky factor of S on the set is updated,
// never recomputed. Every round lowers the objective, so no set should recur. Rounding could make one recur, so a cap
// on the steps ends the search, and the result says so.
//
// constraints.hpp defines the differences and finds those with the largest gain. Everything is inlined into the
// VECTORISED functions of distance.cpp, so that it is compiled for each processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiler.hpp"
#include "lanes.hpp"

namespace kernels {

constexpr double ROUNDING = 4e-16;
constexpr double NEARLY = 0.2;  // differences with this share of the largest gain may enter with it

struct Solution {
    double value = 0;  // v'Sv
    double steps = 0;  // about how often a difference entered; -1 if the solver gave up
};

// The active set. If S on the set is L L', it keeps the rows of L^-1 and its columns, the rows of the transpose.
// With h = L^-1 (-d on the set) the solution on the set is (L^-1)'h. A difference that enters adds a row and moves the
// solution along it, without solving a triangular system.
struct Solver {
    size_t p, width, k = 0;             // p: the most active differences; k: size of the active set
    std::vector<int32_t> set;           // the active differences, by place
    std::vector<double> rows, columns;  // of L^-1, padded
    std::vector<double> s, x, h, v, z;  // by place; z: the solution on the set, v: the point reached on the way to z

    explicit Solver(size_t p)
        : p(p), width(padded(p)), set(p), rows(p * width), columns(p * width), s(width), x(width), h(width), v(width),
          z(width) {}

    double* row(size_t r) { return rows.data() + r * width; }

    // The entries of S between difference j and the set.
    template <class Constraints>
    INLINE void gather(size_t j, const Constraints& of) {
        of.between(j, set.data(), k, s.data());
        std::fill(s.begin() + std::ptrdiff_t(k), s.begin() + std::ptrdiff_t(padded(k + 1)), 0.0);
    }

    // Adds difference j to the set and updates z. Returns false if rounding makes its pivot or its step useless.
    template <class Constraints>
    INLINE bool enter(size_t j, Constraints& of, double least) {
        if (k == p) return false;
        gather(j, of);
        const size_t end = padded(k + 1);
        combine(columns.data(), width, s.data(), k, x.data(), end);  // L^-1 s
        const double pivot = of.variance(j) - dot(x.data(), x.data(), end);
        const double below = -of.mean(j) - dot(s.data(), z.data(), end);  // - delta_j on this set
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
        of.entered(j);
        add(z.data(), mine, h[k], end);
        k++;
        return true;
    }

    // Removes the difference at place q. Rotations of neighbouring rows move its column of L^-1 into the last row. Then
    // this row and the column, now 0, are removed.
    template <class Constraints>
    INLINE void leave(size_t q, Constraints& of) {
        of.left(size_t(set[q]));
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

    // Recomputes the columns from the rows, and the solution, after a difference has left.
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

    // Moves towards the solution on the set. Entries of v that would turn negative stop at 0 and leave the set.
    template <class Constraints>
    INLINE void settle(Constraints& of) {
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
                if (!(v[r] > 0) && !(z[r] > 0)) leave(r, of);
            restore();
        }
        std::memcpy(v.data(), z.data(), k * sizeof(double));
    }

    // Takes one step of Newton's method, with the residual delta on the set computed from S itself.
    template <class Constraints>
    INLINE void refine(Constraints& of) {
        const size_t end = padded(k);
        std::fill(s.begin(), s.end(), 0.0);
        for (size_t r = 0; r < k; r++) s[r] = of.delta(size_t(set[r]));
        combine(columns.data(), width, s.data(), k, x.data(), end);
        combine(rows.data(), width, x.data(), k, s.data(), end);
        for (size_t r = 0; r < k; r++)
            if (!(v[r] - s[r] > 0)) return;
        for (size_t r = 0; r < k; r++) v[r] -= s[r];
        of.update(set.data(), v.data(), k);
    }

    // After the difference with the largest gain, enters others that gain nearly as much, if they still do.
    template <class Constraints>
    INLINE void enter_more(Constraints& of, double best, double least, double& steps) {
        for (size_t t = 0; t < of.candidates() && k < p; t++) {
            const size_t j = of.candidate(t);
            if (of.gain(t) < NEARLY * best || of.weight(j) == 0) continue;
            of.form(j);
            gather(j, of);
            const double below = -of.mean(j) - dot(s.data(), z.data(), padded(k + 1));
            if (!(below > 0) || below * below * of.weight(j) < NEARLY * best) continue;
            steps += enter(j, of, least);
            if (!positive()) return;
        }
    }

    template <class Constraints>
    INLINE Solution solve(Constraints& of) {
        Solution found;
        k = 0;
        std::fill(h.begin(), h.end(), 0.0);
        std::fill(z.begin(), z.end(), 0.0);
        const double largest = of.begin();
        const double least = 1e-15 * largest, cap = 30 * double(p) + 100;
        double total = 0;
        bool refined = false;
        while (true) {
            double best = 0;
            const size_t next = of.most_wanted(ROUNDING * largest * total, best);
            if (!(best > 0)) {
                if (refined || k == 0) break;
                refine(of);  // and check again
                refined = true;
                continue;
            }
            if (found.steps >= cap) {
                found.steps = -1;
                return found;
            }
            found.steps++;
            of.form(next);
            if (!enter(next, of, least)) {
                of.block(next);  // until another change
                continue;
            }
            if (positive()) enter_more(of, best, least, found.steps);
            settle(of);
            refined = false;
            of.release(set.data(), k);
            total = 0;
            for (size_t r = 0; r < k; r++) total += v[r];
            of.update(set.data(), v.data(), k);
        }
        double gap = 0;  // bound on the distance to a solution in which the order holds
        for (size_t r = 0; r < k; r++) {
            const size_t j = size_t(set[r]);
            found.value -= v[r] * (of.mean(j) + of.delta(j));
            gap += v[r] * of.delta(j);
        }
        found.value = std::max(found.value, 0.0);
        const double least_delta = of.least_delta();
        gap = std::abs(gap) - total * std::min(least_delta, 0.0);
        const bool kept = least_delta >= -250 * ROUNDING * largest * total;
        if (!kept || gap > of.widest_gap * found.value) found.steps = -1;
        return found;
    }

    void write_dual(double* to) const {
        std::fill(to, to + p, 0.0);
        for (size_t r = 0; r < k; r++) to[set[r]] = v[r];
    }
};

}  // namespace kernels
