// Concordant pairs of two long rankings: a radix sort on each side, then a distribution of places in truth by their
// digits, in the order of the candidate, during which pairs are counted.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler.hpp"
#include "concordance.hpp"
#include "order.hpp"

namespace kernels {

namespace {

// Items are the places in truth, in the order of the candidate. The number of earlier and smaller items is a sum over
// digits, from the leading digit on: at each digit, count the earlier items with the same leading digits and a smaller
// current digit. The low half of an item is its place, the high half its count so far.
constexpr int DIGIT = 4, WAYS = 1 << DIGIT;

template <class Count>
struct Above {
    Count digit[WAYS][WAYS];  // [d][e]: 1 if e is greater than d
    constexpr Above() : digit() {
        for (int d = 0; d < WAYS; d++)
            for (int e = d + 1; e < WAYS; e++) digit[d][e] = 1;
    }
};

// Distributes items lo..hi of `from`, which have the same leading digits, by their next digit.
template <class Count>
INLINE void distribute(const uint64_t* from, size_t lo, size_t hi, int shift, uint64_t* to) {
    static constexpr Above<Count> above;
    Count smaller[WAYS] = {0};  // earlier items with a smaller digit
    size_t next[WAYS];
    for (int d = 0; d < WAYS; d++) next[d] = lo + (size_t(d) << shift);
    for (size_t i = lo; i < hi; i++) {
        const uint64_t it = from[i];
        const int d = int(uint32_t(it) >> shift) & (WAYS - 1);
        to[next[d]++] = it + (uint64_t(smaller[d]) << 32);
        for (int e = 0; e < WAYS; e++) smaller[e] = Count(smaller[e] + above.digit[d][e]);
    }
}

VECTORISED void distribute_many(const uint64_t* from, size_t lo, size_t hi, int shift, uint64_t* to) {
    distribute<uint32_t>(from, lo, hi, shift, to);
}

VECTORISED void distribute_few(const uint64_t* from, size_t lo, size_t hi, int shift, uint64_t* to) {
    distribute<uint16_t>(from, lo, hi, shift, to);
}

void count_smaller(uint64_t* from, uint64_t* to, size_t lo, size_t hi, int shift, int32_t* both) {
    (hi - lo <= UINT16_MAX ? distribute_few : distribute_many)(from, lo, hi, shift, to);
    if (shift == 0)
        for (size_t i = lo; i < hi; i++) both[i] = int32_t(to[i] >> 32);
    else
        for (size_t begin = lo; begin < hi; begin += size_t(1) << shift)
            count_smaller(to, from, begin, std::min(hi, begin + (size_t(1) << shift)), shift - DIGIT, both);
}

}  // namespace

LargeCounts::LargeCounts(const double* truth, const double* candidate, size_t n) : both(n), above(n) {
    const std::unique_ptr<uint64_t[]> first(new uint64_t[n]), second(new uint64_t[n]);
    const std::unique_ptr<double[]> from_worst(new double[n]);  // truth, from the worst in candidate to the best
    uint64_t *items = first.get(), *buffer = second.get();
    sort_indices(candidate, n, items, buffer);
    for (size_t i = 0; i < n; i++) {
        from_worst[n - 1 - i] = truth[uint32_t(items[i])];
        tied_candidate += i - (items[i] >> 32);
    }
    struct Group {
        uint32_t start, next;  // its first place, and its first free place
    };
    std::vector<Group> group;  // groups of tied items, by place in candidate
    if (tied_candidate) {
        group.resize(n);
        for (size_t i = 0; i < n; i++) group[i] = {uint32_t(items[i] >> 32), uint32_t(i)};
    }
    // Items tied in truth keep their order here, from the worst to the best in candidate.
    sort_indices(from_worst.get(), n, items, buffer);
    size_t tied_truth = 0;
    for (size_t i = 0; i < n; i++) tied_truth += i - (items[i] >> 32);
    if (tied_truth) {
        above_truth.resize(n);
        for (size_t i = 0; i < n; i++) above_truth[i] = int32_t(items[i] >> 32);
    }
    // By place in candidate. Items tied there are in order from the worst to the best in truth, so they do not count.
    if (group.empty())
        for (size_t i = 0; i < n; i++) {
            const size_t place = n - 1 - uint32_t(items[i]);
            above[i] = int32_t(place);
            buffer[place] = i;
        }
    else
        for (size_t i = n; i-- > 0;) {
            const uint32_t place = group[n - 1 - uint32_t(items[i])].start;
            above[i] = int32_t(place);
            buffer[group[place].next++] = i;
        }
    int shift = 0;
    while ((n - 1) >> shift >= WAYS) shift += DIGIT;
    count_smaller(buffer, items, 0, n, shift, both.data());
    for (size_t i = 0; i < n; i++) concordant += size_t(both[i]);
}

void concordance_large(const double* truth, const double* candidate, size_t n, int extra, Counts& c) {
    const LargeCounts counted(truth, candidate, n);
    const auto& [both, above, above_truth, concordant, tied_candidate] = counted;
    const bool ties = tied_candidate > 0;
    std::vector<int32_t> tied, same;
    c.concordant = double(concordant);
    c.tied_candidate = double(tied_candidate);
    if (!above_truth.empty()) {
        size_t tied_truth = 0, tied_both = 0;
        for (size_t i = 1, twins = 0; i < n; i++) {
            tied_truth += i - size_t(above_truth[i]);
            // Equal x are sorted by place, so items tied on both sides are consecutive.
            twins = (twins + 1) & -size_t((above_truth[i] == above_truth[i - 1]) & (above[i] == above[i - 1]));
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
    if (ties && !above_truth.empty() && (extra & STRICT)) {
        same.resize(n);
        for (size_t lo = 0, hi; lo < n; lo = hi) {
            for (hi = lo + 1; hi < n && above_truth[hi] == above_truth[lo] && above[hi] == above[lo]; hi++) {}
            std::fill(same.begin() + lo, same.begin() + hi, int32_t(hi - lo - 1));
        }
    }
    c.discordant = pairs_of(double(n)) - c.concordant - c.tied_truth - c.tied_candidate + c.tied_both;
    const auto data = [](const std::vector<int32_t>& v) { return v.empty() ? nullptr : v.data(); };
    sum_over_items({n, both.data(), above.data(), data(above_truth), ties, data(tied), data(same)}, extra, c);
}

}  // namespace kernels
