// Pairs that two rankings order alike, up to SMALL items, and the sums over items for any number: see concordance.hpp.

#include "concordance.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

// Values of 1 / k, computed once for all rows.
const struct Reciprocals {
    double of[SMALL];
    Reciprocals() {
        for (int k = 1; k < SMALL; k++) of[k] = 1.0 / k;
    }
} RECIPROCAL;

// Sums part / whole. Where whole is 0, part is 0 too. A null `whole` stands for the index. Blocks keep the rounding
// error small.
VECTORISED double sum_ratios(size_t n, const int32_t* part, const int32_t* whole) {
    double sum = 0;
    for (size_t lo = 0; lo < n; lo += 1024) {
        double lane[BLOCK] = {0};
        const size_t hi = std::min(n, lo + 1024);
        for (size_t i = lo; i < hi; i += BLOCK) {
            int32_t above[BLOCK], below[BLOCK];
            const size_t size = std::min<size_t>(BLOCK, hi - i);
            for (int l = 0; l < BLOCK; l++) above[l] = 0, below[l] = int32_t(i) + l;
            std::memcpy(above, part + i, size * sizeof(int32_t));
            if (whole) std::memcpy(below, whole + i, size * sizeof(int32_t));
            for (int l = 0; l < BLOCK; l++) lane[l] += double(above[l]) / double(below[l] + (below[l] == 0));
        }
        for (int l = 0; l < BLOCK; l++) sum += lane[l];
    }
    return sum;
}

double count_zeros(size_t n, const int32_t* values) {
    int64_t zeros = 0;
    for (size_t i = 0; i < n; i++) zeros += values[i] == 0;
    return double(zeros);
}

}  // namespace

void sum_over_items(const PerItem& p, int extra, Counts& c) {
    const size_t n = p.n;
    c.down_candidate = sum_ratios(n, p.both, p.above);
    if (extra & BACK) c.down_truth = sum_ratios(n, p.both, p.above_truth);
    c.top_candidate = count_zeros(n, p.above);
    c.top_truth = p.above_truth ? count_zeros(n, p.above_truth) : 1;
    if (!p.ties) {
        c.mean_candidate = c.strict_candidate = c.down_candidate;
        c.alone_candidate = 1;
        return;
    }
    if (extra & MEAN) {
        // A tied group takes places p .. p+t-1 in every order equally often: urbano2017, equations 6 and 8.
        // Loop over the places, then over the items, without branches on the number of ties.
        std::vector<int32_t> size(n);    // size of the group that begins at a place, from 0
        std::vector<double> inverse(n);  // sum of 1 / place over this group
        for (size_t i = 0; i < n; i++) size[p.above[i]] = p.tied[i];
        double within = 0, mean = 0;
        for (size_t k = 1, first = 0; k < n; k++) {
            const double one = k < SMALL ? RECIPROCAL.of[k] : 1.0 / double(k);
            first = begin_if(size[k] != 0, k, first);
            inverse[first] += one;
            within += double(int32_t(k - first)) * one;
        }
        for (size_t k = 0; k < n; k++) {  // an untied item adds exactly both / place
            const int32_t alone = -int32_t(size[k] == 1), place = std::max(int32_t(k), 1);
            inverse[k] = alone ? 1.0 : inverse[k];
            size[k] = (place & alone) | (size[k] & ~alone);
        }
        for (size_t i = 0; i < n; i++) mean += p.both[i] * inverse[p.above[i]] / double(size[p.above[i]]);
        c.mean_candidate = mean;
        c.within_candidate = 0.5 * within;
    }
    if (extra & STRICT) {
        for (size_t i = 0; i < n; i++) {
            const double others = double(p.above[i]) + p.tied[i] - 1;
            if (others > 0)
                c.strict_candidate += (double(p.both[i]) + (p.same ? p.same[i] : 0)) / others;
            else
                c.alone_candidate = 1;
        }
    }
}

namespace {

void concordance_small(const Order& order, const double* candidate, int extra, Counts& c) {
    const int n = order.n;
    double y[SMALL + BLOCK];
    int32_t both[SMALL + BLOCK], above[SMALL + BLOCK], equal[SMALL + BLOCK], same[SMALL + BLOCK];
    order.gather(candidate, y);
    if (const int32_t descents = extra & PAIRS ? count_descents(n, y) : -1; descents >= 0) {  // no ties in candidate
        c.concordant = descents;
        c.tied_truth = order.tied_pairs;
        c.discordant = pairs_of(n) - c.concordant - c.tied_truth;
        return;
    }
    count_above(n, y, both, above);
    int64_t ordered = 0, concordant = 0;
    for (int i = 0; i < n; i++) {
        ordered += above[i];
        concordant += both[i];
    }
    c.concordant = double(concordant);
    c.tied_truth = order.tied_pairs;
    c.tied_candidate = pairs_of(n) - double(ordered);
    const bool ties = c.tied_candidate > 0;
    if (ties && order.ties()) {
        std::fill(same, same + n, 0);
        for (int g = 0; g < order.groups; g++)
            for (int lo = order.group[g], hi; lo < order.group_end[g]; lo = hi) {
                for (hi = lo + 1; hi < order.group_end[g] && y[hi] == y[lo]; hi++) {}
                std::fill(same + lo, same + hi, hi - lo - 1);
                c.tied_both += pairs_of(hi - lo);
            }
    }
    if (ties && (extra & (MEAN | STRICT))) {
        int32_t size[SMALL] = {0};
        for (int i = 0; i < n; i++) size[above[i]]++;
        for (int i = 0; i < n; i++) equal[i] = size[above[i]];
    }
    c.discordant = pairs_of(n) - c.concordant - c.tied_truth - c.tied_candidate + c.tied_both;
    if (extra & PAIRS) return;
    sum_over_items({size_t(n), both, above, order.ties() ? order.above : nullptr, ties, equal,
                    order.ties() ? same : nullptr},
                   extra, c);
}

struct Concordance {
    using Result = Counts;
    double tolerance;
    int extra;
    void small(const Order& order, const double* candidate, Result& r) const {
        concordance_small(order, candidate, extra, r);
    }
    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        if (tolerance > 0)
            concordance_tolerant(truth, candidate, n, tolerance, extra, r);
        else
            concordance_large(truth, candidate, n, extra, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL && !(tolerance > 0); }
};

}  // namespace

nb::object concordance_pair(const Vector& truth, const Vector& candidate, double tolerance, int extra) {
    return one_pair(truth, candidate, Concordance{tolerance, extra});
}

bool concordance_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                      const IntVector& candidate_row, const OutMatrix& out, int workers, double tolerance, int extra) {
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers, Concordance{tolerance, extra});
}

}  // namespace kernels
