//! Nothing: its static library needs what every one needs.
