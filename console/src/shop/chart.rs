//! Bars as SVG.
