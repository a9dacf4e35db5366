// Counts and sums of two rankings, in the order of the fields of Counts in reference/concordance.py, and three exact
// ways to count:
// - up to SMALL items, concordance.cpp compares all pairs, thirty-two items at a time. At these sizes, n^2 comparisons
//   without a mispredicted branch beat any sort;
// - for more items, concordance_large.cpp uses a radix sort on each side, then distributes places in truth by their
//   digits and counts on the way;
// - with a tolerance, ties are not transitive, and concordance_tolerant.cpp uses a Fenwick tree over the places in
//   truth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernels {

struct Counts {
    double concordant = 0, discordant = 0, tied_truth = 0, tied_candidate = 0, tied_both = 0;
    double top_truth = 0, top_candidate = 0;
    double down_truth = 0, down_candidate = 0;
    double mean_candidate = 0, within_candidate = 0;
    double strict_candidate = 0, alone_candidate = 0;
};

enum Extra { MEAN = 1, STRICT = 2, BACK = 4, PAIRS = 8 };  // sums that only some coefficients need; PAIRS alone: none

// The start of the current run of equal items, walking up: this place, or else the previous start. There is no branch,
// because it would be mispredicted.
inline size_t begin_if(bool here, size_t i, size_t before) { return std::max(before, i & -size_t(here)); }

// Numbers for each item; if above_truth is null, items are in the order of the truth, best first.
struct PerItem {
    size_t n;
    const int32_t* both;         // items above it on both sides
    const int32_t* above;        // items above it in candidate
    const int32_t* above_truth;  // items above it in truth; null when that is its index
    bool ties;                   // true if there are ties in candidate
    const int32_t* tied;         // items tied with it in candidate, itself included; read only for MEAN and STRICT
    const int32_t* same;         // other items tied with it on both sides, or null; read only for STRICT
};

// Fills in all fields except `concordant`, `discordant` and `tied_*`, which the caller sets.
void sum_over_items(const PerItem& p, int extra, Counts& c);

// Counts of a long ranking, in the order of the truth, best first; items tied in truth are in order from the worst to
// the best in candidate.
// The fields are those of PerItem; above_truth is empty without ties in truth.
struct LargeCounts {
    std::vector<int32_t> both, above, above_truth;
    size_t concordant = 0, tied_candidate = 0;

    LargeCounts(const double* truth, const double* candidate, size_t n);
};

void concordance_large(const double* truth, const double* candidate, size_t n, int extra, Counts& c);
void concordance_tolerant(const double* truth, const double* candidate, size_t n, double tolerance, int extra,
                          Counts& c);

}  // namespace kernels
