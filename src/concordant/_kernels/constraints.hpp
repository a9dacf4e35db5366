// What active_set.hpp solves: means that keep an order. Where no systems are tied, the differences between neighbours
// must not be negative; where some are, no system may fall below one of the next group. reference/distance.py derives
// both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "active_set.hpp"
#include "compiler.hpp"
#include "lanes.hpp"

namespace kernels {

constexpr size_t BATCH = 64;  // rows that are added up at a time

// to = start + the sum of factor[r] * row(r), some rows at a time, so that their addresses fit an array.
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

// p differences, their means and variances, and rows of S. One object per thread, used again and again. What derives
// from it forms the rows of S.
struct Differences {
    size_t p, width;  // width: p padded
    std::vector<double> means, variances, s;
    double slack = 0;

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

    // Gives the largest variance.
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

    // The difference outside of the set that would gain most by itself, and what it would gain: 0 if none is violated.
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
    INLINE bool fulfilled(double least) const {
        for (size_t j = 0; j < p; j++)
            if (deltas[j] < least || !std::isfinite(deltas[j])) return false;
        return true;
    }

  private:
    std::vector<char> out_of_reach;
    bool blocked = false;
    std::vector<double> deltas, gains, weights;  // weight: 1 / the variance, 0 in the set
};

// Differences between systems of neighbouring groups: number first * m + second, first in the upper group. There may be
// very many, so none is stored: means, variances and entries of S come from those of the systems. Of two groups only the
// lowest of the upper and the highest of the lower are paired with what they contradict. A pair that active ones link
// already, in a chain of deltas of 0, is not violated and never enters; so at most m - 1 are active.
struct Pairs {
    size_t m, width;               // width: m padded
    const double* c = nullptr;     // the covariance of the systems, rows padded, with eps / 2 on its diagonal
    std::vector<int32_t> order;    // the systems, best first
    std::vector<size_t> ends;      // of the groups, as places in the order
    std::vector<double> x;         // the means of the systems
    double slack = 0;              // of what rounding leaves of a mean

    explicit Pairs(size_t m) : m(m), width(padded(m)), order(m), x(width), mu(width), push(width), factors(width) {}

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
    INLINE void entered(size_t) {}
    INLINE void left(size_t) {}
    INLINE void block(size_t j) { blocked.push_back(j); }
    INLINE void release(const int32_t*, size_t) { blocked.clear(); }

    // Gives what no variance exceeds.
    INLINE double begin() {
        blocked.clear();
        slack = 0;
        mu = x;
        std::fill(push.begin(), push.end(), 0.0);
        double largest = 0;
        for (size_t i = 0; i < m; i++) largest = std::max(largest, c[i * width + i]);
        return 4 * largest;
    }
    // mu = x + C push, where push adds up what the active pairs do to each system.
    INLINE void update(const int32_t* set, const double* v, size_t k) {
        std::fill(push.begin(), push.end(), 0.0);
        for (size_t r = 0; r < k; r++) push[size_t(set[r]) / m] += v[r], push[size_t(set[r]) % m] -= v[r];
        moved.clear();
        for (size_t i = 0; i < m; i++)
            if (push[i] != 0) factors[moved.size()] = push[i], moved.push_back(i);
        const auto system = [&](size_t r) { return c + moved[r] * width; };
        add_rows(system, factors.data(), moved.size(), x.data(), mu.data(), width);
        for (size_t i = 0; i < m; i++) slack = std::max(slack, ROUNDING * std::abs(x[i]));
    }

    // The pair that would gain most by itself, as in Differences; `wanted` has others.
    INLINE size_t most_wanted(double tolerance, double& best) {
        wanted.clear();
        best = 0;
        size_t found = 0;
        const auto want = [&](size_t first, size_t second) {
            const double below = mu[second] - mu[first] - tolerance;
            const size_t pair = first * m + second;
            if (!(below > 0) || std::find(blocked.begin(), blocked.end(), pair) != blocked.end()) return;
            wanted.push_back({below * below * weight(pair), pair});
            if (wanted.back().gain > best) best = wanted.back().gain, found = pair;
        };
        for (size_t g = 0, from = 0; g + 1 < ends.size(); from = ends[g++]) {
            const auto by_mu = [&](int32_t a, int32_t b) { return mu[size_t(a)] < mu[size_t(b)]; };
            const auto at = [&](size_t place) { return order.begin() + std::ptrdiff_t(place); };
            const size_t low = size_t(*std::min_element(at(from), at(ends[g]), by_mu));
            const size_t high = size_t(*std::max_element(at(ends[g]), at(ends[g + 1]), by_mu));
            if (!(mu[high] - mu[low] > tolerance)) continue;
            for (size_t q = from; q < ends[g]; q++) want(size_t(order[q]), high);
            for (size_t q = ends[g]; q < ends[g + 1]; q++)
                if (size_t(order[q]) != high) want(low, size_t(order[q]));
        }
        return found;
    }
    INLINE bool fulfilled(double least) {
        for (size_t i = 0; i < m; i++)
            if (!std::isfinite(mu[i])) return false;
        blocked.clear();
        double best = 0;
        most_wanted(-least, best);
        return !(best > 0);
    }
    // What is pushed across each place of the order: the v of the differences between neighbours.
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
    std::vector<size_t> moved, blocked;
    std::vector<Wanted> wanted;
};

}  // namespace kernels
