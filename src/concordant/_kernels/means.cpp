// Means rounded to 12 digits, if rounding keeps all ties and makes no new ties.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace kernels {

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double LARGEST_SLACK = 2e-13;

// The start of each decade, and the factor that takes its means to 12 digits before the point; both are exact.
constexpr int DECADES = 23;
constexpr double STARTS[DECADES + 1] = {1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                        1e1,   1e2,   1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12};
constexpr double SCALES[DECADES] = {1e22, 1e21, 1e20, 1e19, 1e18, 1e17, 1e16, 1e15, 1e14, 1e13, 1e12, 1e11,
                                    1e10, 1e9,  1e8,  1e7,  1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1e0};

// A row of systems: each rounded mean, in steps of its last digit and as a number, and its rounding error.
struct Row {
    std::vector<double> steps, scale, shortened, rest;
    explicit Row(size_t m) : steps(m), scale(m), shortened(m), rest(m) {}
};

// Returns false if a mean is neither 0 nor in one of the decades.
VECTORISED bool shorten(const double* sums, size_t m, double divisor, Row& row) {
    double* __restrict const to = row.shortened.data();
    double* __restrict const scale = row.scale.data();
    double* __restrict const steps = row.steps.data();
    double* __restrict const rest = row.rest.data();
    for (size_t i = 0; i < m; i++) to[i] = (sums[i] + 0.0) / divisor;
    double low[LANES], high[LANES];
    int64_t good[LANES];
    for (size_t l = 0; l < LANES; l++) low[l] = INF, high[l] = 0.0, good[l] = 1;
    const auto see = [&](double mean, size_t l) {
        good[l] &= int64_t(mean >= 0.0);
        low[l] = mean > 0.0 && mean < low[l] ? mean : low[l];
        high[l] = mean > high[l] ? mean : high[l];
    };
    size_t i = 0;
    for (; i + LANES <= m; i += LANES)
        for (size_t l = 0; l < LANES; l++) see(to[i + l], l);
    for (; i < m; i++) see(to[i], 0);
    const double least = *std::min_element(low, low + LANES), most = *std::max_element(high, high + LANES);
    const bool all = std::all_of(good, good + LANES, [](int64_t one) { return one; });
    if (!all || least < STARTS[0] || most >= STARTS[DECADES]) return false;
    int decade = 0;
    while (decade + 1 < DECADES && STARTS[decade + 1] <= least) decade++;
    std::fill(scale, scale + m, SCALES[decade]);
    for (decade++; decade < DECADES && STARTS[decade] <= most; decade++) {
        const double start = STARTS[decade], larger = SCALES[decade];
        for (size_t j = 0; j < m; j++) scale[j] = to[j] >= start ? larger : scale[j];
    }
    for (size_t j = 0; j < m; j++) {
        const double exact = to[j] * scale[j] - 0.02;
        steps[j] = std::rint(exact);
        rest[j] = exact - steps[j];
        to[j] = std::fabs(steps[j] / scale[j]);
    }
    return true;
}

// The lowest and highest sum of the systems with equal rounded means, in a hash table of four times their number.
class Groups {
  public:
    explicit Groups(size_t m) : taken(m) {
        while (size_t(1) << bits < 4 * m) bits++;
        groups.resize(size_t(1) << bits);
    }
    void fill(const double* means, const double* sums, size_t m) {
        for (size_t i = 0; i < m; i++) {
            const size_t at = taken[i] = find(means[i]);
            Group& group = groups[at];
            group.mean = bits_of(means[i]);
            group.lowest = std::min(group.lowest, sums[i]);
            group.highest = std::max(group.highest, sums[i]);
        }
    }
    void clear(size_t m) {
        for (size_t i = 0; i < m; i++) groups[taken[i]] = Group();
    }
    // Returns whether a group's sums differ by more than rounding.
    bool too_wide(size_t m, double slack) const {
        bool any = false;
        for (size_t i = 0; i < m; i++) {
            const Group& group = groups[taken[i]];
            any |= group.highest - group.lowest > slack * (group.highest + group.lowest);
        }
        return any;
    }
    // Returns whether rounding could explain the step between two groups, if both exist.
    bool too_close(double lower, double upper, double slack) const {
        const Group &below = groups[find(lower)], &above = groups[find(upper)];
        return below.mean != EMPTY && above.mean != EMPTY &&
               above.lowest - below.highest <= slack * (above.lowest + below.highest);
    }

  private:
    static constexpr uint64_t EMPTY = ~uint64_t(0);  // the bits of a NaN
    struct Group {
        uint64_t mean = EMPTY;
        double lowest = INF, highest = -INF;
    };
    int bits = 1;
    std::vector<Group> groups;
    std::vector<size_t> taken;  // the place of each system's group

    static uint64_t bits_of(double mean) {
        uint64_t found;
        std::memcpy(&found, &mean, sizeof found);
        return found;
    }
    size_t find(double mean) const {
        const uint64_t key = bits_of(mean);
        size_t at = size_t(key * 0x9E3779B97F4A7C15u >> (64 - bits));
        while (groups[at].mean != key && groups[at].mean != EMPTY) at = (at + 1) & (groups.size() - 1);
        return at;
    }
};

// Returns whether rounding explains every difference within groups of equal means, and no difference between groups.
// Sums that differ only by rounding are less than half a step of the last digit apart. So two neighbouring groups are
// too close only if a system is that near to the middle between them. A mean of 12 digits is known to 1e-3 of a step,
// and is at most 1e12 steps.
bool same_ties(size_t m, double slack, const Row& row, const Groups& groups) {
    if (groups.too_wide(m, slack)) return false;
    const double near = 0.5 - (2e12 * slack + 1e-3);
    for (size_t i = 0; i < m; i++) {
        if (std::fabs(row.rest[i]) < near) continue;
        const double own = row.shortened[i];
        const double other = (row.steps[i] + (row.rest[i] < 0 ? -1.0 : 1.0)) / row.scale[i];
        if (groups.too_close(std::min(own, other), std::max(own, other), slack)) return false;
    }
    return true;
}

}  // namespace

void short_means(const Matrix& sums, double divisor, double slack, const OutMatrix& out, int workers) {
    const size_t count = sums.shape(0), m = sums.shape(1);
    require_shape("out", out, count, m);
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        Row row(m);
        Groups groups(m);
        for (Turn turn(queue); turn.next();) {
            const double* const from = sums.data() + turn.row() * m;
            double* const to = out.data() + turn.row() * m;
            bool found = slack <= LARGEST_SLACK && shorten(from, m, divisor, row);
            if (found) {
                groups.fill(row.shortened.data(), from, m);
                found = same_ties(m, slack, row, groups);
                groups.clear(m);
            }
            if (found)
                std::copy(row.shortened.begin(), row.shortened.end(), to);
            else
                std::fill(to, to + m, NAN);
        }
    });
}

}  // namespace kernels
