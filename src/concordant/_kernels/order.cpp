// Sorting of rows: see order.hpp.

#include "order.hpp"

#include <numeric>
#include <utility>

namespace kernels {

namespace {

// Scores as 32-bit integers that order as they do, so that twice as many fit a register. Distinct scores may get the
// same integer; `count_above` sees that and falls back on the scores themselves. False where there is no such scale.
VECTORISED bool quantise(int n, const double* v, int32_t* q) {
    double low[BLOCK], high[BLOCK];
    for (int l = 0; l < BLOCK; l++) low[l] = high[l] = v[0];
    for (int b = 0; b < n; b += BLOCK)
        for (int l = 0; l < BLOCK; l++) {
            const double value = v[b + l < n ? b + l : 0];
            low[l] = value < low[l] ? value : low[l];
            high[l] = value > high[l] ? value : high[l];
        }
    const double least = *std::min_element(low, low + BLOCK), most = *std::max_element(high, high + BLOCK);
    const double scale = most > least ? 2147483000.0 / (most - least) : 1;
    if (!(scale > 0 && scale < 1e300)) return false;
    for (int i = 0; i < n; i++) q[i] = int32_t((v[i] - least) * scale);
    return true;
}

VECTORISED void count_integers(int n, const int32_t* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

VECTORISED void count_scores(int n, const double* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

// Three passes over the leading 33 bits order nearly everything; what they leave equal is sorted in place, which is
// nothing where it is a tie.
void radix_sort(std::vector<Keyed>& items) {
    constexpr int BITS = 11, PASSES = 3, BUCKETS = 1 << BITS, FIRST = 64 - BITS * PASSES;
    const size_t n = items.size();
    std::vector<Keyed> buffer(n);
    std::vector<uint32_t> histogram(size_t(PASSES) * BUCKETS);
    for (const Keyed& it : items)
        for (int p = 0; p < PASSES; p++)
            histogram[p * BUCKETS + ((it.order >> (FIRST + BITS * p)) & (BUCKETS - 1))]++;
    for (int p = 0; p < PASSES; p++) {
        uint32_t* count = histogram.data() + p * BUCKETS;
        const int shift = FIRST + BITS * p;
        if (count[(items[0].order >> shift) & (BUCKETS - 1)] == n) continue;
        uint32_t first = 0;
        for (int b = 0; b < BUCKETS; b++) first += std::exchange(count[b], first);
        for (const Keyed& it : items) buffer[count[(it.order >> shift) & (BUCKETS - 1)]++] = it;
        items.swap(buffer);
    }
    bool sorted = true;
    for (size_t i = 1; i < n; i++) sorted &= items[i - 1].order <= items[i].order;
    for (size_t lo = 0, hi; !sorted && lo < n; lo = hi) {
        bool equal = true;
        for (hi = lo + 1; hi < n && (items[hi].order ^ items[lo].order) >> FIRST == 0; hi++)
            equal &= items[hi].order == items[lo].order;
        if (!equal)
            std::sort(items.begin() + lo, items.begin() + hi,
                      [](const Keyed& a, const Keyed& b) { return a.order < b.order; });
    }
}

}  // namespace

// By integers where they tell all scores apart that differ.
void count_above(int n, const double* v, int32_t* both, int32_t* above) {
    int32_t q[SMALL + BLOCK];
    std::fill(q + n, q + n + BLOCK, 0);
    if (quantise(n, v, q)) {
        count_integers(n, q, both, above);
        double score[SMALL];
        bool exact = true;
        for (int i = 0; i < n; i++) score[above[i]] = v[i];
        for (int i = 0; i < n; i++) exact &= score[above[i]] == v[i];  // what `above` calls tied must be equal
        if (exact) return;
    }
    count_scores(n, v, both, above);
}

void Order::sort(const double* truth, int size) {
    n = size;
    double padded[SMALL + BLOCK];
    int32_t count[SMALL + BLOCK], next[SMALL + BLOCK], unused[SMALL + BLOCK];
    std::memcpy(padded, truth, n * sizeof(double));
    std::fill(padded + n, padded + n + BLOCK, 0.0);
    count_above(n, padded, unused, count);
    std::iota(next, next + n, 0);
    for (int i = 0; i < n; i++) {
        const int place = next[count[i]]++;
        item[place] = i;
        above[place] = count[i];
        x[place] = truth[i];
    }
    groups = 0;
    tied_pairs = 0;
    for (int lo = 0, hi; lo < n; lo = hi) {
        hi = next[lo];
        if (hi - lo < 2) continue;
        group[groups] = lo;
        group_end[groups++] = hi;
        tied_pairs += pairs_of(hi - lo);
    }
}

std::vector<Keyed> sorted_by(const double* score, const double* value, size_t n) {
    std::vector<Keyed> items(n);
    for (size_t i = 0; i < n; i++) items[i] = Keyed(score[i], value[i]);
    radix_sort(items);
    return items;
}

}  // namespace kernels
