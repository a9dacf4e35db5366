// Constraints for active_set.hpp: means that keep an order. Without ties, differences between neighbours must not be
// negative. With ties, no system may be below a system of the next group. reference/distance.py derives both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "active_set.hpp"
#include "compiler.hpp"
#include "lanes.hpp"

namespace kernels {

constexpr size_t BATCH = 64;  // rows added at a time

// to = start + the sum over r of factor[r] * row(r). Takes BATCH rows at a time, so that their addresses fit an array.
template <class Row>
INLINE void add_rows(const Row& row, const double* factor, size_t count, const double* start, double* to, size_t end) {
    const double* at[BATCH];
    size_t done = 0;
    do {
        const size_t some = std::min(BATCH, count - done);
        for (size_t r = 0; r < some; r++) at[r] = row(done + r);
        scattered(at, factor + done, some, start, to, end);
        start = to;
        done += some;
    } while (done < count);
}

// p differences, their means and variances, and rows of S, which derived classes compute. Each thread reuses one
// object.
struct Differences {
    size_t p, width;  // width: p padded
    std::vector<double> means, variances, s;
    static constexpr double widest_gap = INFINITY;  // only the deltas decide whether the problem is solved

    explicit Differences(size_t p)
        : p(p), width(padded(p)), means(width), variances(width), s(p * width), out_of_reach(p), deltas(width),
          gains(width), weights(width) {}
    double* row(size_t j) { return s.data() + j * width; }

    INLINE double mean(size_t j) const { return means[j]; }
    INLINE double variance(size_t j) const { return variances[j]; }
    INLINE double delta(size_t j) const { return deltas[j]; }
    INLINE double weight(size_t j) const { return weights[j]; }
    INLINE size_t candidates() const { return p; }
    INLINE size_t candidate(size_t t) const { return t; }
    INLINE double gain(size_t t) const { return gains[t]; }
    INLINE void between(size_t j, const int32_t* set, size_t k, double* to) const {
        const double* const from = s.data() + j * width;
        for (size_t r = 0; r < k; r++) to[r] = from[set[r]];
    }
    INLINE void entered(size_t j) { weights[j] = 0; }
    INLINE void left(size_t j) { weights[j] = 1 / variances[j]; }
    INLINE void block(size_t j) {
        weights[j] = 0;
        out_of_reach[j] = blocked = true;
    }
    INLINE void release(const int32_t* set, size_t k) {
        if (!blocked) return;
        for (size_t j = 0; j < p; j++)
            if (out_of_reach[j]) out_of_reach[j] = 0, left(j);
        for (size_t r = 0; r < k; r++) entered(size_t(set[r]));
        blocked = false;
    }

    // Returns the largest variance.
    INLINE double begin() {
        std::fill(out_of_reach.begin(), out_of_reach.end(), char(0));
        blocked = false;
        std::memcpy(deltas.data(), means.data(), width * sizeof(double));
        double largest = 0;
        for (size_t j = 0; j < p; j++) largest = std::max(largest, variances[j]);
        for (size_t j = 0; j < p; j++) left(j);
        return largest;
    }
    INLINE void update(const int32_t* set, const double* v, size_t k) {
        const auto active = [&](size_t r) { return s.data() + size_t(set[r]) * width; };
        add_rows(active, v, k, means.data(), deltas.data(), width);
    }

    // The difference outside the set with the largest gain by itself, and this gain, which is 0 if none is violated.
    INLINE size_t most_wanted(double tolerance, double& best) {
        double most[LANES] = {};
        for (size_t j = 0; j < width; j += LANES)
            for (size_t l = 0; l < LANES; l++) {
                const double above = deltas[j + l] + tolerance, below = above < 0 ? above : 0;
                const double found = below * below * weights[j + l];
                gains[j + l] = found;
                most[l] = found > most[l] ? found : most[l];
            }
        best = *std::max_element(most, most + LANES);
        size_t j = 0;
        if (best > 0)
            while (gains[j] != best) j++;
        return j;
    }
    INLINE double least_delta() const {
        double found = deltas[0];
        for (size_t j = 0; j < p; j++) found = std::isfinite(deltas[j]) ? std::min(found, deltas[j]) : NAN;
        return found;
    }

  private:
    std::vector<char> out_of_reach;
    bool blocked = false;
    std::vector<double> deltas, gains, weights;  // weight: 1 / the variance, 0 in the set
};

// Differences between systems of neighbouring groups: number first * m + second, first in the upper group. There may be
// very many, so none is stored: their means, variances and entries of S are computed from those of the systems. A pair
// that active pairs already link, in a chain of deltas of 0, is not violated and never enters. So at most m - 1 are
// active, and S on them has an inverse.
struct Pairs {
    size_t m, width;             // width: m padded
    const double* c = nullptr;   // the covariance of the systems, rows padded, with eps / 2 on its diagonal
    std::vector<int32_t> order;  // the systems, best first
    std::vector<size_t> ends;    // ends of the groups, as places in the order
    std::vector<double> x;       // the means of the systems
    static constexpr double widest_gap = 1e-4;  // relative to the squared distance

    explicit Pairs(size_t m)
        : m(m), width(padded(m)), order(m), x(width), mu(width), push(width), factors(width), linked(m) {}

    INLINE double mean(size_t j) const { return x[j / m] - x[j % m]; }
    INLINE double delta(size_t j) const { return mu[j / m] - mu[j % m]; }
    INLINE double variance(size_t j) const {
        const double *const a = c + j / m * width, *const b = c + j % m * width;
        return (a[j / m] - a[j % m]) + (b[j % m] - b[j / m]);
    }
    INLINE double weight(size_t j) const { return 1 / variance(j); }
    INLINE size_t candidates() const { return wanted.size(); }
    INLINE size_t candidate(size_t t) const { return wanted[t].pair; }
    INLINE double gain(size_t t) const { return wanted[t].gain; }
    INLINE void between(size_t j, const int32_t* set, size_t k, double* to) const {
        const double *const a = c + j / m * width, *const b = c + j % m * width;
        for (size_t r = 0; r < k; r++) {
            const uint32_t first = uint32_t(set[r]) / uint32_t(m), second = uint32_t(set[r]) % uint32_t(m);
            to[r] = (a[first] - a[second]) - (b[first] - b[second]);
        }
    }
    INLINE void form(size_t) {}
    INLINE void entered(size_t j) { linked[root(j / m)] = root(j % m); }
    INLINE void left(size_t) {}  // `update` recomputes the links
    INLINE void block(size_t j) { blocked.push_back(j); }
    INLINE void release(const int32_t*, size_t) { blocked.clear(); }

    // Returns the largest variance of a system.
    INLINE double begin() {
        blocked.clear();
        moved.clear();
        unlink();
        mu = x;
        std::fill(push.begin(), push.end(), 0.0);
        double largest = 0;
        for (size_t i = 0; i < m; i++) largest = std::max(largest, c[i * width + i]);
        return largest;
    }
    // mu = x + C push, where push is the sum of the active pairs' effects on each system.
    INLINE void update(const int32_t* set, const double* v, size_t k) {
        unlink();
        std::fill(push.begin(), push.end(), 0.0);
        for (size_t r = 0; r < k; r++) {
            entered(size_t(set[r]));
            push[size_t(set[r]) / m] += v[r];
            push[size_t(set[r]) % m] -= v[r];
        }
        moved.clear();
        for (size_t i = 0; i < m; i++)
            if (push[i] != 0) factors[moved.size()] = push[i], moved.push_back(i);
        const auto system = [&](size_t r) { return c + moved[r] * width; };
        add_rows(system, factors.data(), moved.size(), x.data(), mu.data(), width);
    }

    // The pair with the largest gain by itself, as in Differences: the lowest of one group and the highest of the next.
    INLINE size_t most_wanted(double tolerance, double& best) {
        wanted.clear();
        best = 0;
        size_t found = 0;
        for (size_t g = 0; g + 1 < ends.size(); g++) {
            const size_t pair = worst(g);
            const double below = -delta(pair) - rounding(pair) - tolerance;
            if (!(below > 0) || root(pair / m) == root(pair % m)) continue;
            if (std::find(blocked.begin(), blocked.end(), pair) != blocked.end()) continue;
            wanted.push_back({below * below * weight(pair), pair});
            if (wanted.back().gain > best) best = wanted.back().gain, found = pair;
        }
        return found;
    }
    INLINE double least_delta() const {
        double found = 0;
        for (size_t g = 0; g + 1 < ends.size(); g++)
            found = std::min(found, delta(worst(g)) + rounding(worst(g)));
        for (size_t i = 0; i < m; i++)
            if (!std::isfinite(mu[i])) found = NAN;
        return found;
    }
    // One value between each two neighbours in the order: the v of their differences.
    void write_dual(double* to) const {
        double across = 0;
        for (size_t q = 0; q + 1 < m; q++) to[q] = across += push[size_t(order[q])];
    }

  private:
    struct Wanted {
        double gain;
        size_t pair;
    };
    std::vector<double> mu, push, factors;
    std::vector<size_t> moved, blocked, linked;  // linked: the system itself, or the next one towards its root
    std::vector<Wanted> wanted;

    // The rounding error of the entries of mu for a pair.
    INLINE double rounding(size_t j) const {
        return moved.empty() ? 0 : ROUNDING * (std::abs(x[j / m]) + std::abs(x[j % m]));
    }
    // The most violated pair between group g and the next group.
    INLINE size_t worst(size_t g) const {
        const auto by_mu = [&](int32_t a, int32_t b) { return mu[size_t(a)] < mu[size_t(b)]; };
        const auto at = [&](size_t place) { return order.begin() + std::ptrdiff_t(place); };
        const auto low = std::min_element(at(g ? ends[g - 1] : 0), at(ends[g]), by_mu);
        return size_t(*low) * m + size_t(*std::max_element(at(ends[g]), at(ends[g + 1]), by_mu));
    }
    INLINE size_t root(size_t i) {
        while (linked[i] != i) i = linked[i] = linked[linked[i]];
        return i;
    }
    INLINE void unlink() { std::iota(linked.begin(), linked.end(), size_t(0)); }
};

}  // namespace kernels
