// tau_gap: for each item, the gaps in truth to the items above it in candidate.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "order.hpp"
#include "pairing.hpp"

namespace kernels {

namespace {

struct Gaps {
    double sum = 0;     // sum of the concordant shares of gaps
    double places = 0;  // number of items with a positive gap to an item above
    double tied_candidate = 0;

    void add(double concordant, double discordant) {
        const double all = concordant + discordant;
        if (all > 0) {
            sum += concordant / all;
            places++;
        }
    }
};

// Sums of gaps in truth to the items above i in candidate, one for items also above i in truth, one for the others. x
// is sorted, and all terms are >= 0, so nothing cancels.
VECTORISED void sum_gaps(int n, const double* x, const double* y, double* concordant, double* discordant) {
    constexpr int FEW = 8;  // more items do not fit the registers
    for (int b = 0; b < n; b += FEW) {
        double mine_x[FEW], mine_y[FEW], up[FEW] = {0}, down[FEW] = {0};
        std::memcpy(mine_x, x + b, sizeof mine_x);
        std::memcpy(mine_y, y + b, sizeof mine_y);
        const int end = std::min(n, b + FEW);
        for (int j = 0; j < end; j++)
            for (int l = 0; l < FEW; l++)
                up[l] += y[j] > mine_y[l] ? std::max(x[j] - mine_x[l], 0.0) : 0.0;
        for (int j = b; j < n; j++)
            for (int l = 0; l < FEW; l++)
                down[l] += y[j] > mine_y[l] ? std::max(mine_x[l] - x[j], 0.0) : 0.0;
        std::memcpy(concordant + b, up, sizeof up);
        std::memcpy(discordant + b, down, sizeof down);
    }
}

// Only ratios of gaps matter, so scores with gaps that could overflow are divided by a power of two.
double gap_scale(double lowest, double highest, size_t n) {
    int size, count;
    std::frexp(std::max(std::fabs(lowest), std::fabs(highest)), &size);
    std::frexp(double(n), &count);
    return std::ldexp(1.0, std::min(0, 1022 - size - count));
}

void gaps_small(const Order& order, const double* candidate, Gaps& g) {
    const int n = order.n;
    double x[SMALL + BLOCK], y[SMALL + BLOCK], concordant[SMALL + BLOCK], discordant[SMALL + BLOCK];
    int32_t both[SMALL + BLOCK], above[SMALL + BLOCK];
    const double scale = gap_scale(order.x[n - 1], order.x[0], n);
    for (int i = 0; i < n; i++) x[i] = order.x[i] * scale;
    std::fill(x + n, x + n + BLOCK, 0.0);
    order.gather(candidate, y);
    sum_gaps(n, x, y, concordant, discordant);
    for (int i = 0; i < n; i++) g.add(concordant[i], discordant[i]);
    count_above(n, y, both, above);
    g.tied_candidate = pairs_of(n) - double(std::accumulate(above, above + n, int64_t(0)));
}

struct Gapped {
    double x, concordant, discordant;
};

inline const Gapped* select(bool first, const Gapped* a, const Gapped* b) {
    const uintptr_t mask = -uintptr_t(first), x = uintptr_t(a), y = uintptr_t(b);
    return reinterpret_cast<const Gapped*>(y ^ ((x ^ y) & mask));
}

constexpr int GAP_BLOCK = 16;  // blocks of this many items compare all pairs

// Compares all pairs of a few items, given in the order of candidate, then sorts them by x, best first.
VECTORISED void gap_block(const Gapped* from, int n, Gapped* out) {
    double x[GAP_BLOCK], up[GAP_BLOCK] = {0}, down[GAP_BLOCK] = {0};
    int32_t place[GAP_BLOCK] = {0};
    for (int i = 0; i < GAP_BLOCK; i++) x[i] = from[std::min(i, n - 1)].x;
    for (int j = 0; j < n; j++)
        for (int l = 0; l < GAP_BLOCK; l++) {
            const double gap = l > j ? x[j] - x[l] : 0;
            up[l] += std::max(gap, 0.0);
            down[l] += std::max(-gap, 0.0);
            place[l] += int32_t(x[j] > x[l]) | (int32_t(x[j] == x[l]) & int32_t(j < l));
        }
    for (int i = 0; i < n; i++) out[place[i]] = {x[i], up[i], down[i]};
}

// Sorts items[lo..hi), given in the order of candidate, by x, best first, into items or into buffer, adding up the gaps
// to items of an earlier place. Walking down, `sum` adds up how far the passed items of the left half are above the
// current x; walking up, how far they are below it. All terms are >= 0. Which half comes next is unpredictable, so no
// branch depends on it.
void gap_sort(Gapped* items, Gapped* buffer, size_t lo, size_t hi, bool into_items) {
    if (hi - lo <= GAP_BLOCK) {
        Gapped some[GAP_BLOCK];
        std::copy(items + lo, items + hi, some);
        gap_block(some, int(hi - lo), (into_items ? items : buffer) + lo);
        return;
    }
    const size_t mid = lo + (hi - lo) / 2;
    gap_sort(items, buffer, lo, mid, !into_items);
    gap_sort(items, buffer, mid, hi, !into_items);
    Gapped* from = into_items ? buffer : items;
    Gapped* out = (into_items ? items : buffer) + lo;
    const Gapped *left = from + mid, *const first = from + lo;
    Gapped *right = from + hi, *const middle = from + mid;
    double sum = 0, count = 0, at = right[-1].x;
    while (left > first && right > middle) {  // up
        const bool take = left[-1].x < right[-1].x;
        const double x = select(take, left, right)[-1].x;
        sum += count * (x - at);
        at = x;
        right[-1].discordant += sum * double(!take);
        count += double(take);
        left -= take;
        right -= !take;
    }
    for (; right > middle; right--) {
        sum += count * (right[-1].x - at);
        at = right[-1].x;
        right[-1].discordant += sum;
    }
    left = first;
    const Gapped *const left_end = middle, *const right_end = from + hi;
    sum = count = 0;
    at = left->x;
    for (; left < left_end && right < right_end; out++) {  // down
        const bool take = left->x >= right->x;
        const Gapped* next = select(take, left, right);
        sum += count * (at - next->x);
        at = next->x;
        *out = {next->x, next->concordant + sum * double(!take), next->discordant};
        count += double(take);
        left += take;
        right += !take;
    }
    out = std::copy(left, left_end, out);
    for (; right < right_end; right++) {
        sum += count * (at - right->x);
        at = right->x;
        *out++ = {right->x, right->concordant + sum, right->discordant};
    }
}

void gaps_large(const double* truth, const double* candidate, size_t n, Gaps& g) {
    std::vector<Gapped> items(n);
    {
        const std::vector<Scored> order = sorted_by(candidate, truth, n);
        const auto [lowest, highest] = std::minmax_element(truth, truth + n);
        const double scale = gap_scale(*lowest, *highest, n);
        for (size_t i = 0; i < n; i++) {
            items[i] = {order[i].value * scale, 0, 0};
            g.tied_candidate += i && order[i].score == order[i - 1].score;
        }
    }
    std::vector<Gapped> buffer(n);
    gap_sort(items.data(), buffer.data(), 0, n, true);
    for (const Gapped& it : items) g.add(it.concordant, it.discordant);
}

struct GapSums {
    using Result = Gaps;
    void small(const Order& order, const double* candidate, Result& r) const {
        gaps_small(order, candidate, r);
    }
    void large(const double* truth, const double* candidate, size_t n, Result& r) const {
        gaps_large(truth, candidate, n, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

}  // namespace

nb::object gaps_pair(const Vector& truth, const Vector& candidate) {
    return one_pair(truth, candidate, GapSums{});
}

bool gaps_rows(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row, const IntVector& candidate_row,
               const OutMatrix& out, int workers) {
    return many_pairs(truth, candidate, truth_row, candidate_row, out, workers, GapSums{});
}

}  // namespace kernels
