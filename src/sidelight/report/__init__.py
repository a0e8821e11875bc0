"""One versioned JSON document; what people see is drawn from it."""
