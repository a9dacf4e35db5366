// rbo: the discounted overlap of two rankings of the same items down to each depth. coefficients/overlap.py has the
// formulas and the treatments of ties.

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

enum Ties { ALL_IN = 0, EXPECTED = 1, CORRECTED = 2 };  // "w", "a" and "b"

struct Overlaps {
    double sum = 0;     // sum of weight times agreement
    double weight = 0;  // sum of weights
    double last = 0;    // agreement at the last depth, if its weight is not 0
};

// One side: the first and last rank, counted from 1, of each item's group, and of the group at each depth.
struct Side {
    std::vector<int32_t> top, bottom;
    std::vector<int32_t> top_at, bottom_at;
    bool ties = false;

    explicit Side(size_t n) : top(n), bottom(n), top_at(n), bottom_at(n) {}

    void group(size_t lo, size_t hi) {
        ties |= hi - lo > 1;
        for (size_t d = lo; d < hi; d++) top_at[d] = int32_t(lo + 1), bottom_at[d] = int32_t(hi);
    }
};

struct Counted {
    double begun, begun_done, done_begun, done;
};

// Sums the product of both sides' contributions over the items. The mixed terms are added first, so that
// exchanging the sides gives the same bits.
inline double blend(double a, double b, const Counted& c) {
    const double mixed = a * (1 - b) * c.begun_done + (1 - a) * b * c.done_begun;
    return a * b * c.begun + mixed + (1 - a) * (1 - b) * c.done;
}

void overlaps(const Side& s, const Side& l, size_t n, const double* weights, int ties, Overlaps& out) {
    const bool tied = s.ties || l.ties, parts = tied && ties != ALL_IN;
    std::vector<int32_t> begun(n), begun_done(parts ? n : 0), done_begun(parts ? n : 0), done(parts ? n : 0);
    for (size_t i = 0; i < n; i++) {
        begun[std::max(s.top[i], l.top[i]) - 1]++;
        if (!parts) continue;
        begun_done[std::max(s.top[i], l.bottom[i]) - 1]++;
        done_begun[std::max(s.bottom[i], l.top[i]) - 1]++;
        done[std::max(s.bottom[i], l.bottom[i]) - 1]++;
    }
    Counted c = {0, 0, 0, 0};
    for (size_t d = 0; d < n && weights[d] > 0; d++) {
        const double depth = double(d + 1);
        c.begun += begun[d];
        double agreement;
        if (!tied) {
            agreement = c.begun / depth;
        } else if (ties == ALL_IN) {
            agreement = c.begun / ((double(s.bottom_at[d]) + double(l.bottom_at[d])) / 2);
        } else {
            c.begun_done += begun_done[d];
            c.done_begun += done_begun[d];
            c.done += done[d];
            double share[2], square[2];
            for (int side = 0; side < 2; side++) {
                const Side& it = side ? l : s;
                const double top = it.top_at[d], bottom = it.bottom_at[d];
                share[side] = (depth - top + 1) / (bottom - top + 1);
                const double complete = bottom == depth ? depth : top - 1;
                square[side] = blend(share[side], share[side], {bottom, complete, complete, complete});
            }
            const double largest = ties == EXPECTED ? depth : std::sqrt(square[0] * square[1]);
            agreement = blend(share[0], share[1], c) / largest;
        }
        out.sum += agreement * weights[d];
        out.weight += weights[d];
        out.last = d + 1 == n ? agreement : 0;
    }
}

struct DiscountedOverlap {
    using Result = Overlaps;
    const double* weights;
    int ties;

    void small(const Order& order, const double* candidate, Result& r) const {
        const size_t n = size_t(order.n);
        Side s(n), l(n);
        for (size_t lo = 0, hi; lo < n; lo = hi) {
            for (hi = lo + 1; hi < n && size_t(order.above[hi]) == lo; hi++) {}
            s.group(lo, hi);
            for (size_t i = lo; i < hi; i++) s.top[i] = int32_t(lo + 1), s.bottom[i] = int32_t(hi);
        }
        double y[SMALL + BLOCK];
        int32_t both[SMALL + BLOCK], above[SMALL + BLOCK], size[SMALL] = {0};
        order.gather(candidate, y);
        count_above(order.n, y, both, above);
        for (size_t i = 0; i < n; i++) size[above[i]]++;
        for (size_t lo = 0; lo < n; lo += size_t(size[lo])) l.group(lo, lo + size_t(size[lo]));
        for (size_t i = 0; i < n; i++) l.top[i] = above[i] + 1, l.bottom[i] = above[i] + size[above[i]];
        overlaps(s, l, n, weights, ties, r);
    }

    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        std::vector<double> index(n);
        for (size_t i = 0; i < n; i++) index[i] = double(i);
        const auto ranked = [&](const double* scores) {
            Side side(n);
            const std::vector<Scored> order = sorted_by(scores, index.data(), n);
            for (size_t lo = 0, hi; lo < n; lo = hi) {
                for (hi = lo + 1; hi < n && order[hi].score == order[lo].score; hi++) {}
                side.group(lo, hi);
                for (size_t i = lo; i < hi; i++) {
                    const size_t item = size_t(order[i].value);
                    side.top[item] = int32_t(lo + 1), side.bottom[item] = int32_t(hi);
                }
            }
            return side;
        };
        overlaps(ranked(truth), ranked(candidate), n, weights, ties, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

}  // namespace

nb::object overlaps_pair(const Vector& truth, const Vector& candidate, const Vector& weights, int ties) {
    require_shape("weights", weights, truth.size());
    return one_pair(truth, candidate, DiscountedOverlap{weights.data(), ties});
}

bool overlaps_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                   const IntVector& candidate_row, const OutMatrix& out, int workers, const Vector& weights, int ties) {
    require_shape("weights", weights, truth.shape(1));
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers,
                      DiscountedOverlap{weights.data(), ties});
}

}  // namespace kernels
