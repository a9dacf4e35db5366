// Sorting of longer rows: see order.hpp.

#include <memory>
#include <utility>

#include "order.hpp"

namespace kernels {

namespace {

// An integer for each score, in the same order as the scores.
int64_t key_of(double score) {
    score += 0.0;  // -0.0 becomes 0.0
    int64_t bits;
    std::memcpy(&bits, &score, sizeof bits);
    return bits ^ ((bits >> 63) & INT64_MAX);
}

// Sorts by a 32-bit integer for each score; two passes use its leading 22 bits, three passes use all bits.
struct IndexSort {
    static constexpr int BITS = 11, BUCKETS = 1 << BITS;
    static constexpr ptrdiff_t SHORT = 64;  // runs up to this length are left to insertion sort

    const double* score;
    size_t n;
    uint64_t *items, *buffer;

    // Keys linear in the score, from the best to the worst, which distinguish nearly all scores. Returns false if an
    // outlier prevents this.
    bool along_a_line() const {
        double low = score[0], high = score[0];
        for (size_t i = 1; i < n; i++) {
            low = score[i] < low ? score[i] : low;
            high = score[i] > high ? score[i] : high;
        }
        const double scale = high > low ? 4294967040.0 / (high - low) : 1;
        if (!(scale > 0 && scale < 1e300)) return false;
        return sort([=](double s) { return uint64_t((high - s) * scale); }, SHORT);
    }

    // Keys from the leading half of the bits, which give the same number of keys to each order of magnitude.
    void by_keys() const {
        sort([](double s) { return (uint64_t(INT64_MAX) - uint64_t(key_of(s))) >> 32; }, PTRDIFF_MAX);
    }

    template <class Whole>
    bool sort(Whole whole, ptrdiff_t most) const {
        const int passes = n <= size_t(1) << 18 ? 2 : 3, first = 64 - BITS * passes;
        uint64_t *from = passes == 2 ? items : buffer, *to = passes == 2 ? buffer : items;
        uint32_t histogram[3][BUCKETS] = {{0}};
        for (size_t i = 0; i < n; i++) {
            from[i] = whole(score[i]) << 32 | i;
            for (int p = 0; p < passes; p++) histogram[p][(from[i] >> (first + BITS * p)) & (BUCKETS - 1)]++;
        }
        for (int p = 0; p < passes; p++) {
            uint32_t begin = 0, *count = histogram[p];
            for (int b = 0; b < BUCKETS; b++) begin += std::exchange(count[b], begin);
            for (size_t i = 0; i < n; i++) to[count[(from[i] >> (first + BITS * p)) & (BUCKETS - 1)]++] = from[i];
            std::swap(from, to);
        }
        return finish(first, most);
    }

    double score_of_item(uint64_t it) const { return score[uint32_t(it)]; }

    // Sorts the runs that agree in the bits from `first` on, and counts the greater scores. Returns false if a run of
    // different scores is longer than `most`.
    bool finish(int first, ptrdiff_t most) const {
        const auto alike = [=](uint64_t a, uint64_t b) { return (a ^ b) >> first == 0; };
        const auto differ = [=](uint64_t a, uint64_t b) { return score_of_item(a) != score_of_item(b); };
        size_t neighbours = 0, wrong = 0;
        for (size_t i = 1; i < n; i++) neighbours += alike(items[i - 1], items[i]);
        const bool many = neighbours > n / 8;  // these are probably ties, so compare them without a branch
        if (many)
            for (size_t i = 1; i < n; i++) wrong += alike(items[i - 1], items[i]) & differ(items[i - 1], items[i]);
        if (many && !wrong) {
            count_greater([=](uint64_t a, uint64_t b) { return !alike(a, b); });
            return true;
        }
        for (size_t lo = 0, hi; lo < n; lo = hi) {
            bool equal = true;
            for (hi = lo + 1; hi < n && alike(items[lo], items[hi]); hi++) equal &= !differ(items[lo], items[hi]);
            if (equal) continue;
            if (ptrdiff_t(hi - lo) > most) return false;
            std::sort(items + lo, items + hi, [this](uint64_t a, uint64_t b) {
                const double x = score_of_item(a), y = score_of_item(b);
                return x != y ? x > y : uint32_t(a) < uint32_t(b);
            });
        }
        count_greater([=](uint64_t a, uint64_t b) { return !alike(a, b) || differ(a, b); });
        return true;
    }

    // Writes into the high halves where each run begins. The items of a run are not `below` one another.
    template <class Below>
    void count_greater(Below below) const {
        uint64_t before = items[0], begin = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t it = items[i];
            begin = std::max(begin, i & -uint64_t(below(before, it)));
            items[i] = begin << 32 | uint32_t(it);
            before = it;
        }
    }
};

}  // namespace

void sort_indices(const double* score, size_t n, uint64_t* items, uint64_t* buffer) {
    const IndexSort how{score, n, items, buffer};
    if (!how.along_a_line()) how.by_keys();
}

std::vector<Scored> sorted_by(const double* score, const double* value, size_t n) {
    const std::unique_ptr<uint64_t[]> items(new uint64_t[2 * n]);
    sort_indices(score, n, items.get(), items.get() + n);
    std::vector<Scored> sorted(n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = uint32_t(items[i]);
        sorted[i] = {score[at], value[at]};
    }
    return sorted;
}

}  // namespace kernels
