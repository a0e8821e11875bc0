"""Policies: measures with bounds that a release must keep, and how people write them.

Here belong `Policy` and `Verdict`, the policy file, limits in a line of text, and the errors about them.  Not here:
what a measure is or which bounds suit it (`measures/`), what a search does with a policy (`search/`), and which policy
to begin with (`intake/presets`).

Read `policy` first (policy, verdict, the file that is written, and the auditor, which judges changes),
then `limits` (what a limit may say, in a section or in a line of text) and `policy_file`; `measure_names` (which
measures there are, and what papers call them) serves them.
"""
