//! Tests of the reference machine: single instructions, control flow, whole runs.

mod instructions;
