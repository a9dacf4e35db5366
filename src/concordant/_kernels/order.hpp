// Sorts rows of scores, best first: up to SMALL items by counting the items above each, more by radix sort. An item
// is above another when its score is higher.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiler.hpp"

namespace kernels {

constexpr int SMALL = 384;  // up to this number, all pairs are compared
constexpr int FEW = 128;    // up to this number, 16 bits distinguish the scores of most rows
constexpr int BLOCK = 32;   // items compared with one other item at a time

inline double pairs_of(double n) { return n * (n - 1) / 2; }

// ---------------------------------------------------------------------------------------------
// Up to SMALL items.
// ---------------------------------------------------------------------------------------------

// above[i] = number of j with v[j] > v[i], both[i] = number of those with j < i. v is readable, and the results are
// writable, up to the next multiple of BLOCK.
template <class Value>
INLINE void count_pairs(int n, const Value* v, int32_t* both, int32_t* above) {
    for (int b = 0; b < n; b += BLOCK) {
        Value mine[BLOCK];
        int32_t before[BLOCK] = {0}, all[BLOCK] = {0};
        std::memcpy(mine, v + b, sizeof mine);
        for (int j = 0; j < b; j++)
            for (int l = 0; l < BLOCK; l++) before[l] += v[j] > mine[l];
        const int end = std::min(n, b + BLOCK);
        for (int j = b; j < end; j++)
            for (int l = 0; l < BLOCK; l++) {
                const int32_t is = v[j] > mine[l];
                before[l] += is & int32_t(l > j - b);
                all[l] += is & int32_t(l <= j - b);
            }
        for (int j = end; j < n; j++)
            for (int l = 0; l < BLOCK; l++) all[l] += v[j] > mine[l];
        for (int l = 0; l < BLOCK; l++) {
            both[b + l] = before[l];
            above[b + l] = before[l] + all[l];
        }
    }
}

// Computes the same as count_pairs, for up to SMALL scores.
void count_above(int n, const double* v, int32_t* both, int32_t* above);

// The number of pairs j < i with v[j] > v[i]; -1 if there are more than FEW scores, or two are equal or nearly so.
int32_t count_descents(int n, const double* v);

// The truth, ready for many rows of candidates.
struct Order {
    int n = 0;
    int groups = 0;  // number of groups of tied items
    double tied_pairs = 0;
    int32_t item[SMALL + BLOCK];   // item[i] is the index of the i-th best
    int32_t above[SMALL + BLOCK];  // number of items above the i-th best
    double x[SMALL + BLOCK];       // score of the i-th best
    int32_t group[SMALL], group_end[SMALL];

    bool ties() const { return groups > 0; }

    void sort(const double* truth, int size);

    // The candidate's scores in this order. Items tied in truth are sorted from the worst to the best, so that the one
    // with the greater index is never below the other. `y` has room for BLOCK more than n, which are set to 0. Inline,
    // because a call per row would cost time.
    void gather(const double* candidate, double* y) const {
        for (int i = 0; i < n; i++) y[i] = candidate[item[i]];
        for (int g = 0; g < groups; g++) {
            if (group_end[g] - group[g] > 8)
                std::sort(y + group[g], y + group_end[g]);
            else
                for (int end = group_end[g]; end > group[g]; end--)
                    for (int i = group[g] + 1; i < end; i++) {
                        const double a = y[i - 1], b = y[i];
                        y[i - 1] = std::min(a, b);
                        y[i] = std::max(a, b);
                    }
        }
        std::fill(y + n, y + n + BLOCK, 0.0);
    }
};

// ---------------------------------------------------------------------------------------------
// More items.
// ---------------------------------------------------------------------------------------------

// Sorts the best score first, and keeps the order of equal scores. The low half of an item is the index of a score, the
// high half the number of greater ones. `items` and `buffer` have room for n.
void sort_indices(const double* score, size_t n, uint64_t* items, uint64_t* buffer);

struct Scored {
    double score, value;
};

// Also sorts best first; each score carries the value of the other side.
std::vector<Scored> sorted_by(const double* score, const double* value, size_t n);

}  // namespace kernels
