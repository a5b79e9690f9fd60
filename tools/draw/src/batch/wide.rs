//! The widest vectors of the processor.
//! In: a function that is inlined. Out: its result. Knows nothing of programs.
//!
//! Builds for x86-64 may use SSE2 alone, and most processors have vectors of two or four times the
//! width. With the feature `simd` the function is compiled for those too. Elsewhere the target has
//! them all, or the build says so (`-C target-feature=+simd128` for wasm).

/// The vectors that the processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    level: fearless_simd::Level,
}

impl Wide {
    /// Asks the processor.
    pub(crate) fn detect() -> Self {
        Self {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            level: fearless_simd::Level::new(),
        }
    }

    /// Calls a function, compiled for these vectors if it is `#[inline(always)]`.
    #[inline(always)]
    pub(crate) fn call<T>(self, function: impl FnOnce() -> T) -> T {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        {
            use fearless_simd::Simd as _;
            if let Some(avx512) = self.level.as_avx512() {
                return avx512.vectorize(function);
            }
            if let Some(avx2) = self.level.as_avx2() {
                return avx2.vectorize(function);
            }
        }
        function()
    }
}
