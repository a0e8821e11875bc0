"""What an attacker with statistics would believe: the distribution of largest entropy that fits release and statements.

Here belongs everything between a release with statements and the probabilities P*(q, s, b) that follow by maximum
entropy.  Reading statements does not (`knowledge`), nor counting possible worlds (`worlds`), which is another model.

Read `maxent` for the entry point, and `beliefs` for kinds of people; then, in the order of data: `variables` (of the
release, and of people of a group whom only statements distinguish), `constraints` (statements as bounds on sums of
variables), `problem` (the quotient by what no statement distinguishes), `subproblems` (independent parts,
contradictions, and measurements with noise), `presolve` (what is forced), `newton` (the dual, its start, and the linear
algebra of one step).  `measure` bounds what an attacker learns who knows statements, or some of the strongest rules of
a table.
"""
