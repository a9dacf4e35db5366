// spearman: sums of products of ranks in two rankings. Tied items have the mean of their ranks.

#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

struct Ranks {
    double product = 0, square_truth = 0, square_candidate = 0;
};

// Twice the centred rank, which is a whole number. `above` items are before the group of `size` tied items.
inline int64_t centred(int64_t above, int64_t size, int64_t n) { return 2 * above + size - n; }

// Sums of whole numbers, which are exact up to a million items, because n^3 / 3 fits 63 bits.
struct ExactSums {
    int64_t product = 0, square_truth = 0, square_candidate = 0;
    void add(int64_t r, int64_t s) {
        product += r * s;
        square_truth += r * r;
        square_candidate += s * s;
    }
    void into(Ranks& out) const {
        out.product += double(product);
        out.square_truth += double(square_truth);
        out.square_candidate += double(square_candidate);
    }
};

void ranks_small(const Order& order, const double* candidate, Ranks& out) {
    const int n = order.n;
    double y[SMALL + BLOCK];
    int32_t both[SMALL + BLOCK], above[SMALL + BLOCK], size[SMALL] = {0}, size_truth[SMALL];
    order.gather(candidate, y);
    count_above(n, y, both, above);
    for (int i = 0; i < n; i++) size[above[i]]++, size_truth[i] = 1;
    for (int g = 0; g < order.groups; g++)
        for (int i = order.group[g]; i < order.group_end[g]; i++) size_truth[i] = order.group_end[g] - order.group[g];
    ExactSums sums;
    for (int i = 0; i < n; i++)
        sums.add(centred(order.above[i], size_truth[i], n), centred(above[i], size[above[i]], n));
    sums.into(out);
}

void ranks_large(const double* truth, const double* candidate, size_t n, Ranks& out) {
    std::vector<double> rank(n), other(n);  // twice the centred rank in truth, and the score in candidate
    {
        const std::vector<Scored> order = sorted_by(truth, candidate, n);
        for (size_t lo = 0, hi; lo < n; lo = hi) {
            for (hi = lo + 1; hi < n && order[hi].score == order[lo].score; hi++) {}
            for (size_t i = lo; i < hi; i++) {
                rank[i] = double(centred(int64_t(lo), int64_t(hi - lo), int64_t(n)));
                other[i] = order[i].value;
            }
        }
    }
    const std::vector<Scored> order = sorted_by(other.data(), rank.data(), n);
    ExactSums sums;
    size_t some = 0;
    const size_t few = n <= (1u << 20) ? n : n <= (1u << 26) ? 1024 : 1;  // so many terms cannot overflow a sum
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo + 1; hi < n && order[hi].score == order[lo].score; hi++) {}
        const int64_t mine = centred(int64_t(lo), int64_t(hi - lo), int64_t(n));
        for (size_t i = lo; i < hi; i++) {
            sums.add(int64_t(order[i].value), mine);
            if (++some == few) {
                sums.into(out);
                sums = ExactSums();
                some = 0;
            }
        }
    }
    sums.into(out);
}

struct RankProducts {
    using Result = Ranks;
    void small(const Order& order, const double* candidate, Result& r) const { ranks_small(order, candidate, r); }
    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        ranks_large(truth, candidate, n, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

}  // namespace

nb::object ranks_pair(const Vector& truth, const Vector& candidate) {
    return one_pair(truth, candidate, RankProducts{});
}

bool ranks_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                const IntVector& candidate_row, const OutMatrix& out, int workers) {
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers, RankProducts{});
}

}  // namespace kernels
