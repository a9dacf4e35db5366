// Concordant pairs where scores closer than a tolerance are tied: an item is above another when its score is higher by
// at least `tolerance`. Such ties are not transitive, so a Fenwick tree counts the pairs.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "concordance.hpp"
#include "order.hpp"

namespace kernels {

namespace {

struct Fenwick {
    std::vector<int32_t> tree;
    explicit Fenwick(size_t n) : tree(n + 1) {}
    void add(size_t i) {
        for (i++; i < tree.size(); i += i & (~i + 1)) tree[i]++;
    }
    int32_t before(size_t i) const {  // number of items added below i
        int32_t sum = 0;
        for (; i; i &= i - 1) sum += tree[i];
        return sum;
    }
};

struct Window {  // one sorted side: each item's place, and how many items are above and below it
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

}  // namespace

void concordance_tolerant(const double* truth, const double* candidate, size_t n, double tolerance, int extra,
                          Counts& c) {
    const Window x(truth, n, tolerance), y(candidate, n, tolerance);
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
        same[i] += int32_t(n) - 1 - apart_x - apart_y;  // tied on both sides
        c.tied_truth += int32_t(n) - 1 - apart_x;
        c.tied_candidate += tied[i] - 1;
    }
    c.tied_truth /= 2;
    c.tied_candidate /= 2;
    // pairs = tied in truth + tied in candidate - tied in both + apart in both
    c.tied_both = c.tied_truth + c.tied_candidate + c.concordant + c.discordant - pairs_of(double(n));
    sum_over_items({n, both.data(), y.above.data(), x.above.data(), true, tied.data(), same.data()}, extra & ~MEAN,
                   c);
}

}  // namespace kernels
