//! A run as files for other programs: the tidy table as CSV and Parquet, a workbook, and everything as JSON.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod parquet;
pub(crate) mod samples;
pub(crate) mod xlsx;
