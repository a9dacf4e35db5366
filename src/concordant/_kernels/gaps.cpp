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
    double sum = 0;     // of the share of the gaps that is concordant
    double places = 0;  // how many items have a positive gap to an item above them
    double tied_candidate = 0;

    void add(double concordant, double discordant) {
        const double all = concordant + discordant;
        if (all > 0) {
            sum += concordant / all;
            places++;
        }
    }
};

// The items above i in candidate, by their gap in truth: those above in truth, too, and the others. x is in order, and
// all terms are >= 0, so nothing cancels.
VECTORISED void sum_gaps(int n, const double* x, const double* y, double* concordant, double* discordant) {
    constexpr int FEW = 8;  // more would not fit the registers
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

// Only ratios of gaps count: scores whose gaps could add up to infinity are scaled down, as little as that needs.
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

// Sorts items[lo..hi), given in the order of candidate, by x, best first, adding up the gaps to items of an earlier
// place. Both sweeps only add what is >= 0.
void gap_sort(Gapped* items, Gapped* buffer, size_t lo, size_t hi) {
    if (hi - lo < 2) return;
    const size_t mid = lo + (hi - lo) / 2;
    gap_sort(items, buffer, lo, mid);
    gap_sort(items, buffer, mid, hi);
    double sum = 0, count = 0;
    for (size_t l = lo, r = mid; r < hi; r++) {
        if (r > mid) sum += count * (items[r - 1].x - items[r].x);
        for (; l < mid && items[l].x > items[r].x; l++, count++) sum += items[l].x - items[r].x;
        items[r].concordant += sum;
    }
    sum = count = 0;
    for (size_t l = mid, r = hi; r-- > mid;) {
        if (r + 1 < hi) sum += count * (items[r].x - items[r + 1].x);
        for (; l > lo && items[l - 1].x < items[r].x; l--, count++) sum += items[r].x - items[l - 1].x;
        items[r].discordant += sum;
    }
    std::merge(items + lo, items + mid, items + mid, items + hi, buffer + lo,
               [](const Gapped& a, const Gapped& b) { return a.x > b.x; });
    std::copy(buffer + lo, buffer + hi, items + lo);
}

void gaps_large(const double* truth, const double* candidate, size_t n, Gaps& g) {
    std::vector<Gapped> items(n);
    {
        const std::vector<Keyed> order = sorted_by(candidate, truth, n);
        const auto [lowest, highest] = std::minmax_element(truth, truth + n);
        const double scale = gap_scale(*lowest, *highest, n);
        for (size_t i = 0; i < n; i++) {
            items[i] = {order[i].value * scale, 0, 0};
            g.tied_candidate += i && order[i].order == order[i - 1].order;
        }
    }
    std::vector<Gapped> buffer(n);
    gap_sort(items.data(), buffer.data(), 0, n);
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
