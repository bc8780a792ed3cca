//! A backup under load loses nothing that was acknowledged before its mark.
