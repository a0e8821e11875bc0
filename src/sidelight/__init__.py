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
    "read_table": "table.reading",
    "Hierarchy": "table.hierarchy",
    "read_hierarchies": "table.hierarchy_files",
    "read_hierarchy": "table.hierarchy_files",
    "write_hierarchy": "table.hierarchy_files",
    # what the world sees
    "Release": "release.release",
    "read_release": "release.reading",
    "group": "release.grouping",
    "generalise": "release.grouping",
    # measures: adversaries and classics alike
    "GroupSize": "measures.group_size",
    "DistinctValues": "measures.distinct_values",
    "EntropyDiversity": "measures.entropy_diversity",
    "RecursiveDiversity": "measures.recursive_diversity",
    "Closeness": "measures.closeness.measure",
    "BetaLikeness": "measures.beta_likeness",
    "DeltaDisclosure": "measures.delta_disclosure",
    "Implications": "measures.implications.adversary",
    "Negations": "measures.negations",
    "Acquaintance": "measures.acquaintance.adversary",
    "PriorBelief": "measures.prior_belief.adversary",
    "Finding": "measures.finding",
    "Measure": "measures.measure",
    "Trend": "measures.trend",
    # exploring
    "knowledge_skyline": "measures.knowledge_skyline",
    "disclosure_curve": "measures.disclosure_curve",
    "DisclosureCurve": "measures.disclosure_curve",
    "smallest_epsilon_table": "measures.epsilon_table",
    # what somebody would conclude
    "posterior": "worlds.posterior",
    "posteriors": "worlds.posteriors",
    "Belief": "worlds.posteriors",
    "Posteriors": "worlds.posteriors",
    "covering_k": "worlds.covering",
    "BasicImplication": "knowledge.basic_implications",
    "Budget": "worlds.budget",
    "Estimate": "worlds.sampling",
    "Fact": "knowledge.facts",
    "Has": "knowledge.facts",
    "OneOf": "knowledge.facts",
    "Same": "knowledge.facts",
    "Someone": "knowledge.people",
    "read_fact": "knowledge.facts_text",
    # policies
    "Criterion": "measures.criterion",
    "skyline": "measures.skyline",
    "Policy": "policy.policy",
    "Verdict": "policy.policy",
    "read_policy": "policy.policy_file",
    # what somebody with statistics would believe
    "P": "knowledge.statements_python",
    "count": "knowledge.statements_python",
    "read_statement": "knowledge.statements_text",
    "maxent": "max_entropy.beliefs",
    "Beliefs": "max_entropy.beliefs",
    "strongest_rules": "max_entropy.rules",
    "MaxEnt": "max_entropy.measure",
    # searching
    "protect": "search.protect",
    "Found": "search.found",
    "FullDomain": "search.full_domain",
    "Mondrian": "search.mondrian",
    "Anatomy": "search.anatomy",
    "Microaggregation": "search.microaggregation",
    "Published": "publishing.publish",
    "read_published": "publishing.reading",
    "NothingSafe": "errors",
    # attacks
    "intersect": "attack.intersection",
    "Exposure": "attack.exposure",
    "ExposureWitness": "attack.witness",
    "Listed": "attack.listed",
    "simulate_composition": "attack.simulation",
    "Simulation": "attack.curves",
    # noise
    "noisy_counts": "noise.noisy_counts",
    "NoisyCounts": "noise.noisy_counts",
    "choose_levels": "noise.chosen_levels",
    "ChosenLevels": "noise.chosen_levels",
    "Ledger": "noise.ledger",
    "Spending": "noise.spending",
    "privacy_spent": "noise.spending",
    "PrivacySpent": "noise.spending",
    "attack_noise": "noise.noisy_attack",
    "NoisyExposure": "noise.noisy_attack",
    "side_by_side": "noise.side_by_side",
    "SideBySide": "noise.side_by_side",
    "Compared": "noise.side_by_side",
    "semantic_privacy": "noise.semantic_privacy",
    "SemanticPrivacy": "noise.semantic_privacy",
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
    from sidelight.attack.curves import Simulation as Simulation
    from sidelight.attack.exposure import Exposure as Exposure
    from sidelight.attack.intersection import intersect as intersect
    from sidelight.attack.listed import Listed as Listed
    from sidelight.attack.simulation import simulate_composition as simulate_composition
    from sidelight.attack.witness import ExposureWitness as ExposureWitness
    from sidelight.errors import NothingSafe as NothingSafe
    from sidelight.errors import SidelightError as SidelightError
    from sidelight.knowledge.basic_implications import BasicImplication as BasicImplication
    from sidelight.knowledge.facts import Fact as Fact
    from sidelight.knowledge.facts import Has as Has
    from sidelight.knowledge.facts import OneOf as OneOf
    from sidelight.knowledge.facts import Same as Same
    from sidelight.knowledge.facts_text import read_fact as read_fact
    from sidelight.knowledge.people import Someone as Someone
    from sidelight.knowledge.statements_python import P as P
    from sidelight.knowledge.statements_python import count as count
    from sidelight.knowledge.statements_text import read_statement as read_statement
    from sidelight.max_entropy.beliefs import Beliefs as Beliefs
    from sidelight.max_entropy.beliefs import maxent as maxent
    from sidelight.max_entropy.measure import MaxEnt as MaxEnt
    from sidelight.max_entropy.rules import strongest_rules as strongest_rules
    from sidelight.measures.acquaintance.adversary import Acquaintance as Acquaintance
    from sidelight.measures.beta_likeness import BetaLikeness as BetaLikeness
    from sidelight.measures.closeness.measure import Closeness as Closeness
    from sidelight.measures.criterion import Criterion as Criterion
    from sidelight.measures.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from sidelight.measures.disclosure_curve import DisclosureCurve as DisclosureCurve
    from sidelight.measures.disclosure_curve import disclosure_curve as disclosure_curve
    from sidelight.measures.distinct_values import DistinctValues as DistinctValues
    from sidelight.measures.entropy_diversity import EntropyDiversity as EntropyDiversity
    from sidelight.measures.epsilon_table import smallest_epsilon_table as smallest_epsilon_table
    from sidelight.measures.finding import Finding as Finding
    from sidelight.measures.group_size import GroupSize as GroupSize
    from sidelight.measures.implications.adversary import Implications as Implications
    from sidelight.measures.knowledge_skyline import knowledge_skyline as knowledge_skyline
    from sidelight.measures.measure import Measure as Measure
    from sidelight.measures.negations import Negations as Negations
    from sidelight.measures.prior_belief.adversary import PriorBelief as PriorBelief
    from sidelight.measures.recursive_diversity import RecursiveDiversity as RecursiveDiversity
    from sidelight.measures.skyline import skyline as skyline
    from sidelight.measures.trend import Trend as Trend
    from sidelight.noise.chosen_levels import ChosenLevels as ChosenLevels
    from sidelight.noise.chosen_levels import choose_levels as choose_levels
    from sidelight.noise.ledger import Ledger as Ledger
    from sidelight.noise.noisy_attack import NoisyExposure as NoisyExposure
    from sidelight.noise.noisy_attack import attack_noise as attack_noise
    from sidelight.noise.noisy_counts import NoisyCounts as NoisyCounts
    from sidelight.noise.noisy_counts import noisy_counts as noisy_counts
    from sidelight.noise.semantic_privacy import SemanticPrivacy as SemanticPrivacy
    from sidelight.noise.semantic_privacy import semantic_privacy as semantic_privacy
    from sidelight.noise.side_by_side import Compared as Compared
    from sidelight.noise.side_by_side import SideBySide as SideBySide
    from sidelight.noise.side_by_side import side_by_side as side_by_side
    from sidelight.noise.spending import PrivacySpent as PrivacySpent
    from sidelight.noise.spending import Spending as Spending
    from sidelight.noise.spending import privacy_spent as privacy_spent
    from sidelight.policy.policy import Policy as Policy
    from sidelight.policy.policy import Verdict as Verdict
    from sidelight.policy.policy_file import read_policy as read_policy
    from sidelight.publishing.publish import Published as Published
    from sidelight.publishing.reading import read_published as read_published
    from sidelight.release.grouping import generalise as generalise
    from sidelight.release.grouping import group as group
    from sidelight.release.reading import read_release as read_release
    from sidelight.release.release import Release as Release
    from sidelight.search.anatomy import Anatomy as Anatomy
    from sidelight.search.found import Found as Found
    from sidelight.search.full_domain import FullDomain as FullDomain
    from sidelight.search.microaggregation import Microaggregation as Microaggregation
    from sidelight.search.mondrian import Mondrian as Mondrian
    from sidelight.search.protect import protect as protect
    from sidelight.table.hierarchy import Hierarchy as Hierarchy
    from sidelight.table.hierarchy_files import read_hierarchies as read_hierarchies
    from sidelight.table.hierarchy_files import read_hierarchy as read_hierarchy
    from sidelight.table.hierarchy_files import write_hierarchy as write_hierarchy
    from sidelight.table.reading import read_table as read_table
    from sidelight.table.table import Table as Table
    from sidelight.worlds.budget import Budget as Budget
    from sidelight.worlds.covering import covering_k as covering_k
    from sidelight.worlds.posterior import posterior as posterior
    from sidelight.worlds.posteriors import Belief as Belief
    from sidelight.worlds.posteriors import Posteriors as Posteriors
    from sidelight.worlds.posteriors import posteriors as posteriors
    from sidelight.worlds.sampling import Estimate as Estimate

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
