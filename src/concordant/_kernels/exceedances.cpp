// Counts, for each pair, the resamples in which the largest statistic of its family up to this pair reaches its
// threshold.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "lanes.hpp"

namespace kernels {

namespace {

constexpr size_t AT_A_TIME = 4;  // pairs between two checks for a new largest statistic in a lane

// The terms of each column's sum: its nonzero topics, and the earlier column whose sum it starts from.
class Columns {
  public:
    Columns(const double* values, const int64_t* base, size_t n, size_t count) : base(base), count(count), ends(count) {
        for (size_t c = 0; c < count; c++) {
            for (size_t t = 0; t < n; t++)
                if (const double value = values[t * count + c]; value != 0) terms.push_back({t, value});
            ends[c] = terms.size();
        }
    }
    // signs[topic * LANES + lane] is 1 or -1; sums[column * LANES + lane].
    INLINE void sum(const double* signs, double* sums) const {
        size_t at = 0;
        for (size_t c = 0; c < count; c++) {
            const double* const start = sums + size_t(std::max<int64_t>(base[c], 0)) * LANES;
            Four low = base[c] < 0 ? four(0.0) : four(start), high = base[c] < 0 ? four(0.0) : four(start + 4);
            for (; at < ends[c]; at++) {
                const Four value = four(terms[at].value);
                low += value * four(signs + terms[at].topic * LANES);
                high += value * four(signs + terms[at].topic * LANES + 4);
            }
            store(sums + c * LANES, low);
            store(sums + c * LANES + 4, high);
        }
    }

  private:
    struct Term {
        size_t topic;
        double value;
    };
    const int64_t* const base;
    const size_t count;
    std::vector<Term> terms;
    std::vector<size_t> ends;
};

struct Pairs {
    const int64_t *first, *second;
    const double *scale, *least;
};

// LANES resamples, and the pairs of one family. A new largest statistic is rare, about ten in thousands of pairs, so
// nearly all the work is to check that there is none.
class Family {
  public:
    Family(const Pairs& pairs, size_t begin, size_t end, const double* sums, size_t lanes, int64_t* steps)
        : pairs(pairs), begin(begin), end(end), sums(sums), lanes(lanes), steps(steps) {
        std::fill(since, since + LANES, begin);
    }
    INLINE void see_all() {
        Four low = four(most), high = four(most + 4);
        size_t k = begin;
        for (; k + AT_A_TIME <= end; k += AT_A_TIME) {
            Four low_then = low, high_then = high;
            for (size_t p = k; p < k + AT_A_TIME; p++) {
                const double* const a = sums + size_t(pairs.first[p]) * LANES;
                const double* const b = sums + size_t(pairs.second[p]) * LANES;
                const Four scale = four(pairs.scale[p]), down = four(0.0) - scale;
                const Four d = four(a) - four(b), e = four(a + 4) - four(b + 4);
                low_then = larger(low_then, larger(d * scale, d * down));
                high_then = larger(high_then, larger(e * scale, e * down));
            }
            if (same(low, low_then) && same(high, high_then)) continue;
            double then[LANES];
            store(then, low_then);
            store(then + 4, high_then);
            for (size_t l = 0; l < lanes; l++)
                if (then[l] != most[l])
                    for (size_t p = k; p < k + AT_A_TIME; p++) see(p, l);
            low = four(most);
            high = four(most + 4);
        }
        for (size_t l = 0; l < lanes; l++) {
            for (size_t p = k; p < end; p++) see(p, l);
            add_reached(l, end);
        }
    }

  private:
    const Pairs& pairs;
    const size_t begin, end;
    const double* const sums;
    const size_t lanes;       // lanes with a resample; the others have sums of 0, which are never above 0
    int64_t* const steps;     // increments, whose running sums are the counts
    double most[LANES] = {};  // the largest statistic so far
    size_t since[LANES];      // the pair with that statistic

    void see(size_t p, size_t l) {
        const double d = sums[size_t(pairs.first[p]) * LANES + l] - sums[size_t(pairs.second[p]) * LANES + l];
        const double r = std::fabs(d) * pairs.scale[p];
        if (!(r > most[l])) return;
        add_reached(l, p);
        most[l] = r;
        since[l] = p;
    }
    // Adds the pairs before `next` that the largest statistic so far reaches. They come first, because thresholds do
    // not decrease.
    void add_reached(size_t l, size_t next) {
        const double *from = pairs.least + since[l], *const to = pairs.least + next;
        if (from == to || *from > most[l]) return;
        steps[since[l]]++;
        if (to - from > 16)
            from = std::upper_bound(from, to, most[l]);
        else
            while (from != to && *from <= most[l]) from++;
        steps[from - pairs.least]--;
    }
};

VECTORISED void see_lanes(const Columns& columns, const double* signs, const Pairs& pairs, const int64_t* ends,
                          size_t families, size_t lanes, double* sums, int64_t* steps) {
    columns.sum(signs, sums);
    for (size_t f = 0; f < families; f++)
        Family(pairs, f ? size_t(ends[f - 1]) : 0, size_t(ends[f]), sums, lanes, steps).see_all();
}

void require_columns(const char* name, const IntVector& numbers, size_t columns) {
    const int64_t *const from = numbers.data(), *const to = from + numbers.shape(0);
    if (!std::all_of(from, to, [&](int64_t k) { return k >= 0 && k < int64_t(columns); }))
        throw nb::value_error((name + std::string(" has a number that is no column")).c_str());
}

void require_ends(const IntVector& ends, size_t count) {
    const int64_t *const from = ends.data(), *const to = from + ends.shape(0);
    const bool whole = from == to ? count == 0 : from[0] >= 0 && to[-1] == int64_t(count);
    if (!whole || !std::is_sorted(from, to)) throw nb::value_error("ends must grow up to the number of pairs");
}

}  // namespace

void exceedances(const Matrix& values, const IntVector& base, const IntMatrix& signs, const IntVector& first,
                 const IntVector& second, const Vector& scale, const Vector& least, const IntVector& ends,
                 const OutVector& out) {
    const size_t n = values.shape(0), columns = values.shape(1), draws = signs.shape(0), count = first.shape(0);
    require_shape("base", base, columns);
    require_shape("signs", signs, draws, n);
    require_shape("second", second, count);
    require_shape("scale", scale, count);
    require_shape("least", least, count);
    require_shape("out", out, count);
    for (size_t c = 0; c < columns; c++)
        if (base.data()[c] >= int64_t(c)) throw nb::value_error("base has a column that does not come before");
    require_columns("first", first, columns);
    require_columns("second", second, columns);
    require_ends(ends, count);
    nb::gil_scoped_release unlocked;
    const Columns summed(values.data(), base.data(), n, columns);
    const Pairs pairs{first.data(), second.data(), scale.data(), least.data()};
    std::vector<double> turned(n * LANES), sums(columns * LANES);
    std::vector<int64_t> steps(count + 1);
    for (size_t lo = 0; lo < draws; lo += LANES) {
        const size_t lanes = std::min(LANES, draws - lo);
        for (size_t t = 0; t < n; t++)
            for (size_t l = 0; l < LANES; l++)
                turned[t * LANES + l] = l < lanes ? double(signs.data()[(lo + l) * n + t]) : 0.0;
        see_lanes(summed, turned.data(), pairs, ends.data(), ends.shape(0), lanes, sums.data(), steps.data());
    }
    int64_t reached = 0;
    for (size_t k = 0; k < count; k++) out.data()[k] = double(reached += steps[k]);
}

}  // namespace kernels
