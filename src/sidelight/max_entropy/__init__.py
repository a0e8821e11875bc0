"""What a statistician would believe: the distribution of largest entropy that fits a release and some statements.

Here belongs everything between a release with statements and the probabilities P*(q, s, b) that follow by maximum
entropy.  Reading statements does not (`knowledge`), nor counting possible worlds (`worlds`), which is another model.

Read `maxent` for the way in, `beliefs` and `set_beliefs` for what users get, `key_beliefs` for what it says of kinds of
people; then, in the order that data passes through: `hidden_labels` (what a printed label may stand for) and `parts`
(people of a group whom statements tell apart, although the release does not), `problem` (variables, and what is known
of their sums), `terms` (what statements add up, and which variables that is), `constraints` (statements as bounds on
such sums), `reduction` (the quotient by what no statement tells apart), `subproblems` (independent parts; which
statements contradict each other), `presolve` (what is forced), `scaling` (where to begin), `newton` and `schur` (the
dual and the linear algebra of one step); `likelihoods` (what was measured with noise).  `association_rules` mines
statements from a table; `measure` asks a release how sure somebody would get who knows them, and what the release adds
to that; `rule_curve` asks by how many rules are known.
"""
