"""`sidelight noise`: publish differentially private counts; `count`: add some up; `attack-noise`: weigh them."""

from __future__ import annotations

from pathlib import Path

from sidelight.answers.noise import NoiseRequest
from sidelight.answers.noise import ask as ask_noise
from sidelight.answers.noisy_counts import CountRequest, NoiseAttackRequest, ask_attack
from sidelight.answers.noisy_counts import ask as ask_count
from sidelight.cli.run import Output, Status, remember_written, say
from sidelight.errors import BudgetExceeded
from sidelight.files import noise_path
from sidelight.interrupts import heed_interrupts
from sidelight.publish.noise import PublishedNoise


def noise(request: NoiseRequest, output: Output) -> Status:
    """Publish noisy counts, and tell the publisher of them."""

    def get_ready(inputs: tuple[Path, ...]) -> None:
        output.refuse(inputs, beside=(request.target, noise_path(request.target)))
        heed_interrupts()  # from here on, budget is spent

    def remember(published: PublishedNoise) -> None:
        remember_written(published.path, published.beside)

    try:
        answer = ask_noise(request, before_spending=get_ready, after_publishing=remember)
    except BudgetExceeded as refused:
        say(str(refused))
        return Status.NOT_WITHIN_POLICY
    output.deliver(answer, request)
    for each in answer.exact_notes:
        say(f"for you, not for publishing: {each}")
    return Status.WITHIN_POLICY


def count(request: CountRequest, output: Output) -> Status:
    """Add up noisy counts."""
    output.refuse(request.files())
    output.deliver(ask_count(request), request)
    return Status.WITHIN_POLICY


def attack_noise(request: NoiseAttackRequest, output: Output) -> Status:
    """Weigh noisy counts about people."""
    output.refuse(request.files())
    output.deliver(ask_attack(request), request)
    return Status.WITHIN_POLICY
