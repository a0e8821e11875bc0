"""All targets, in the order of the table."""

from trust.fuzz import (
    command_lines,
    csv_files,
    facts,
    hierarchies,
    http_requests,
    ledgers,
    limits,
    parquet_files,
    policies,
    python_calls,
    sidecars,
    statements,
)

TARGETS = tuple(
    module.TARGET
    for module in (
        csv_files,
        parquet_files,
        hierarchies,
        policies,
        limits,
        facts,
        statements,
        sidecars,
        ledgers,
        http_requests,
        command_lines,
        python_calls,
    )
)
