// weighted_tau: concordant minus discordant pairs. The weight of a pair is the sum of 1 / rank over its two items.

#include <cstdint>
#include <vector>

#include "concordance.hpp"
#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

// The sum of both items' weights over pairs equals a sum over items of weight times number of pairs.
struct Weighed {
    double agreement = 0, untied_truth = 0, untied_candidate = 0;

    void add(int64_t place, int64_t agreeing, int64_t apart_truth, int64_t apart_candidate) {
        const double weight = 1.0 / double(place + 1);
        agreement += weight * double(agreeing);
        untied_truth += weight * double(apart_truth);
        untied_candidate += weight * double(apart_candidate);
    }
};

struct Weights {
    Weighed by_truth, by_candidate;
};

// Items in the order of the truth, best first. Items tied in truth are in order from the worst to the best in
// candidate.
void weigh(size_t n, const int32_t* both, const int32_t* above, const int32_t* above_truth, Weights& w) {
    const int64_t others = int64_t(n) - 1;
    std::vector<int32_t> size(n);  // size of candidate's tied group that begins at a place
    bool ties = above_truth != nullptr;
    for (size_t i = 0; i < n; i++) ties |= ++size[above[i]] > 1;
    if (!ties) {
        for (size_t i = 0; i < n; i++) {
            const int64_t agreeing = others - 2 * (int64_t(above[i]) + int64_t(i) - 2 * int64_t(both[i]));
            w.by_truth.add(int64_t(i), agreeing, others, others);
            w.by_candidate.add(above[i], agreeing, others, others);
        }
        return;
    }
    std::vector<int32_t> seen(n);  // number of its items that are above in truth
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo + 1; above_truth && hi < n && size_t(above_truth[hi]) == lo; hi++) {}
        for (size_t a = lo, b; a < hi; a = b) {  // tied on both sides
            for (b = a + 1; b < hi && above[b] == above[a]; b++) {}
            const int64_t better = int64_t(hi - b);    // tied in truth, above in candidate
            const int64_t before = seen[above[a]];     // tied in candidate, above in truth
            const int64_t tied_truth = int64_t(hi - lo) - 1, tied_candidate = size[above[a]] - 1;
            const int64_t tied_both = int64_t(b - a) - 1;
            for (size_t i = a; i < b; i++) {
                const int64_t swapped = above[i] - both[i] - better + int64_t(lo) - both[i] - before;
                const int64_t alike = others - tied_truth - tied_candidate + tied_both - swapped;
                const int64_t own = int64_t(i - a);  // items tied on both sides have no order
                w.by_truth.add(int64_t(lo) + better + own, alike - swapped, others - tied_truth,
                               others - tied_candidate);
                w.by_candidate.add(above[i] + before + own, alike - swapped, others - tied_truth,
                                   others - tied_candidate);
            }
        }
        for (size_t i = lo; i < hi; i++) seen[above[i]]++;
    }
}

struct WeightedPairs {
    using Result = Weights;
    void small(const Order& order, const double* candidate, Result& r) const {
        double y[SMALL + BLOCK];
        int32_t both[SMALL + BLOCK], above[SMALL + BLOCK];
        order.gather(candidate, y);
        count_above(order.n, y, both, above);
        weigh(size_t(order.n), both, above, order.ties() ? order.above : nullptr, r);
    }
    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        const LargeCounts counts(truth, candidate, n);
        weigh(n, counts.both.data(), counts.above.data(),
              counts.above_truth.empty() ? nullptr : counts.above_truth.data(), r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

}  // namespace

nb::object weights_pair(const Vector& truth, const Vector& candidate) {
    return one_pair(truth, candidate, WeightedPairs{});
}

bool weights_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                  const IntVector& candidate_row, const OutMatrix& out, int workers) {
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers, WeightedPairs{});
}

}  // namespace kernels
