//! The sequence in which the extensions of a point are called: operators set it, generations record it, hosts follow it.
