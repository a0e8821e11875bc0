"""Sidelight: what does your release reveal to someone who already knows something?

The public names and nothing else.  Each is imported when it is first used, so that `import sidelight` is quick.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it; importing `typing` takes longer than all the rest

__version__ = "0.1.0"

_HOME = {
    # what the publisher holds
    "Table": "table.table",
    "read_table": "table.read",
    "Hierarchy": "table.hierarchy",
    "read_hierarchies": "table.hierarchy_io",
    "read_hierarchy": "table.hierarchy_io",
    "write_hierarchy": "table.hierarchy_io",
    # what the world sees
    "Release": "release.release",
    "read_release": "release.read",
    "group": "release.generalise",
    "generalise": "release.generalise",
    # measures: adversaries and classics alike
    "GroupSize": "measures.k_anonymity",
    "DistinctValues": "measures.l_diversity",
    "EntropyDiversity": "measures.l_diversity",
    "RecursiveDiversity": "measures.l_diversity",
    "Closeness": "measures.t_closeness",
    "BetaLikeness": "measures.beta_likeness",
    "DeltaDisclosure": "measures.delta_disclosure",
    "Implications": "measures.ck_safety.implications",
    "Negations": "measures.ck_safety.negations",
    "Acquaintance": "measures.privacy_skyline.acquaintance",
    "PriorBelief": "measures.epsilon_privacy.prior_belief",
    "Finding": "measures.measure",
    "Measure": "measures.measure",
    "Monotonicity": "measures.measure",
    # exploring
    "knowledge_skyline": "measures.privacy_skyline.skyline",
    "disclosure_curve": "measures.disclosure_curve",
    "DisclosureCurve": "measures.disclosure_curve",
    "smallest_epsilon_table": "measures.epsilon_privacy.table",
    # what somebody would conclude
    "posterior": "worlds.posterior",
    "posteriors": "worlds.posterior",
    "Belief": "worlds.posterior",
    "Posteriors": "worlds.posterior",
    "covering_k": "worlds.covering",
    "BasicImplication": "knowledge.basic_implications",
    "Effort": "worlds.effort",
    "Estimate": "worlds.estimate",
    "Fact": "knowledge.facts",
    "Has": "knowledge.facts",
    "OneOf": "knowledge.facts",
    "Same": "knowledge.facts",
    "Someone": "knowledge.people",
    "read_fact": "knowledge.parse_facts",
    # policies
    "Criterion": "measures.measure",
    "skyline": "measures.privacy_skyline.skyline",
    "Policy": "policy.policy",
    "Verdict": "policy.policy",
    "read_policy": "policy.policy_file",
    # what somebody with statistics would believe
    "P": "knowledge.statements",
    "count": "knowledge.statements",
    "read_statement": "knowledge.parse_statements",
    "maxent": "max_entropy.beliefs",
    "Beliefs": "max_entropy.beliefs",
    "strongest_rules": "max_entropy.association_rules",
    "MaxEnt": "max_entropy.measure",
    # searching
    "protect": "search.protect",
    "SearchResult": "search.method",
    "FullDomain": "search.full_domain",
    "Mondrian": "search.mondrian",
    "Anatomy": "search.anatomy",
    "Microaggregation": "search.microaggregation",
    "Published": "publish.publish",
    "read_published": "publish.read",
    "NothingSafe": "errors",
    # attacks
    "intersect": "attack.intersection",
    "Exposure": "attack.exposure",
    "ExposureWitness": "attack.exposure",
    "Listed": "attack.linkage",
    "simulate_composition": "attack.simulation",
    "Simulation": "attack.simulation",
    # noise
    "noisy_counts": "dp.noisy_counts",
    "NoisyCounts": "dp.noisy_counts",
    "choose_levels": "dp.levels",
    "ChosenLevels": "dp.levels",
    "Ledger": "dp.ledger",
    "Spending": "dp.accountant",
    "privacy_spent": "dp.accountant",
    "PrivacySpent": "dp.accountant",
    "attack_noise": "dp.attack",
    "NoisyExposure": "dp.attack",
    "side_by_side": "dp.comparison",
    "SideBySide": "dp.comparison",
    "Compared": "dp.comparison",
    "semantic_privacy": "dp.semantic_privacy",
    "SemanticPrivacy": "dp.semantic_privacy",
    # errors
    "SidelightError": "errors",
    # modules of their own
    "datasets": "",
    "testing": "",
    "errors": "",
}

if TYPE_CHECKING:
    from sidelight import datasets as datasets
    from sidelight import errors as errors
    from sidelight import testing as testing
    from sidelight.attack.exposure import Exposure as Exposure
    from sidelight.attack.exposure import ExposureWitness as ExposureWitness
    from sidelight.attack.intersection import intersect as intersect
    from sidelight.attack.linkage import Listed as Listed
    from sidelight.attack.simulation import Simulation as Simulation
    from sidelight.attack.simulation import simulate_composition as simulate_composition
    from sidelight.dp.accountant import PrivacySpent as PrivacySpent
    from sidelight.dp.accountant import Spending as Spending
    from sidelight.dp.accountant import privacy_spent as privacy_spent
    from sidelight.dp.attack import NoisyExposure as NoisyExposure
    from sidelight.dp.attack import attack_noise as attack_noise
    from sidelight.dp.comparison import Compared as Compared
    from sidelight.dp.comparison import SideBySide as SideBySide
    from sidelight.dp.comparison import side_by_side as side_by_side
    from sidelight.dp.ledger import Ledger as Ledger
    from sidelight.dp.levels import ChosenLevels as ChosenLevels
    from sidelight.dp.levels import choose_levels as choose_levels
    from sidelight.dp.noisy_counts import NoisyCounts as NoisyCounts
    from sidelight.dp.noisy_counts import noisy_counts as noisy_counts
    from sidelight.dp.semantic_privacy import SemanticPrivacy as SemanticPrivacy
    from sidelight.dp.semantic_privacy import semantic_privacy as semantic_privacy
    from sidelight.errors import NothingSafe as NothingSafe
    from sidelight.errors import SidelightError as SidelightError
    from sidelight.knowledge.basic_implications import BasicImplication as BasicImplication
    from sidelight.knowledge.facts import Fact as Fact
    from sidelight.knowledge.facts import Has as Has
    from sidelight.knowledge.facts import OneOf as OneOf
    from sidelight.knowledge.facts import Same as Same
    from sidelight.knowledge.parse_facts import read_fact as read_fact
    from sidelight.knowledge.parse_statements import read_statement as read_statement
    from sidelight.knowledge.people import Someone as Someone
    from sidelight.knowledge.statements import P as P
    from sidelight.knowledge.statements import count as count
    from sidelight.max_entropy.association_rules import strongest_rules as strongest_rules
    from sidelight.max_entropy.beliefs import Beliefs as Beliefs
    from sidelight.max_entropy.beliefs import maxent as maxent
    from sidelight.max_entropy.measure import MaxEnt as MaxEnt
    from sidelight.measures.beta_likeness import BetaLikeness as BetaLikeness
    from sidelight.measures.ck_safety.implications import Implications as Implications
    from sidelight.measures.ck_safety.negations import Negations as Negations
    from sidelight.measures.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from sidelight.measures.disclosure_curve import DisclosureCurve as DisclosureCurve
    from sidelight.measures.disclosure_curve import disclosure_curve as disclosure_curve
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief as PriorBelief
    from sidelight.measures.epsilon_privacy.table import smallest_epsilon_table as smallest_epsilon_table
    from sidelight.measures.k_anonymity import GroupSize as GroupSize
    from sidelight.measures.l_diversity import DistinctValues as DistinctValues
    from sidelight.measures.l_diversity import EntropyDiversity as EntropyDiversity
    from sidelight.measures.l_diversity import RecursiveDiversity as RecursiveDiversity
    from sidelight.measures.measure import Criterion as Criterion
    from sidelight.measures.measure import Finding as Finding
    from sidelight.measures.measure import Measure as Measure
    from sidelight.measures.measure import Monotonicity as Monotonicity
    from sidelight.measures.privacy_skyline.acquaintance import Acquaintance as Acquaintance
    from sidelight.measures.privacy_skyline.skyline import knowledge_skyline as knowledge_skyline
    from sidelight.measures.privacy_skyline.skyline import skyline as skyline
    from sidelight.measures.t_closeness import Closeness as Closeness
    from sidelight.policy.policy import Policy as Policy
    from sidelight.policy.policy import Verdict as Verdict
    from sidelight.policy.policy_file import read_policy as read_policy
    from sidelight.publish.publish import Published as Published
    from sidelight.publish.read import read_published as read_published
    from sidelight.release.generalise import generalise as generalise
    from sidelight.release.generalise import group as group
    from sidelight.release.read import read_release as read_release
    from sidelight.release.release import Release as Release
    from sidelight.search.anatomy import Anatomy as Anatomy
    from sidelight.search.full_domain import FullDomain as FullDomain
    from sidelight.search.method import SearchResult as SearchResult
    from sidelight.search.microaggregation import Microaggregation as Microaggregation
    from sidelight.search.mondrian import Mondrian as Mondrian
    from sidelight.search.protect import protect as protect
    from sidelight.table.hierarchy import Hierarchy as Hierarchy
    from sidelight.table.hierarchy_io import read_hierarchies as read_hierarchies
    from sidelight.table.hierarchy_io import read_hierarchy as read_hierarchy
    from sidelight.table.hierarchy_io import write_hierarchy as write_hierarchy
    from sidelight.table.read import read_table as read_table
    from sidelight.table.table import Table as Table
    from sidelight.worlds.covering import covering_k as covering_k
    from sidelight.worlds.effort import Effort as Effort
    from sidelight.worlds.estimate import Estimate as Estimate
    from sidelight.worlds.posterior import Belief as Belief
    from sidelight.worlds.posterior import Posteriors as Posteriors
    from sidelight.worlds.posterior import posterior as posterior
    from sidelight.worlds.posterior import posteriors as posteriors

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - the names are those of the table above


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        message = f"module 'sidelight' has no attribute '{name}'"
        raise AttributeError(message)
    if not home:
        return import_module(f"sidelight.{name}")
    found = getattr(import_module(f"sidelight.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
