"""The two algorithms of Chen, LeFevre and Ramakrishnan (VLDB 2007) as printed, written alike, to be timed side by side.

One value σ, the first of each row of counts; one value per person.  Symbols: ℓ values ruled out, k others, m of the
family.  Over groups g, T(g, ℓ, k) are the odds against the target having σ, V(g, m, k) is the probability that
none of the family has it; the least product of both, over all ways to seat the people, gives the risk 1/(1 + product).

    five minima      all k sit together, and all m (congregation): one pass, five numbers; section 5.1
    dynamic program  they sit in any way: a table of (k + 1)(m + 1) cells per group; appendix A6
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Amounts = tuple[int, int, int]
"""ℓ values ruled out, k other people, m of the family."""


def odds_against(row: Sequence[int], people: int, ruled_out: int, others: int) -> float:
    """T of the first value: the odds against the target having it."""
    rest = sorted(row[1:], reverse=True)
    return max(people - row[0] - sum(rest[:ruled_out]) - others, 0) / row[0] if row[0] else math.inf


def none_has(row: Sequence[int], people: int, family: int, others: int) -> float:
    """V of the first value: the probability that none of the family has it."""
    product = 1.0
    for i in range(family):
        product *= max(people - row[0] - others - i, 0) / (people - others - i)
    return product


def five_minima(groups: Sequence[Sequence[int]], amounts: Amounts) -> float:
    """SkylineCheck, section 5.1: one pass, five numbers."""
    ruled_out, k, m = amounts
    together = target_alone = target_others = family_others = family_alone = math.inf
    for row in groups:
        people = sum(row)
        with_others = odds_against(row, people, ruled_out, k)
        together = min(together, with_others * none_has(row, people, m, k + 1))
        target_alone = min(target_alone, odds_against(row, people, ruled_out, 0))
        target_others = min(target_others, with_others)
        family_others = min(family_others, none_has(row, people, m, k))
        family_alone = min(family_alone, none_has(row, people, m, 0))
    least = min(together, target_alone * family_others, target_others * family_alone)
    return 1 / (1 + least)


def dynamic_program(groups: Sequence[Sequence[int]], amounts: Amounts) -> float:
    """Appendix A6: others and family spread over the groups in any way."""
    ruled_out, k, m = amounts
    # the least odds against, without the target among the groups so far, and with it
    without = [[1.0] * (m + 1) for _ in range(k + 1)]
    placed = [[math.inf] * (m + 1) for _ in range(k + 1)]
    for row in groups:
        people = sum(row)
        none = [[none_has(row, people, j, i) for j in range(m + 1)] for i in range(k + 2)]
        odds = [odds_against(row, people, ruled_out, i) for i in range(k + 1)]
        next_placed, next_without = [], []
        for k_so_far in range(k + 1):
            line_placed, line_without = [], []
            for m_so_far in range(m + 1):
                least_placed = least_without = math.inf
                for i in range(k_so_far + 1):
                    here, before, before_placed = none[k_so_far - i], without[i], placed[i]
                    after, target = none[k_so_far - i + 1], odds[k_so_far - i]
                    for j in range(m_so_far + 1):
                        family = m_so_far - j
                        least_placed = min(
                            least_placed, before_placed[j] * here[family], before[j] * target * after[family]
                        )
                        least_without = min(least_without, before[j] * here[family])
                line_placed.append(least_placed)
                line_without.append(least_without)
            next_placed.append(line_placed)
            next_without.append(line_without)
        placed, without = next_placed, next_without
    return 1 / (1 + placed[k][m])


def operations(amounts: Amounts) -> tuple[int, int]:
    """Products per group and value: of the dynamic program, of the five minima."""
    ruled_out, k, m = amounts
    cells = (k + 1) * (k + 2) // 2 * (m + 1) * (m + 2) // 2
    once = (k + 2) * m * (m + 1) // 2 + (k + 1) * (ruled_out + 1)
    return 4 * cells + once, 3 * m + 2 * (ruled_out + 1) + 3
