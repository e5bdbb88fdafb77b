# SPDX-License-Identifier: Apache-2.0
"""Has an instruction in words achieved, shows how it was understood, and answers questions.

Needs running nodes: `fcp up`. A number after the instruction answers every question by itself, such
as in `ask.py "bring me a wine glass" 1`.
"""

import sys

from fcp_ros.client import FcpClient

INSTRUCTION = "put the mug on the counter"


def choose(question) -> int | None:
    """Ask on the terminal, or take the answer of the command line; None leaves it open."""
    print(question.text)
    for number, choice in enumerate(question.choices, start=1):
        print(f"  {number}  {choice}")
    answer = sys.argv[2] if len(sys.argv) > 2 else input("number: ")
    return int(answer) - 1 if answer.isdecimal() else None


def main() -> int:
    """Say how the words are understood, then have it done."""
    instruction = sys.argv[1] if len(sys.argv) > 1 else INSTRUCTION
    with FcpClient() as fcp:
        heard = fcp.interpret(instruction)
        print(heard.message)
        for reading in heard.interpretation.readings[:1]:
            for use in reading.words:
                words = instruction[use.start : use.end]
                print(f"  {words}: {use.role} {use.meaning}")
        result = fcp.achieve(
            instruction=instruction, timeout=300.0, confirm_below=0.8, on_question=choose
        )
    for relaxation in result.plan_result.relaxations:
        print(f"relaxed: {relaxation.reason}")
    for outcome in result.outcomes:
        print(f"{outcome.step.rule}: {'done' if outcome.outcome.code == 1 else 'failed'}")
    if result.error_msg != heard.message:
        print(result.error_msg or "achieved")
    return 0 if result.error_code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
