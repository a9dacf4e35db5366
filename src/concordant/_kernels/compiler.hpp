// Macros that hide differences between compilers. CONCORDANT_PORTABLE restricts the code to standard C++, as for MSVC.
#pragma once

#include <cstdint>  // any standard header, because glibc identifies itself there

#if defined(__GNUC__) && !defined(CONCORDANT_PORTABLE)
#define GNU_VECTORS 1
#define INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define INLINE __forceinline
#else
#define INLINE inline
#endif

// Compiles a function for several generations of processors, one of which is chosen when the module is loaded. This
// needs GCC 12, which knows these generations by name, and ifuncs, which musl lacks.
#if defined(GNU_VECTORS) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__GLIBC__)
#define VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTORISED
#endif
