// The probability that two systems swap on other topics: the share of resamples in which their difference is negative,
// and the width of the kernel density that smooths it.
//
// Both walk along the characteristic function of a row of differences in equal steps. Multiplying exp(i t d) by
// exp(i step d) takes four multiplications instead of a sine and a cosine. Rounding grows by a few 1e-16 per step, to
// about 1e-12 in the few thousand steps after which nearly all rows have ended.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "kernels.hpp"
#include "lanes.hpp"
#include "threads.hpp"

namespace kernels {

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr double NEGLIGIBLE = 1e-9, TAPER = 4.5;  // as in reference/resamples.py
constexpr double REACH = 8.5;  // standard deviations at which a normal density times a sixth power is negligible

struct Point {
    double c, s;
};

// Sums exp(i t d) over topics, then moves t on by a step. Rows are padded with zeros.
VECTORISED Point sum_and_turn(double* c, double* s, const double* dc, const double* ds, size_t n) {
    double real[LANES] = {}, imag[LANES] = {};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const double x = c[i + l], y = s[i + l], a = dc[i + l], b = ds[i + l];
            real[l] += x;
            imag[l] += y;
            c[i + l] = x * a - y * b;
            s[i + l] = x * b + y * a;
        }
    return {total(real), total(imag)};
}

// A walk along the characteristic function of one row. Each thread reuses one object.
struct Walk {
    size_t n, width;
    std::vector<double> c, s, dc, ds;

    explicit Walk(size_t n)
        : n(n), width(padded(n)), c(width), s(width), dc(width), ds(width) {}
    void begin(const double* d, double start, double step) {
        for (size_t i = 0; i < n; i++) {
            c[i] = std::cos(start * d[i]), s[i] = std::sin(start * d[i]);
            dc[i] = std::cos(step * d[i]), ds[i] = std::sin(step * d[i]);
        }
    }
    Point next() {
        const Point sum = sum_and_turn(c.data(), s.data(), dc.data(), ds.data(), width);
        return {sum.c / double(n), sum.s / double(n)};
    }
};

Point power(Point base, size_t n) {
    Point found{1, 0};
    for (; n; n >>= 1) {
        if (n & 1) found = {found.c * base.c - found.s * base.s, found.c * base.s + found.s * base.c};
        base = {base.c * base.c - base.s * base.s, 2 * base.c * base.s};
    }
    return found;
}

// A sum that ends when its terms are negligible. If it is truncated earlier, its terms fade out.
struct Sum {
    double plain = 0, faded = 0;
    int quiet = 0;
    bool done = false;

    void add(double term, double size, double fade) {
        plain += term;
        faded += fade * term;
        quiet = size < NEGLIGIBLE ? quiet + 1 : 0;
    }
    double share() const { return std::min(1.0, std::max(0.0, 0.5 - (done ? plain : faded))); }
};

void invert(const double* d, double step, int64_t points, double width, int most, Walk& walk, double* out) {
    walk.begin(d, 0.5 * step, step);
    Sum sharp, smooth;
    smooth.done = !(width > 0);
    const int in_a_row = 8 + int(1000 / walk.n);
    for (int64_t k = 0; k < most && !(sharp.done && smooth.done); k++) {
        const Point f = power(walk.next(), walk.n);
        const double place = double(k) + 0.5, off = TAPER * place / most, fade = std::exp(-0.5 * off * off);
        const double size = std::sqrt(f.c * f.c + f.s * f.s), weight = 1 / (PI * place);
        if (!sharp.done) {
            const double own =
                points > 0 ? 1 / (std::tan(PI * double(2 * k + 1) / (2 * double(points))) * double(points)) : weight;
            sharp.add(own * f.s, size * own, fade);
            sharp.done = points > 0 ? 2 * k + 3 >= points : sharp.quiet >= in_a_row;
        }
        if (!smooth.done) {
            const double t = place * step, factor = weight * std::exp(-0.5 * width * t * t);
            smooth.add(factor * f.s, size * factor, fade);
            smooth.done = smooth.quiet >= in_a_row;
        }
    }
    out[0] = sharp.share();
    out[1] = width > 0 ? smooth.share() : out[0];
}

// Averages a derivative of a normal density directly over all pairs of values. Its polynomial is in the squares.
double direct_six(const double* d, size_t n, double g) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < i; j++) {
            const double u = (d[i] - d[j]) / g, v = u * u;
            row += (((v - 15) * v + 45) * v - 15) * std::exp(-0.5 * v);
        }
        sum += row;
    }
    return (2 * sum - 15 * double(n)) / (double(n) * double(n) * std::sqrt(2 * PI) * std::pow(g, 7));
}
double direct_four(const double* d, size_t n, double g) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < i; j++) {
            const double u = (d[i] - d[j]) / g, v = u * u;
            row += ((v - 6) * v + 3) * std::exp(-0.5 * v);
        }
        sum += row;
    }
    return (2 * sum + 3 * double(n)) / (double(n) * double(n) * std::sqrt(2 * PI) * std::pow(g, 5));
}

// With f the characteristic function of the row, psi_r(g) is the integral over t of (it)^r |f(t)|^2 exp(-(g t)^2 / 2),
// divided by 2 pi. The only errors of the trapezoidal rule are images of the row at distances of 2 pi / step; the step
// keeps them beyond the reach of the density. If that costs more than a sum over all pairs, the pairs are summed
// directly.
double plug_in(const double* d, double scale, Walk& walk, std::vector<double>& squares) {
    const size_t n = walk.n;
    const double first = scale * std::pow(30.0 * 32 / (105 * std::sqrt(2.0) * double(n)), 1.0 / 9);
    const auto extremes = std::minmax_element(d, d + n);
    const double step = 2 * PI / ((*extremes.second - *extremes.first) + (REACH + 1) * first);
    const double among = double(n) * double(n) / (double(n) - 1);  // sums are divided by n (n - 1)
    const auto second_from = [&](double six) {
        return std::pow(6 / (std::sqrt(2 * PI) * -six * among), 1.0 / 7);
    };
    const auto width_from = [&](double four) {
        return std::pow(1 / (2 * std::sqrt(PI) * four * among), 1.0 / 5);
    };
    if (!(first > 0 && step > 0 && std::isfinite(first))) return std::nan("");
    if (REACH / (first * step) > 8 * double(n) + 64)
        return width_from(direct_four(d, n, second_from(direct_six(d, n, first))));
    squares.clear();
    walk.begin(d, step, step);
    const auto up_to = [&](double g) {
        const size_t count = size_t(REACH / (g * step)) + 1;
        while (squares.size() < count) {
            const Point f = walk.next();
            squares.push_back(f.c * f.c + f.s * f.s);
        }
        return count;
    };
    double six = 0, four = 0;
    for (size_t k = 0, count = up_to(first); k < count; k++) {
        const double t = double(k + 1) * step, v = t * t, u = first * t;
        six -= v * v * v * squares[k] * std::exp(-0.5 * u * u);
    }
    const double second = second_from(six * step / PI);
    if (!(REACH / (second * step) < 1e3 * (8 * double(n) + 64))) return std::nan("");  // only after an overflow
    for (size_t k = 0, count = up_to(second); k < count; k++) {
        const double t = double(k + 1) * step, v = t * t, u = second * t;
        four += v * v * squares[k] * std::exp(-0.5 * u * u);
    }
    return width_from(four * step / PI);
}

}  // namespace

void negative_shares(const Matrix& differences, const Vector& steps, const IntVector& points, const Vector& widths,
                     int most, const OutMatrix& out, int workers) {
    const size_t count = differences.shape(0), n = differences.shape(1);
    require(n >= 1, "differences must have at least 1 topic");
    require(most >= 1, "most must be at least 1");
    require_shape("steps", steps, count);
    require_shape("points", points, count);
    require_shape("widths", widths, count);
    require_shape("out", out, count, 2);
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        Walk walk(n);
        for (Turn turn(queue); turn.next();) {
            const size_t row = turn.row();
            invert(differences.data() + row * n, steps.data()[row], points.data()[row], widths.data()[row], most, walk,
                   out.data() + 2 * row);
        }
    });
}

void plug_in_widths(const Matrix& differences, const Vector& scales, const OutVector& out, int workers) {
    const size_t count = differences.shape(0), n = differences.shape(1);
    require(n >= 2, "differences must have at least 2 topics");
    require_shape("scales", scales, count);
    require_shape("out", out, count);
    nb::gil_scoped_release unlocked;
    share_rows(count, workers, [&](Queue& queue) {
        Walk walk(n);
        std::vector<double> squares;
        for (Turn turn(queue); turn.next();) {
            const size_t row = turn.row();
            out.data()[row] = plug_in(differences.data() + row * n, scales.data()[row], walk, squares);
        }
    });
}

}  // namespace kernels
