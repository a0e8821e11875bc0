"""What a statistician would believe: the distribution of largest entropy that fits a release and some statements.

Here belongs everything between a release with statements and the probabilities P*(q, s, b) that follow by maximum
entropy.  Reading statements does not (`knowledge`), nor counting possible worlds (`worlds`), which is another model.

Read `maxent` for the way in and beliefs about sets of values, `beliefs` for what users get, `key_beliefs` for what it
says of kinds of people; then, in the order that data passes through: `parts` (people of a group whom statements tell
apart, although the release does not), `problem` (variables, and what is known of their sums), `constraints` (statements
as bounds on such sums, and which variables they count), `reduction` (the quotient by what no statement tells apart),
`subproblems` (independent parts, contradictions, and what was measured with noise), `presolve` (what is forced),
`newton` (the dual, where to begin, and the linear algebra of one step).  `association_rules` mines statements from a
table; `measure` asks a release how sure somebody would get who knows them, and by how many rules.
"""
