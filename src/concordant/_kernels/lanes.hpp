// Sums over rows of doubles in LANES parts. The order of additions does not depend on the width of registers, so every
// build and processor gives the same bits. Rows are padded with zeros to a multiple of LANES.
#pragma once

#include <cstddef>
#include <cstring>

#include "compiler.hpp"

namespace kernels {

constexpr size_t LANES = 8;

INLINE size_t padded(size_t n) { return (n + LANES - 1) / LANES * LANES; }

INLINE double total(const double (&part)[LANES]) {
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

INLINE double dot(const double* a, const double* b, size_t n) {
    double part[LANES] = {};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) part[l] += a[i + l] * b[i + l];
    return total(part);
}

// y += factor * x.
INLINE void add(double* y, const double* x, double factor, size_t n) {
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES; l++) y[i + l] += factor * x[i + l];
}

// Four doubles. GCC keeps a few of these in registers during a loop, which it does not do with arrays of doubles.
#if defined(GNU_VECTORS)
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#pragma GCC diagnostic ignored "-Wpsabi"  // only inline functions take them as arguments
#else
struct Four {
    double of[4];
    Four operator*(const Four& o) const {
        return {{of[0] * o.of[0], of[1] * o.of[1], of[2] * o.of[2], of[3] * o.of[3]}};
    }
    Four operator-(const Four& o) const {
        return {{of[0] - o.of[0], of[1] - o.of[1], of[2] - o.of[2], of[3] - o.of[3]}};
    }
    Four& operator+=(const Four& o) {
        for (int l = 0; l < 4; l++) of[l] += o.of[l];
        return *this;
    }
};
#endif
INLINE Four four(const double* from) {
    Four found;
    std::memcpy(&found, from, sizeof found);
    return found;
}
INLINE Four four(double x) { return Four{x, x, x, x}; }
INLINE void store(double* to, const Four& x) { std::memcpy(to, &x, sizeof x); }
INLINE Four larger(const Four& x, const Four& y) {
#if defined(GNU_VECTORS)
    return x > y ? x : y;
#else
    Four found;
    for (int l = 0; l < 4; l++) found.of[l] = x.of[l] > y.of[l] ? x.of[l] : y.of[l];
    return found;
#endif
}
INLINE bool same(const Four& x, const Four& y) {  // x and y contain no NaN
#if defined(GNU_VECTORS)
    const auto differs = x != y;
    return !((differs[0] | differs[1]) | (differs[2] | differs[3]));
#else
    return x.of[0] == y.of[0] && x.of[1] == y.of[1] && x.of[2] == y.of[2] && x.of[3] == y.of[3];
#endif
}

// to = start + the sum over r of factor[r] * at[r]. A few columns at a time stay in registers.
template <size_t PARTS>
INLINE void scattered_block(const double* const* at, const double* factor, size_t count, const double* start,
                            double* to, size_t c) {
    Four sum[PARTS];
    for (size_t l = 0; l < PARTS; l++) sum[l] = four(start + c + 4 * l);
    for (size_t r = 0; r < count; r++) {
        const double* const from = at[r] + c;
        const Four share = four(factor[r]);
        for (size_t l = 0; l < PARTS; l++) sum[l] += share * four(from + 4 * l);
    }
    for (size_t l = 0; l < PARTS; l++) store(to + c + 4 * l, sum[l]);
}
INLINE void scattered(const double* const* at, const double* factor, size_t count, const double* start, double* to,
                      size_t end) {
    size_t c = 0;
    for (; c + 32 <= end; c += 32) scattered_block<8>(at, factor, count, start, to, c);
    for (; c + 16 <= end; c += 16) scattered_block<4>(at, factor, count, start, to, c);
    for (; c < end; c += 8) scattered_block<2>(at, factor, count, start, to, c);
}

// to = the sum over r of factor[r] * row r, for consecutive rows.
template <size_t PARTS>
INLINE void combine_block(const double* from, size_t stride, const double* factor, size_t count, double* to) {
    Four sum[PARTS];
    for (size_t l = 0; l < PARTS; l++) sum[l] = four(0.0);
    for (size_t r = 0; r < count; r++, from += stride) {
        const Four share = four(factor[r]);
        for (size_t l = 0; l < PARTS; l++) sum[l] += share * four(from + 4 * l);
    }
    for (size_t l = 0; l < PARTS; l++) store(to + 4 * l, sum[l]);
}
INLINE void combine(const double* from, size_t stride, const double* factor, size_t count, double* to, size_t end) {
    size_t c = 0;
    for (; c + 32 <= end; c += 32) combine_block<8>(from + c, stride, factor, count, to + c);
    for (; c + 16 <= end; c += 16) combine_block<4>(from + c, stride, factor, count, to + c);
    for (; c < end; c += 8) combine_block<2>(from + c, stride, factor, count, to + c);
}

}  // namespace kernels
