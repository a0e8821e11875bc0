"""Which bounds must a release keep?  Policies of measures with bounds, and how people write them.

Here belong `Policy` and `Verdict`, the policy file, limits in a line of text, and what is said when one of them is
wrong.  Not here: what a measure is or whether a bound makes sense for it (`measures/`), what a search does with a
policy (`search/`), and which policy to begin with (`intake/presets`).

Read `policy` first (policy, verdict, the file that is written, and the auditor, who judges again what changed),
then `limits` (what a limit may say, in a section or in a line of text) and `policy_file`; `measure_names` (which
measures there are, and what papers call them) serves them.
"""
