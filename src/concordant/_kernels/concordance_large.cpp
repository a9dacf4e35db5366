// Pairs that two long rankings order alike: a radix sort by the candidate, then a merge sort by the truth that counts.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "concordance.hpp"
#include "order.hpp"

namespace kernels {

namespace {

VECTORISED void count_keys(int n, const int64_t* v, int32_t* both, int32_t* above) {
    count_pairs(n, v, both, above);
}

struct Counted {
    int64_t x;       // key of the score in truth
    uint32_t place;  // in candidate, from 0
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
        } else if (hi - lo <= BLOCK) {
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
        int64_t x[BLOCK] = {0};
        int32_t both[BLOCK], above[BLOCK], placed[BLOCK] = {0};
        Counted copy[BLOCK];
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

    static const Counted* select(bool first, const Counted* a, const Counted* b) {
        const uintptr_t mask = -uintptr_t(first), x = uintptr_t(a), y = uintptr_t(b);
        return reinterpret_cast<const Counted*>(y ^ ((x ^ y) & mask));
    }
};

}  // namespace

LargeCounts::LargeCounts(const double* truth, const double* candidate, size_t n) : both(n), above(n) {
    std::vector<uint32_t> start;  // first place of the tied group, by place
    std::vector<Counted> items(n);
    {
        const std::vector<Keyed> order = sorted_by(candidate, truth, n);
        size_t equal = 0;
        items[0] = {key_of(order[0].value), 0, 0};
        for (size_t i = 1; i < n; i++) {
            items[i] = {key_of(order[i].value), uint32_t(i), 0};
            equal += order[i].order == order[i - 1].order;
        }
        if (equal) {
            start.resize(n);
            for (size_t i = 1, run = 0; i < n; i++) {
                run = begin_if(order[i].order != order[i - 1].order, i, run);
                start[i] = uint32_t(run);
                tied_candidate += i - run;
            }
        }
    }
    const bool ties = !start.empty();
    {
        std::vector<Counted> buffer(n);
        CountingSort{items.data(), buffer.data(), ties ? start.data() : nullptr}.sort(0, n, true);
    }
    // `items` is in the order of the truth now; take its columns apart.
    size_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        both[i] = int32_t(items[i].both);
        above[i] = int32_t(ties ? start[items[i].place] : items[i].place);
        concordant += items[i].both;
        equal += i && items[i].x == items[i - 1].x;
    }
    if (!equal) return;
    above_truth.resize(n);
    for (size_t i = 1, run = 0; i < n; i++) {
        run = begin_if(items[i].x != items[i - 1].x, i, run);
        above_truth[i] = int32_t(run);
    }
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
            // Equal x come by place, so that what is tied on both sides is a run, too.
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
