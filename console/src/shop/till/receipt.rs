//! The receipt of a sale, for the screen and for 80 mm of paper.
