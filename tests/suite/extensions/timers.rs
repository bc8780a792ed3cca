//! Timers: windows without a gap, company by company.
