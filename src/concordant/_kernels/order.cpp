// Sorting of rows of up to SMALL items: see order.hpp.

#include "order.hpp"

#include <numeric>

namespace kernels {

namespace {

// Converts scores to integers from `first` to first + `most` in the same order, so that more of them fit a register.
// Distinct scores may get equal integers, which callers detect. Returns false if no scale is suitable.
template <class Whole>
INLINE bool quantise(int n, const double* v, int32_t first, double most, Whole* q) {
    double low[BLOCK], high[BLOCK];
    for (int l = 0; l < BLOCK; l++) low[l] = high[l] = v[0];
    for (int b = 0; b < n; b += BLOCK)
        for (int l = 0; l < BLOCK; l++) {
            const double value = v[b + l < n ? b + l : 0];
            low[l] = value < low[l] ? value : low[l];
            high[l] = value > high[l] ? value : high[l];
        }
    const double least = *std::min_element(low, low + BLOCK), largest = *std::max_element(high, high + BLOCK);
    const double scale = largest > least ? most / (largest - least) : 1;
    if (!(scale > 0 && scale < 1e300)) return false;
    for (int i = 0; i < n; i++) q[i] = Whole(first + int32_t((v[i] - least) * scale));
    return true;
}

// Rows of up to FEW scores as 16-bit integers, which usually differ. A comparison of vectors gives -1 for true, so
// counts stay in registers.
#if defined(GNU_VECTORS)
constexpr int WIDE = 16;
typedef int16_t Shorts __attribute__((vector_size(2 * WIDE), aligned(2), may_alias));
#pragma GCC diagnostic ignored "-Wpsabi"  // only inline functions take them as arguments

INLINE Shorts shorts(const int16_t* from) {
    Shorts found;
    std::memcpy(&found, from, sizeof found);
    return found;
}

// LATER + WIDE - k is -1 from the k-th lane on, and 0 before.
alignas(64) const int16_t LATER[2 * WIDE] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                             -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

// Counts the pairs whose earlier item is greater; -1 if two are equal.
INLINE int32_t short_descents(int n, const int16_t* v) {
    Shorts count = {}, equal = {};  // FEW items add at most FEW * FEW / WIDE to a lane
    for (int b = 0; b < n; b += WIDE) {
        const Shorts mine = shorts(v + b);
        for (int j = 0; j < b; j++) {
            const Shorts one = v[j] - Shorts{};
            count -= one > mine;
            equal |= one == mine;
        }
        for (int k = 1; k < WIDE && b + k < n; k++) {
            const Shorts one = v[b + k - 1] - Shorts{}, mask = shorts(LATER + WIDE - k);
            count -= (one > mine) & mask;
            equal |= (one == mine) & mask;
        }
    }
    int16_t counted[WIDE], same[WIDE];
    std::memcpy(counted, &count, sizeof count);
    std::memcpy(same, &equal, sizeof equal);
    int32_t descents = 0, ties = 0;
    for (int l = 0; l < WIDE; l++) descents += counted[l], ties |= same[l];
    return ties ? -1 : descents;
}

// Computes the same as count_pairs.
INLINE void short_pairs(int n, const int16_t* v, int32_t* both, int32_t* above) {
    int16_t counted[2][FEW + BLOCK];
    for (int b = 0; b < n; b += WIDE) {
        const Shorts mine = shorts(v + b);
        Shorts before = {}, after = {};
        const int size = std::min(n - b, WIDE);
        for (int j = 0; j < b; j++) before -= (v[j] - Shorts{}) > mine;
        for (int k = 1; k <= size; k++) {
            const Shorts is = (v[b + k - 1] - Shorts{}) > mine, mask = shorts(LATER + WIDE - k);
            before -= is & mask;
            after -= is & ~mask;
        }
        for (int j = b + size; j < n; j++) after -= (v[j] - Shorts{}) > mine;
        after += before;
        std::memcpy(counted[0] + b, &before, sizeof before);
        std::memcpy(counted[1] + b, &after, sizeof after);
    }
    for (int i = 0; i < n; i++) both[i] = counted[0][i];
    for (int i = 0; i < n; i++) above[i] = counted[1][i];
}
#else
inline int32_t short_descents(int n, const int16_t* v) {
    int32_t descents = 0;
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (v[j] == v[i]) return -1;
            descents += v[j] > v[i];
        }
    return descents;
}

inline void short_pairs(int n, const int16_t* v, int32_t* both, int32_t* above) { count_pairs(n, v, both, above); }
#endif

INLINE bool as_shorts(int n, const double* v, int16_t* q) {
    std::fill(q + n, q + n + BLOCK, int16_t(INT16_MAX));  // no score has this value or a higher one
    return quantise(n, v, INT16_MIN, 65534.0, q);
}

VECTORISED int32_t count_descents_of_few(int n, const double* v) {
    int16_t q[FEW + BLOCK];
    return as_shorts(n, v, q) ? short_descents(n, q) : -1;
}

VECTORISED bool count_few(int n, const double* v, int32_t* both, int32_t* above) {
    int16_t q[FEW + BLOCK];
    if (!as_shorts(n, v, q)) return false;
    short_pairs(n, q, both, above);
    return true;
}

VECTORISED bool count_integers(int n, const double* v, int32_t* both, int32_t* above) {
    int32_t q[SMALL + BLOCK];
    if (!quantise(n, v, 0, 2147483000.0, q)) return false;
    std::fill(q + n, q + n + BLOCK, 0);
    count_pairs(n, q, both, above);
    return true;
}

VECTORISED void count_scores(int n, const double* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

// Returns whether scores that are tied in `above` are equal.
bool told_apart(int n, const double* v, const int32_t* above) {
    double score[SMALL];
    bool exact = true;
    for (int i = 0; i < n; i++) score[above[i]] = v[i];
    for (int i = 0; i < n; i++) exact &= score[above[i]] == v[i];
    return exact;
}

}  // namespace

int32_t count_descents(int n, const double* v) { return n <= FEW ? count_descents_of_few(n, v) : -1; }

// Uses integers if they distinguish all different scores.
void count_above(int n, const double* v, int32_t* both, int32_t* above) {
    if (n <= FEW && count_few(n, v, both, above) && told_apart(n, v, above)) return;
    if (count_integers(n, v, both, above) && told_apart(n, v, above)) return;
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

}  // namespace kernels
