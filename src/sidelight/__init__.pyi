# The public names, each once, with the room it lives in.  Type checkers read this file, and so does `__init__.py`,
# which imports a name when it is first used.
# ruff: noqa: I001 - by what they are for

from . import datasets as datasets
from . import errors as errors
from . import testing as testing

# what the publisher holds
from .table.table import Table as Table
from .engines.read import read_table as read_table
from .engines.read import stream_table as stream_table
from .streams.streamed_table import StreamedTable as StreamedTable
from .table.table import Events as Events
from .engines.read_events import read_events as read_events
from .table.table import TrueCounts as TrueCounts
from .engines.read import read_domain as read_domain
from .intake.roles import SuggestedRole as SuggestedRole
from .intake.roles import SuggestedRoles as SuggestedRoles
from .intake.roles import suggest_roles as suggest_roles
from .table.hierarchy import Hierarchy as Hierarchy
from .intake.hierarchy_drafts import draft_hierarchies as draft_hierarchies
from .table.hierarchy_io import read_hierarchies as read_hierarchies
from .table.hierarchy_io import read_hierarchy as read_hierarchy
from .table.hierarchy_io import write_hierarchy as write_hierarchy

# what the world sees
from .release.release import Release as Release
from .release.read import read_release as read_release
from .release.read import stream_release as stream_release
from .release.release import StreamedRelease as StreamedRelease
from .release.generalise import group as group
from .release.generalise import generalise as generalise
from .release.printed_labels import bounds as bounds
from .release.printed_labels import Bounds as Bounds
from .table.hierarchy import coarser_values as coarser_values

# measures: adversaries and classics alike
from .measures.classics import GroupSize as GroupSize
from .measures.expected_candidates import ExpectedCandidates as ExpectedCandidates
from .measures.classics import DistinctValues as DistinctValues
from .measures.classics import EntropyDiversity as EntropyDiversity
from .measures.classics import RecursiveDiversity as RecursiveDiversity
from .measures.closeness import Closeness as Closeness
from .measures.closeness import BetaLikeness as BetaLikeness
from .measures.closeness import DeltaDisclosure as DeltaDisclosure
from .measures.named_risks.size_risk import ProsecutorRisk as ProsecutorRisk
from .measures.named_risks.estimates import UniqueMatch as UniqueMatch
from .measures.named_risks.estimates import PopulationUniques as PopulationUniques
from .measures.named_risks.estimates import IndividualRisk as IndividualRisk
from .measures.named_risks.size_risk import JournalistRisk as JournalistRisk
from .measures.named_risks.size_risk import MarketerRisk as MarketerRisk
from .measures.named_risks.size_risk import Presence as Presence
from .measures.named_risks.size_risk import Absence as Absence
from .measures.sums import Dominance as Dominance
from .measures.sums import Remainder as Remainder
from .measures.ck_safety.implications import Implications as Implications
from .measures.ck_safety.implications import Negations as Negations
from .measures.ck_safety.implications import DisclosureCost as DisclosureCost
from .measures.ck_safety.cheapest_knowledge import CheapestKnowledge as CheapestKnowledge
from .measures.privacy_skyline.acquaintance import Acquaintance as Acquaintance
from .measures.epsilon_privacy.numeric_belief import NumericBelief as NumericBelief
from .measures.epsilon_privacy.prior_belief import PriorBelief as PriorBelief
from .measures.epsilon_privacy.skyline import BeliefPoint as BeliefPoint
from .measures.epsilon_privacy.skyline import belief_skyline as belief_skyline
from .measures.column_subsets.three_risks import SinglingOut as SinglingOut
from .measures.column_subsets.three_risks import Linkability as Linkability
from .measures.column_subsets.three_risks import Inference as Inference
from .measures.criterion import Finding as Finding
from .measures.measure import Measure as Measure
from .measures.measure import Monotonicity as Monotonicity

# exploring
from .measures.column_subsets.identifying_columns import identifying_columns as identifying_columns
from .measures.column_subsets.identifying_columns import IdentifyingColumns as IdentifyingColumns
from .measures.column_subsets.subsets import ColumnSubset as ColumnSubset
from .measures.column_subsets.identifying_columns import minimal_uniques as minimal_uniques
from .measures.column_subsets.identifying_columns import MinimalUniques as MinimalUniques
from .measures.privacy_skyline.skyline import KnowledgeSkyline as KnowledgeSkyline
from .measures.privacy_skyline.skyline import knowledge_skyline as knowledge_skyline
from .measures.disclosure_curve import disclosure_curve as disclosure_curve
from .measures.disclosure_curve import DisclosureCurve as DisclosureCurve
from .search.generalisation_table import generalisation_table as generalisation_table
from .search.generalisation_table import GeneralisationTable as GeneralisationTable
from .search.generalisation_table import smallest_epsilon_table as smallest_epsilon_table

# what somebody would conclude
from .worlds.posterior import posterior as posterior
from .worlds.posterior import posteriors as posteriors
from .worlds.posterior import Belief as Belief
from .worlds.posterior import Posteriors as Posteriors
from .worlds.closed_forms import SurestGuess as SurestGuess
from .worlds.posterior import covering_k as covering_k
from .knowledge.basic_implications import BasicImplication as BasicImplication
from .worlds.counting.compile import Effort as Effort
from .worlds.estimate import Estimate as Estimate
from .knowledge.facts import Fact as Fact
from .knowledge.facts import Has as Has
from .knowledge.facts import OneOf as OneOf
from .knowledge.facts import Same as Same
from .knowledge.facts import SoftFact as SoftFact
from .knowledge.facts import Someone as Someone
from .knowledge.parse import read_fact as read_fact

# policies
from .measures.criterion import Criterion as Criterion
from .measures.privacy_skyline.skyline import skyline as skyline
from .policy.policy import Auditor as Auditor
from .policy.policy import Policy as Policy
from .policy.policy import Verdict as Verdict
from .policy.policy_file import read_policy as read_policy
from .intake.presets import presets as presets

# what somebody with statistics would believe
from .knowledge.statements import P as P
from .knowledge.statements import count as count
from .knowledge.statements import read_statement as read_statement
from .max_entropy.maxent import maxent as maxent
from .max_entropy.maxent import Beliefs as Beliefs
from .max_entropy.maxent import SetBeliefs as SetBeliefs
from .max_entropy.measure import strongest_rules as strongest_rules
from .max_entropy.measure import EstimationError as EstimationError
from .max_entropy.measure import MaxEnt as MaxEnt
from .max_entropy.measure import MaxEntGain as MaxEntGain
from .max_entropy.measure import rule_curve as rule_curve

# what somebody would believe who trains a model on the release itself
from .learner.learned import learn as learn
from .learner.learned import BeliefBin as BeliefBin
from .learner.learned import Learned as Learned
from .learner.learned import Learner as Learner

# searching
from .search.protect import ReleaseComparison as ReleaseComparison, compare as compare
from .search.protect import protect as protect
from .search.method import SearchResult as SearchResult
from .search.full_domain import FullDomain as FullDomain
from .search.mondrian import Mondrian as Mondrian
from .search.anatomy import Anatomy as Anatomy
from .search.microaggregation import Microaggregation as Microaggregation
from .publish.noise import PublishedNoise as PublishedNoise
from .publish.noise import read_noise as read_noise
from .publish.publish import Published as Published
from .publish.publish import read_published as read_published
from .report.make import release_report as release_report
from .report.contents import report_html as report_html
from .report.contents import report_markdown as report_markdown
from .report.release_report import ReleaseReport as ReleaseReport
from .report.release_report import SignOff as SignOff
from .errors import NothingSafe as NothingSafe

# attacks
from .minimality.insider import insider as insider
from .minimality.insider import InsiderBeliefs as InsiderBeliefs
from .minimality.measure import Insider as Insider
from .minimality.measure import InsiderWitness as InsiderWitness
from .attack.intersection import intersect as intersect
from .attack.exposure import Exposure as Exposure
from .attack.exposure import ExposureWitness as ExposureWitness
from .release.locate import Listed as Listed
from .attack.named_witness import NamedWitness as NamedWitness
from .attack.named_witness import name_witness as name_witness
from .attack.simulation import simulate_composition as simulate_composition
from .attack.simulation import Simulation as Simulation

# noise
from .noise.noisy_counts import noisy_counts as noisy_counts
from .noise.noisy_counts import NoisyCounts as NoisyCounts
from .noise.stable_counts import stable_counts as stable_counts
from .noise.stable_counts import StableCounts as StableCounts
from .publish.noise import read_stable_counts as read_stable_counts
from .noise.domain import choose_levels as choose_levels
from .noise.domain import ChosenLevels as ChosenLevels
from .noise.ledger import Ledger as Ledger
from .noise.accountant import Spending as Spending
from .noise.accountant import privacy_spent as privacy_spent
from .noise.accountant import promise_of as promise_of
from .noise.accountant import PrivacySpent as PrivacySpent
from .noise.estimates import NoisyAnswer as NoisyAnswer
from .noise.attack import attack_noise as attack_noise
from .noise.attack import NoisyExposure as NoisyExposure
from .noise.attack import side_by_side as side_by_side
from .noise.attack import SideBySide as SideBySide
from .noise.attack import Compared as Compared
from .noise.semantic_privacy import DisclosureRisk as DisclosureRisk
from .noise.semantic_privacy import ErrorRates as ErrorRates
from .noise.privacy_profile import PrivacyProfile as PrivacyProfile
from .noise.semantic_privacy import semantic_privacy as semantic_privacy
from .noise.semantic_privacy import SemanticPrivacy as SemanticPrivacy

# errors
from .errors import SidelightError as SidelightError

__version__: str
