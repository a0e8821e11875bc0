"""What a statistician would believe: the distribution of largest entropy that fits a release and some statements.

Here belongs everything between a release with statements and the probabilities P*(q, s, b) that follow by maximum
entropy.  Reading statements does not (`knowledge`), nor counting possible worlds (`worlds`), which is another model.

Read `maxent` for the way in, and `beliefs` for what it says of kinds of people; then, in the order that data passes
through: `variables` (of the release, and people of a group whom statements tell apart, although the release does not),
`constraints` (statements as bounds on sums of variables), `problem` (the quotient by what no statement tells apart),
`subproblems` (independent parts, contradictions, and what was measured with noise), `presolve` (what is forced),
`newton` (the dual, where to begin, and the linear algebra of one step).  `measure` asks a release how sure somebody
would get who knows statements, or some of the strongest rules of a table.
"""
