"""One chart, one question, one file: from plain data to an Altair chart (see `plots` for what all have in common).

First the numbers, which are the table behind a chart, then the ink, which does no arithmetic of its own.

- `risk_curves`: how does the risk grow with what somebody knows?
- `skyline`: how much of three kinds of knowledge at once does a release withstand?
- `histograms`: how large are the groups, and which values have their people?
- `lattice`: which levels of generalisation are within policy?
- `cuts`: along which columns were people cut apart?
- `candidates`: what does each candidate cost, and what does it risk?
- `beliefs`: what is believed before and after?
- `calibration`: how right is somebody who claims to know?
- `exposure`: what do several releases give away together?
- `promise`: what does noise promise?
- `limits`: does each limit hold, and did it before?
- `asked_readers`: how sure do two readers get whom policies seldom name?
- `insider`: of how many people is an insider how sure?
- `rules`: how much does each further rule tell a statistician?
- `columns`: which sets of columns single people out?
- `losses`: how much of the table is lost?
- `dumbbell`: what changed, value by value?
- `finding` and `search`: which picture shows a finding, or a search?
"""
