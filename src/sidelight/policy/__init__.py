"""Which bounds must a release keep?  Policies of measures with bounds, and how people write them.

Here belong `Policy` and `Verdict`, the policy file, limits in a line of text, and what is said when one of them is
wrong.  Not here: what a measure is or whether a bound makes sense for it (`measures/`), what a search does with a
policy (`search/`), and which policy to begin with (`intake/presets`, `intake/policy_draft`).

Read `policy` first (policy, verdict, and the file that is written), then `settings` (what may stand in a policy),
`limits` (what one section demands), `policy_file` and `limit_text` (the two ways to write it); `measure_names` (which
measures there are, and what papers call them) serves them.  `auditor` judges again what changed a little.
"""
