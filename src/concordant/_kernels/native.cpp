// The loops of concordant that pay to be compiled. Every function here has a twin of the same name
// in reference.py, which is where to read what it computes; this file is about doing it fast.
//
// Kernels take contiguous float64 rows and return counts and sums. They never label, print, raise
// or draw random numbers, and they release the GIL. Formulas live in coefficients/.
//
// Ways to count concordant pairs, all exact:
// - up to SMALL items: compare every pair, thirty-two items at a time. At these sizes n^2 comparisons without a
//   single mispredicted branch beat any sort;
// - beyond: radix sort by `observed`, then one merge sort by `truth` that counts while it merges;
// - with a tolerance, where "tied" is not transitive: a Fenwick tree over the ranks in `truth`.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "threads.hpp"

namespace nb = nanobind;

namespace {

constexpr int SMALL = 384;  // up to here all pairs are compared
constexpr int LANES = 32;   // items that are compared with one other item at a time
constexpr size_t MOST = INT32_MAX;  // items of a row: places are counted in 32 bits

// ---------------------------------------------------------------------------------------------
// What a pair of rows has in common. The order is that of reference.FIELDS.
// ---------------------------------------------------------------------------------------------
struct Counts {
    double concordant = 0, discordant = 0, tied_truth = 0, tied_observed = 0, tied_both = 0;
    double top_truth = 0, top_observed = 0;
    double down_truth = 0, down_observed = 0;
    double mean_observed = 0, within_observed = 0;
    double strict_observed = 0, alone_observed = 0;
};
constexpr size_t COUNTS = sizeof(Counts) / sizeof(double);

enum Extra { MEAN = 1, STRICT = 2, BACK = 4 };  // sums that only some coefficients ask for

bool all_finite(const double* v, size_t n) {
    // An exponent of all ones is NaN or infinite; the bits are tested together, without a branch.
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        std::memcpy(&bits, v + i, sizeof bits);
        bad |= uint64_t((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u);
    }
    return !bad;
}

double pairs(double n) { return n * (n - 1) / 2; }

// Where the current run of equals began, walking up: here, or where it did before. A branch would be mispredicted.
inline size_t begin_if(bool here, size_t i, size_t before) { return std::max(before, i & -size_t(here)); }

const struct Reciprocals {
    double of[SMALL];
    Reciprocals() {
        for (int k = 1; k < SMALL; k++) of[k] = 1.0 / k;
    }
} RECIPROCAL;

// Per item; where above_x is null, in the order of the truth, best first.
struct PerItem {
    size_t n;
    const int32_t* both;      // items above it on both sides
    const int32_t* above;     // items above it in observed
    const int32_t* above_x;   // items above it in truth; null when that is its index
    bool ties;                // whether there are ties in observed
    const int32_t* tied;      // items tied with it in observed, itself included; read only for MEAN and STRICT
    const int32_t* same;      // other items tied with it on both sides, or null; read only for STRICT
};

// The sum of part / whole, where whole = 0 implies part = 0. A null `whole` is the index. Blocks keep the rounding
// error small.
VECTORISED double sum_ratios(size_t n, const int32_t* part, const int32_t* whole) {
    double sum = 0;
    for (size_t lo = 0; lo < n; lo += 1024) {
        double lane[LANES] = {0};
        const size_t hi = std::min(n, lo + 1024);
        for (size_t i = lo; i < hi; i += LANES) {
            int32_t above[LANES], below[LANES];
            const size_t size = std::min<size_t>(LANES, hi - i);
            for (int l = 0; l < LANES; l++) above[l] = 0, below[l] = int32_t(i) + l;
            std::memcpy(above, part + i, size * sizeof(int32_t));
            if (whole) std::memcpy(below, whole + i, size * sizeof(int32_t));
            for (int l = 0; l < LANES; l++) lane[l] += double(above[l]) / double(below[l] + (below[l] == 0));
        }
        for (int l = 0; l < LANES; l++) sum += lane[l];
    }
    return sum;
}

double count_zeros(size_t n, const int32_t* values) {
    int64_t zeros = 0;
    for (size_t i = 0; i < n; i++) zeros += values[i] == 0;
    return double(zeros);
}

// The sums of coefficients/ap.py. `concordant`, `tied_*` and `discordant` are the caller's.
void sum_over_items(const PerItem& p, int extra, Counts& c) {
    const size_t n = p.n;
    c.down_observed = sum_ratios(n, p.both, p.above);
    if (extra & BACK) c.down_truth = sum_ratios(n, p.both, p.above_x);
    c.top_observed = count_zeros(n, p.above);
    c.top_truth = p.above_x ? count_zeros(n, p.above_x) : 1;
    if (!p.ties) {
        c.mean_observed = c.strict_observed = c.down_observed;
        c.alone_observed = 1;
        return;
    }
    if (extra & MEAN) {
        // A tied group takes places p .. p+t-1 in every order equally often: urbano2017, equations 6 and 8.
        // Passes over the places, then one over the items, none with a branch on how many are tied.
        std::vector<int32_t> size(n);             // of the group that begins at a place, from 0
        std::vector<double> inverse(n);           // sum of 1 / place over it
        for (size_t i = 0; i < n; i++) size[p.above[i]] = p.tied[i];
        double within = 0, mean = 0;
        for (size_t k = 1, first = 0; k < n; k++) {
            const double one = k < SMALL ? RECIPROCAL.of[k] : 1.0 / double(k);
            first = begin_if(size[k] != 0, k, first);
            inverse[first] += one;
            within += double(int32_t(k - first)) * one;
        }
        for (size_t k = 0; k < n; k++) {  // alone at its place: both / place, exactly
            const int32_t alone = -int32_t(size[k] == 1), place = std::max(int32_t(k), 1);
            inverse[k] = alone ? 1.0 : inverse[k];
            size[k] = (place & alone) | (size[k] & ~alone);
        }
        for (size_t i = 0; i < n; i++) mean += p.both[i] * inverse[p.above[i]] / double(size[p.above[i]]);
        c.mean_observed = mean;
        c.within_observed = 0.5 * within;
    }
    if (extra & STRICT) {
        for (size_t i = 0; i < n; i++) {
            const double others = double(p.above[i]) + p.tied[i] - 1;
            if (others > 0)
                c.strict_observed += (double(p.both[i]) + (p.same ? p.same[i] : 0)) / others;
            else
                c.alone_observed = 1;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Up to SMALL items: every pair.
// ---------------------------------------------------------------------------------------------
// Scores as 32-bit integers that order as they do, so that twice as many fit a register. Distinct scores may get the
// same integer; `concordance_small` sees that and falls back on the scores themselves.
VECTORISED bool quantise(int n, const double* v, int32_t* q) {
    double low[LANES], high[LANES];
    for (int l = 0; l < LANES; l++) low[l] = high[l] = v[0];
    for (int b = 0; b < n; b += LANES)
        for (int l = 0; l < LANES; l++) {
            const double value = v[b + l < n ? b + l : 0];
            low[l] = value < low[l] ? value : low[l];
            high[l] = value > high[l] ? value : high[l];
        }
    const double least = *std::min_element(low, low + LANES), most = *std::max_element(high, high + LANES);
    const double scale = most > least ? 2147483000.0 / (most - least) : 1;
    if (!(scale > 0 && scale < 1e300)) return false;
    for (int i = 0; i < n; i++) q[i] = int32_t((v[i] - least) * scale);
    return true;
}

// above[i] = number of j with v[j] > v[i], both[i] = number of those with j < i. v is readable, and the results are
// writable, up to the next multiple of LANES.
template <class Value>
INLINE void count_pairs(int n, const Value* v, int32_t* both, int32_t* above) {
    for (int b = 0; b < n; b += LANES) {
        Value mine[LANES];
        int32_t before[LANES] = {0}, all[LANES] = {0};
        std::memcpy(mine, v + b, sizeof mine);
        for (int j = 0; j < b; j++)
            for (int l = 0; l < LANES; l++) before[l] += v[j] > mine[l];
        const int end = std::min(n, b + LANES);
        for (int j = b; j < end; j++)
            for (int l = 0; l < LANES; l++) {
                const int32_t is = v[j] > mine[l];
                before[l] += is & int32_t(l > j - b);
                all[l] += is & int32_t(l <= j - b);
            }
        for (int j = end; j < n; j++)
            for (int l = 0; l < LANES; l++) all[l] += v[j] > mine[l];
        for (int l = 0; l < LANES; l++) {
            both[b + l] = before[l];
            above[b + l] = before[l] + all[l];
        }
    }
}

VECTORISED void count_integers(int n, const int32_t* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

VECTORISED void count_keys(int n, const int64_t* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

VECTORISED void count_scores(int n, const double* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

// As count_pairs, for scores, by integers where they tell all scores apart that differ.
void count(int n, const double* v, int32_t* both, int32_t* above) {
    int32_t q[SMALL + LANES];
    std::fill(q + n, q + n + LANES, 0);
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

// One truth, ready for many observed rows.
struct Order {
    int n = 0;
    int groups = 0;  // of tied items
    double tied_pairs = 0;
    int32_t item[SMALL + LANES];   // item[i] is the index of the i-th best
    int32_t above[SMALL + LANES];  // number of items strictly better than the i-th best
    double x[SMALL + LANES];       // its score
    int32_t group[SMALL], group_end[SMALL];

    bool ties() const { return groups > 0; }

    void sort(const double* truth, int size) {
        n = size;
        double padded[SMALL + LANES];
        int32_t count[SMALL + LANES], next[SMALL + LANES], unused[SMALL + LANES];
        std::memcpy(padded, truth, n * sizeof(double));
        std::fill(padded + n, padded + n + LANES, 0.0);
        ::count(n, padded, unused, count);
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
            tied_pairs += pairs(hi - lo);
        }
    }

    // An observed row in this order; items tied in truth from the worst to the best, so that of two of them the one
    // with the greater index is never below the other. Their own order means nothing.
    void gather(const double* row, double* y) const {
        for (int i = 0; i < n; i++) y[i] = row[item[i]];
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
        std::fill(y + n, y + n + LANES, 0.0);
    }
};

void concordance_small(const Order& order, const double* observed, int extra, Counts& c) {
    const int n = order.n;
    double y[SMALL + LANES];
    int32_t both[SMALL + LANES], above[SMALL + LANES], equal[SMALL + LANES], same[SMALL + LANES];
    order.gather(observed, y);
    count(n, y, both, above);
    int64_t ordered = 0, concordant = 0;
    for (int i = 0; i < n; i++) {
        ordered += above[i];
        concordant += both[i];
    }
    c.concordant = double(concordant);
    c.tied_truth = order.tied_pairs;
    c.tied_observed = pairs(n) - double(ordered);
    const bool ties = c.tied_observed > 0;
    if (ties && order.ties()) {
        std::fill(same, same + n, 0);
        for (int g = 0; g < order.groups; g++)
            for (int lo = order.group[g], hi; lo < order.group_end[g]; lo = hi) {
                for (hi = lo + 1; hi < order.group_end[g] && y[hi] == y[lo]; hi++) {}
                std::fill(same + lo, same + hi, hi - lo - 1);
                c.tied_both += pairs(hi - lo);
            }
    }
    if (ties && (extra & (MEAN | STRICT))) {
        int32_t size[SMALL] = {0};
        for (int i = 0; i < n; i++) size[above[i]]++;
        for (int i = 0; i < n; i++) equal[i] = size[above[i]];
    }
    c.discordant = pairs(n) - c.concordant - c.tied_truth - c.tied_observed + c.tied_both;
    sum_over_items({size_t(n), both, above, order.ties() ? order.above : nullptr, ties, equal,
                    order.ties() ? same : nullptr},
                   extra, c);
}

// ---------------------------------------------------------------------------------------------
// Beyond: radix sort, then a merge sort that counts.
// ---------------------------------------------------------------------------------------------
// Keys are integers that order as scores do, and compare faster.
int64_t key_of(double score) {
    score += 0.0;  // -0.0 and 0.0 are one score
    int64_t bits;
    std::memcpy(&bits, &score, sizeof bits);
    return bits ^ ((bits >> 63) & INT64_MAX);
}

double score_of(int64_t key) {
    key ^= (key >> 63) & INT64_MAX;
    double score;
    std::memcpy(&score, &key, sizeof score);
    return score;
}

struct Keyed {
    uint64_t order;  // ascending from the best score to the worst
    double value;    // the other side's score

    Keyed() = default;
    Keyed(double score, double other) : order(uint64_t(INT64_MAX) - uint64_t(key_of(score))), value(other) {}
    double score() const { return score_of(int64_t(uint64_t(INT64_MAX) - order)); }
};

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

// Best score first, each with the other side's value.
std::vector<Keyed> sorted_by(const double* score, const double* value, size_t n) {
    std::vector<Keyed> items(n);
    for (size_t i = 0; i < n; i++) items[i] = Keyed(score[i], value[i]);
    radix_sort(items);
    return items;
}

struct Counted {
    int64_t x;       // key of the score in truth
    uint32_t place;  // in observed, from 0
    uint32_t both;   // items above on both sides, so far
};

// Sorts by x, best first, items that are given by place, and adds to each how many items of an earlier place have a
// greater x. Of equal x the later place comes first. `start` gives the first place of a tied group and is null
// without ties; a range is only ever split between groups, so that ties are never counted.
struct CountingSort {
    Counted* items;   // sorted at the end
    Counted* buffer;  // as large
    const uint32_t* start;

    // Sorts the places lo..hi of items, into items or into buffer.
    void sort(size_t lo, size_t hi, bool into_items) const {
        if (start && start[hi - 1] <= lo) {  // one tied group: nothing to count
            std::sort(items + lo, items + hi, [](const Counted& a, const Counted& b) { return a.x > b.x; });
            if (!into_items) std::copy(items + lo, items + hi, buffer + lo);
        } else if (hi - lo <= LANES) {
            block(items + lo, int(hi - lo), (into_items ? items : buffer) + lo);
        } else {
            const size_t mid = split(lo, hi);
            sort(lo, mid, !into_items);
            sort(mid, hi, !into_items);
            const Counted* from = into_items ? buffer : items;
            merge(from + lo, from + mid, from + hi, (into_items ? items : buffer) + lo);
        }
    }

    size_t split(size_t lo, size_t hi) const {
        const size_t mid = lo + (hi - lo) / 2;
        if (!start) return mid;
        const uint32_t first = start[mid];
        if (first > lo) return first;
        // The group begins this range: split after it.
        return std::upper_bound(start + mid, start + hi, first) - start;
    }

    // A few items: every pair.
    void block(const Counted* from, int n, Counted* out) const {
        int64_t x[LANES] = {0};
        int32_t both[LANES], above[LANES], placed[LANES] = {0};
        Counted copy[LANES];
        std::copy(from, from + n, copy);
        for (int i = 0; i < n; i++) x[i] = copy[i].x;
        count_keys(n, x, both, above);
        const uint32_t lo = copy[0].place;
        int ordered = 0;
        for (int i = 0; i < n; i++) {
            copy[i].both = uint32_t(both[i]);
            ordered += above[i];
        }
        if (start)
            for (int i = 0; i < n; i++)
                for (int j = std::max(start[lo + i], lo) - lo; j < i; j++) copy[i].both -= x[j] > x[i];
        if (ordered == n * (n - 1) / 2)
            for (int i = 0; i < n; i++) out[above[i]] = copy[i];
        else
            for (int i = n; i-- > 0;) out[above[i] + placed[above[i]]++] = copy[i];
    }

    static void merge(const Counted* left, const Counted* right, const Counted* end, Counted* out) {
        const Counted* const first = left;
        const Counted *left_last = right - 1, *right_last = end - 1;
        Counted* out_last = out + (end - left) - 1;
        // Which side comes next is a coin toss: select by mask, a branch would be mispredicted. Both ends at once are
        // two chains that do not wait for each other, and neither side can run out in so many steps.
        for (size_t steps = std::min(right - left, end - right); steps; steps--) {
            const bool take = right->x >= left->x;
            Counted it = *select(take, right, left);
            it.both += uint32_t(left - first) & -uint32_t(take);
            *out++ = it;
            right += take;
            left += !take;
            const bool take_last = left_last->x > right_last->x;
            Counted last = *select(take_last, right_last, left_last);
            last.both += uint32_t(left_last + 1 - first) & -uint32_t(take_last);
            *out_last-- = last;
            right_last -= take_last;
            left_last -= !take_last;
        }
        while (out <= out_last) {
            const bool take = left > left_last || (right <= right_last && right->x >= left->x);
            *out = take ? *right++ : *left++;
            if (take) out->both += uint32_t(left - first);
            out++;
        }
    }

    static const Counted* select(bool second, const Counted* a, const Counted* b) {
        const uintptr_t mask = -uintptr_t(second), x = uintptr_t(a), y = uintptr_t(b);
        return reinterpret_cast<const Counted*>(y ^ ((x ^ y) & mask));
    }
};

void concordance_large(const double* truth, const double* observed, size_t n, int extra, Counts& c) {
    std::vector<uint32_t> start;  // first place of the tied group, by place
    std::vector<Counted> items(n);
    {
        const std::vector<Keyed> order = sorted_by(observed, truth, n);
        size_t equal = 0;
        items[0] = {key_of(order[0].value), 0, 0};
        for (size_t i = 1; i < n; i++) {
            items[i] = {key_of(order[i].value), uint32_t(i), 0};
            equal += order[i].order == order[i - 1].order;
        }
        if (equal) {
            start.resize(n);
            size_t tied = 0;
            for (size_t i = 1, run = 0; i < n; i++) {
                run = begin_if(order[i].order != order[i - 1].order, i, run);
                start[i] = uint32_t(run);
                tied += i - run;
            }
            c.tied_observed = double(tied);
        }
    }
    const bool ties = !start.empty();
    {
        std::vector<Counted> buffer(n);
        CountingSort{items.data(), buffer.data(), ties ? start.data() : nullptr}.sort(0, n, true);
    }
    // `items` is in the order of the truth now; take its columns apart.
    std::vector<int32_t> both(n), above(n), above_x, tied, same;
    size_t equal = 0, concordant = 0;
    for (size_t i = 0; i < n; i++) {
        both[i] = int32_t(items[i].both);
        above[i] = int32_t(ties ? start[items[i].place] : items[i].place);
        concordant += items[i].both;
        equal += i && items[i].x == items[i - 1].x;
    }
    c.concordant = double(concordant);
    if (equal) {
        above_x.resize(n);
        size_t tied_truth = 0, tied_both = 0;
        for (size_t i = 1, run = 0, twins = 0; i < n; i++) {
            const bool is = items[i].x == items[i - 1].x;
            run = begin_if(!is, i, run);
            above_x[i] = int32_t(run);
            tied_truth += i - run;
            // Equal x come by place, so that what is tied on both sides is a run, too.
            twins = (twins + 1) & -size_t(is & (above[i] == above[i - 1]));
            tied_both += twins;
        }
        c.tied_truth = double(tied_truth);
        c.tied_both = double(tied_both);
    }
    if (ties && (extra & (MEAN | STRICT))) {
        tied.resize(n);
        std::vector<int32_t> size(n);
        for (size_t i = 0; i < n; i++) size[above[i]]++;
        for (size_t i = 0; i < n; i++) tied[i] = size[above[i]];
    }
    if (ties && equal && (extra & STRICT)) {
        same.resize(n);
        for (size_t lo = 0, hi; lo < n; lo = hi) {
            for (hi = lo + 1; hi < n && above_x[hi] == above_x[lo] && above[hi] == above[lo]; hi++) {}
            std::fill(same.begin() + lo, same.begin() + hi, int32_t(hi - lo - 1));
        }
    }
    c.discordant = pairs(double(n)) - c.concordant - c.tied_truth - c.tied_observed + c.tied_both;
    const auto data = [](const std::vector<int32_t>& v) { return v.empty() ? nullptr : v.data(); };
    sum_over_items({n, both.data(), above.data(), data(above_x), ties, data(tied), data(same)}, extra, c);
}

// ---------------------------------------------------------------------------------------------
// With a tolerance: a Fenwick tree. Above means higher by at least `tolerance`.
// ---------------------------------------------------------------------------------------------
struct Fenwick {
    std::vector<int32_t> tree;
    explicit Fenwick(size_t n) : tree(n + 1) {}
    void add(size_t i) {
        for (i++; i < tree.size(); i += i & (~i + 1)) tree[i]++;
    }
    int32_t before(size_t i) const {  // how many were added below i
        int32_t sum = 0;
        for (; i; i &= i - 1) sum += tree[i];
        return sum;
    }
};

struct Window {  // a side, sorted: place of each item, and how many are above and below it
    std::vector<int32_t> item, place, above, below;

    Window(const double* v, size_t n, double tolerance) : item(n), place(n), above(n), below(n) {
        std::iota(item.begin(), item.end(), 0);
        std::stable_sort(item.begin(), item.end(), [v](int32_t a, int32_t b) { return v[a] > v[b]; });
        size_t up = 0, down = n;
        for (size_t q = 0; q < n; q++) {
            const double mine = v[item[q]];
            while (v[item[up]] - mine >= tolerance) up++;
            place[item[q]] = int32_t(q);
            above[item[q]] = int32_t(up);
        }
        for (size_t q = n; q-- > 0;) {
            const double mine = v[item[q]];
            while (mine - v[item[down - 1]] >= tolerance) down--;
            below[item[q]] = int32_t(n - down);
        }
    }
};

void concordance_tolerant(const double* truth, const double* observed, size_t n, double tolerance, int extra,
                          Counts& c) {
    const Window x(truth, n, tolerance), y(observed, n, tolerance);
    std::vector<int32_t> both(n), same(n), tied(n);
    const auto sweep = [&](bool from_top, auto&& use) {
        Fenwick seen(n);
        size_t added = 0;
        for (size_t q = 0; q < n; q++) {
            const int32_t i = y.item[from_top ? q : n - 1 - q];
            const size_t want = from_top ? y.above[i] : y.below[i];
            for (; added < want; added++) seen.add(x.place[y.item[from_top ? added : n - 1 - added]]);
            use(i, seen.before(x.above[i]), int32_t(added) - seen.before(n - x.below[i]));
        }
    };
    sweep(true, [&](int32_t i, int32_t above, int32_t below) {
        both[i] = above;
        same[i] += above + below;
        c.concordant += above;
        c.discordant += below;
    });
    if (extra & STRICT) sweep(false, [&](int32_t i, int32_t above, int32_t below) { same[i] += above + below; });
    for (size_t i = 0; i < n; i++) {
        const int32_t apart_x = x.above[i] + x.below[i], apart_y = y.above[i] + y.below[i];
        tied[i] = int32_t(n) - apart_y;
        same[i] += int32_t(n) - 1 - apart_x - apart_y;  // neither apart in truth nor in observed
        c.tied_truth += int32_t(n) - 1 - apart_x;
        c.tied_observed += tied[i] - 1;
    }
    c.tied_truth /= 2;
    c.tied_observed /= 2;
    // pairs = tied in truth + tied in observed - tied in both + apart in both
    c.tied_both = c.tied_truth + c.tied_observed + c.concordant + c.discordant - pairs(double(n));
    sum_over_items({n, both.data(), y.above.data(), x.above.data(), true, tied.data(), same.data()}, extra & ~MEAN,
                   c);
}

// ---------------------------------------------------------------------------------------------
// tau_gap: for each item, the gaps in truth to the items above it in observed.
// ---------------------------------------------------------------------------------------------
struct Gaps {
    double sum = 0;     // of the share of the gaps that is concordant
    double places = 0;  // how many items have a positive gap to an item above them
    double tied_observed = 0;

    void add(double concordant, double discordant) {
        const double all = concordant + discordant;
        if (all > 0) {
            sum += concordant / all;
            places++;
        }
    }
};

// The items above i in observed, by their gap in truth: those above in truth, too, and the others. x is in order, and
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

void gaps_small(const Order& order, const double* observed, Gaps& g) {
    const int n = order.n;
    double x[SMALL + LANES], y[SMALL + LANES], concordant[SMALL + LANES], discordant[SMALL + LANES];
    int32_t both[SMALL + LANES], above[SMALL + LANES];
    const double scale = gap_scale(order.x[n - 1], order.x[0], n);
    for (int i = 0; i < n; i++) x[i] = order.x[i] * scale;
    std::fill(x + n, x + n + LANES, 0.0);
    order.gather(observed, y);
    sum_gaps(n, x, y, concordant, discordant);
    for (int i = 0; i < n; i++) g.add(concordant[i], discordant[i]);
    count(n, y, both, above);
    g.tied_observed = pairs(n) - double(std::accumulate(above, above + n, int64_t(0)));
}

struct Gapped {
    double x, concordant, discordant;
};

// Sorts items[lo..hi), given in the order of observed, by x, best first, adding up the gaps to items of an earlier
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

void gaps_large(const double* truth, const double* observed, size_t n, Gaps& g) {
    std::vector<Gapped> items(n);
    {
        const std::vector<Keyed> order = sorted_by(observed, truth, n);
        const auto [lowest, highest] = std::minmax_element(truth, truth + n);
        const double scale = gap_scale(*lowest, *highest, n);
        for (size_t i = 0; i < n; i++) {
            items[i] = {order[i].value * scale, 0, 0};
            g.tied_observed += i && order[i].order == order[i - 1].order;
        }
    }
    std::vector<Gapped> buffer(n);
    gap_sort(items.data(), buffer.data(), 0, n);
    for (const Gapped& it : items) g.add(it.concordant, it.discordant);
}

// ---------------------------------------------------------------------------------------------
// pearson_rank: at each item the cosine between the gaps, in truth and in observed, to the items above it.
// ---------------------------------------------------------------------------------------------
struct Cosines {
    double sum = 0;     // of weight times cosine
    double weight = 0;  // of the weights
    double range_truth = 0, range_observed = 0;
};

double cosine_directly(const double* x, const double* y, size_t above, size_t i) {
    // For gaps so small that their squares would vanish. One at least on each side is not 0.
    double scale_x = 0, scale_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t j = 0; j < above; j++) {
        scale_x = std::max(scale_x, std::fabs(x[j] - x[i]));
        scale_y = std::max(scale_y, std::fabs(y[j] - y[i]));
    }
    for (size_t j = 0; j < above; j++) {
        const double dx = (x[j] - x[i]) / scale_x, dy = (y[j] - y[i]) / scale_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xy / std::sqrt(xx * yy);
}

// Scores brought to a size at which neither differences overflow nor squares vanish: by a power of two, where needed.
void rescale(const double* from, size_t n, double* to) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = std::max(largest, std::fabs(from[i]));
    int exponent = 0;
    if (largest < 1e-100 || largest > 1e100) std::frexp(largest, &exponent);
    for (size_t i = 0; i < n; i++) to[i] = exponent ? std::ldexp(from[i], -exponent) : from[i];
}

// `truth` and `observed` in the order of truth, best first; x and y are room for as many.
void cosines(const double* truth, const double* observed, double* x, double* y, size_t n, Cosines& c) {
    rescale(truth, n, x);
    rescale(observed, n, y);
    const auto [low, high] = std::minmax_element(y, y + n);
    const double range = x[0] - x[n - 1], spread = *high - *low, worst = x[n - 1], best = x[0], first = y[0];
    c.range_truth = range;
    c.range_observed = spread;
    if (range == 0 || spread == 0) return;
    // Running means and centred second moments of the items above. Gaps are measured from the first item, whose own
    // gap is one of them, so that every sum is accurate relative to the norm that it belongs to.
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    bool flat = true;  // whether all items above have the score of the first in observed
    for (size_t lo = 0, hi; lo < n; lo = hi) {
        for (hi = lo; hi < n && truth[hi] == truth[lo]; hi++) {
            const double weight = (x[hi] - worst) / range;
            x[hi] = (x[hi] - best) / range;
            y[hi] = (y[hi] - first) / spread;
            if (lo == 0) continue;
            c.weight += weight;
            if (flat && observed[hi] == observed[0]) continue;  // no gaps in observed: the cosine is 0
            const double k = double(lo), dx = mean_x - x[hi], dy = mean_y - y[hi];
            const double norm_x = xx + k * dx * dx, norm_y = yy + k * dy * dy;
            const bool some_x = norm_x > 1e-140, some_y = norm_y > 1e-140;
            // A side with such gaps is taken as it was given: rescaling may have made them 0.
            const double cosine = some_x && some_y
                                      ? (xy + k * dx * dy) / std::sqrt(norm_x * norm_y)
                                      : cosine_directly(some_x ? x : truth, some_y ? y : observed, lo, hi);
            c.sum += weight * std::max(-1.0, std::min(1.0, cosine));
        }
        for (size_t i = lo; i < hi; i++) {
            const double k = double(i + 1), dx = x[i] - mean_x, dy = y[i] - mean_y;
            mean_x += dx / k;
            mean_y += dy / k;
            xx += dx * (x[i] - mean_x);
            yy += dy * (y[i] - mean_y);
            xy += dx * (y[i] - mean_y);
            flat &= observed[i] == observed[0];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// A kernel for one pair of rows, and the same for many.
// ---------------------------------------------------------------------------------------------
struct Concordance {
    using Result = Counts;
    double tolerance;
    int extra;
    void small(const Order& order, const double* observed, Result& r) const {
        concordance_small(order, observed, extra, r);
    }
    void large(const double* truth, const double* observed, size_t n, Result& r) const {
        if (tolerance > 0)
            concordance_tolerant(truth, observed, n, tolerance, extra, r);
        else
            concordance_large(truth, observed, n, extra, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL && !(tolerance > 0); }
};

struct GapSums {
    using Result = Gaps;
    void small(const Order& order, const double* observed, Result& r) const {
        gaps_small(order, observed, r);
    }
    void large(const double* truth, const double* observed, size_t n, Result& r) const {
        gaps_large(truth, observed, n, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

struct RankCosines {
    using Result = Cosines;
    void small(const Order& order, const double* observed, Result& r) const {
        double x[SMALL], y[SMALL], sorted[SMALL + LANES];
        order.gather(observed, sorted);
        cosines(order.x, sorted, x, y, order.n, r);
    }
    void large(const double* truth, const double* observed, size_t n, Result& r) const {
        std::vector<double> by_truth(n), along(n);
        {
            const std::vector<Keyed> order = sorted_by(truth, observed, n);
            for (size_t i = 0; i < n; i++) by_truth[i] = order[i].score(), along[i] = order[i].value;
        }
        std::vector<double> x(n), y(n);
        cosines(by_truth.data(), along.data(), x.data(), y.data(), n, r);
    }
    bool wants_order(size_t n) const { return n <= SMALL; }
};

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Index = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Result>
nb::object as_tuple(const Result& result) {
    constexpr size_t N = sizeof(Result) / sizeof(double);
    double values[N];
    std::memcpy(values, &result, sizeof result);
    PyObject* tuple = PyTuple_New(N);
    for (size_t i = 0; tuple && i < N; i++) PyTuple_SET_ITEM(tuple, i, PyFloat_FromDouble(values[i]));
    return nb::steal(tuple);
}

// One pair: a tuple of the result's fields, or None where a score is not finite.
template <class Kernel>
nb::object one_pair(const Vector& truth, const Vector& observed, const Kernel& kernel) {
    const size_t n = truth.size();
    typename Kernel::Result result;
    if (observed.size() != n || n < 2 || n > MOST) throw nb::value_error("rows of unequal length, too short or too long");
    bool finite;
    {
        nb::gil_scoped_release unlocked;
        finite = all_finite(truth.data(), n) && all_finite(observed.data(), n);
        if (finite && kernel.wants_order(n)) {
            Order order;
            order.sort(truth.data(), int(n));
            kernel.small(order, observed.data(), result);
        } else if (finite) {
            kernel.large(truth.data(), observed.data(), n, result);
        }
    }
    return finite ? as_tuple(result) : nb::none();
}

// Pairs b of truth[truth_row[b]] and observed[observed_row[b]]: fills out[b]. Returns whether all scores were finite.
template <class Kernel>
bool many_pairs(const Matrix& truth, const Matrix& observed, const Index& truth_row, const Index& observed_row,
                const Output& out, int workers, const Kernel& kernel) {
    using Result = typename Kernel::Result;
    const size_t n = truth.shape(1), count = truth_row.size();
    if (observed.shape(1) != n || n < 2 || n > MOST || observed_row.size() != count || out.shape(0) != count ||
        out.shape(1) != sizeof(Result) / sizeof(double))
        throw nb::value_error("shapes do not match");
    for (size_t b = 0; b < count; b++)
        if (uint64_t(truth_row.data()[b]) >= truth.shape(0) || uint64_t(observed_row.data()[b]) >= observed.shape(0))
            throw nb::value_error("no such row");
    nb::gil_scoped_release unlocked;
    std::atomic<bool> no_memory{false}, finite{true};
    const auto work = [&](size_t lo, size_t hi) {
        try {
            Order order;
            int64_t last = -1;  // the row of truth that was checked, and that `order` holds
            for (size_t b = lo; b < hi && finite; b++) {
                Result result;
                const double* t = truth.data() + truth_row.data()[b] * n;
                const double* o = observed.data() + observed_row.data()[b] * n;
                const bool other = truth_row.data()[b] != last;
                last = truth_row.data()[b];
                if (!all_finite(o, n) || (other && !all_finite(t, n))) {
                    finite = false;
                    return;
                }
                if (kernel.wants_order(n)) {
                    if (other) order.sort(t, int(n));
                    kernel.small(order, o, result);
                } else {
                    kernel.large(t, o, n, result);
                }
                std::memcpy(out.data() + b * out.shape(1), &result, sizeof result);
            }
        } catch (const std::bad_alloc&) {
            no_memory = true;
        }
    };
    const size_t threads = thread_count(workers, count);
    in_parallel(threads, [&](size_t k) { work(count * k / threads, count * (k + 1) / threads); });
    if (no_memory) throw std::bad_alloc();
    return finite;
}

}  // namespace

void bind_distance(nb::module_& m);  // distance.cpp
void bind_reliability(nb::module_& m);  // reliability.cpp

NB_MODULE(native, m) {
    using nb::arg;
    bind_distance(m);
    bind_reliability(m);
    // An array that is not what it should be would be copied, and what is written to a copy is lost: refused. The pairs,
    // which write nothing, go without, because a call then takes 0.1 microseconds less.
    const auto array = arg().noconvert();
    const auto number = arg();
    m.def("concordance_pair", [](const Vector& truth, const Vector& observed, double tolerance, int extra) {
        return one_pair(truth, observed, Concordance{tolerance, extra});
    });
    m.def("concordance_rows",
          [](const Matrix& truth, const Matrix& observed, const Index& truth_row, const Index& observed_row,
             const Output& out, int workers, double tolerance, int extra) {
              return many_pairs(truth, observed, truth_row, observed_row, out, workers, Concordance{tolerance, extra});
          },
          array, array, array, array, array, number, number, number);
    m.def("gaps_pair",
          [](const Vector& truth, const Vector& observed) { return one_pair(truth, observed, GapSums{}); });
    m.def("gaps_rows", [](const Matrix& truth, const Matrix& observed, const Index& truth_row, const Index& observed_row,
                          const Output& out, int workers) {
        return many_pairs(truth, observed, truth_row, observed_row, out, workers, GapSums{});
    }, array, array, array, array, array, number);
    m.def("cosines_pair",
          [](const Vector& truth, const Vector& observed) { return one_pair(truth, observed, RankCosines{}); });
    m.def("cosines_rows", [](const Matrix& truth, const Matrix& observed, const Index& truth_row,
                             const Index& observed_row, const Output& out, int workers) {
        return many_pairs(truth, observed, truth_row, observed_row, out, workers, RankCosines{});
    }, array, array, array, array, array, number);
}
