"""Pure formulas on numbers and catalog records; they know no device and raise nothing."""
