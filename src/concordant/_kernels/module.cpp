// Binds the functions of kernels.hpp as the Python module `native`.

#include "kernels.hpp"

NB_MODULE(native, m) {
    namespace nb = nanobind;
    // Refuse arrays of the wrong type: nanobind would copy them, and results written to the copy would be lost. The
    // pair functions write nothing and skip this, which saves 0.1 microseconds per call.
    const auto array = nb::arg().noconvert();
    const auto number = nb::arg();
    m.def("concordance_pair", &kernels::concordance_pair);
    m.def("concordance_rows", &kernels::concordance_rows, array, array, array, array, array, number, number, number);
    m.def("gaps_pair", &kernels::gaps_pair);
    m.def("gaps_rows", &kernels::gaps_rows, array, array, array, array, array, number);
    m.def("ranks_pair", &kernels::ranks_pair);
    m.def("ranks_rows", &kernels::ranks_rows, array, array, array, array, array, number);
    m.def("weights_pair", &kernels::weights_pair);
    m.def("weights_rows", &kernels::weights_rows, array, array, array, array, array, number);
    m.def("overlaps_pair", &kernels::overlaps_pair);
    m.def("overlaps_rows", &kernels::overlaps_rows, array, array, array, array, array, number, array, number);
    m.def("cosines_pair", &kernels::cosines_pair);
    m.def("cosines_rows", &kernels::cosines_rows, array, array, array, array, array, number);
    m.def("rank_distances", &kernels::rank_distances, array, array, array, number, array, array, number);
    m.def("recentred_distances", &kernels::recentred_distances, array, array, array, array, number, array, number);
    m.def("resampled_sums", &kernels::resampled_sums, array, array, array, number);
    m.def("short_means", &kernels::short_means, array, number, number, array, number);
    m.def("exceedances", &kernels::exceedances, array, array, array, array, array, array, array, array, array);
    m.def("negative_shares", &kernels::negative_shares, array, array, array, array, number, array, number);
    m.def("plug_in_widths", &kernels::plug_in_widths, array, array, array, number);
}
