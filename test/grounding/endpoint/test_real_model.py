# SPDX-License-Identifier: Apache-2.0
"""One tiny model, asked in this process and through a server: both read the same distribution."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from later import Later
from tiny_language_models import CUE, save

from fcp_ros.grounding import Device, EndpointOptions, Estimate, LanguageModelOptions, Precision
from fcp_ros.grounding.endpoint_oracle import EndpointOracle
from fcp_ros.grounding.language_model.oracle import CausalLmOracle

torch = Later("torch")

TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}" + CUE


class ServedModel:
    """Completes chats with a real model, as a server would: all of it, token by token."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        text = self._tokenizer.apply_chat_template(
            body["messages"], tokenize=False, add_generation_prompt=True
        )
        start = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return {
            "choices": [
                self._choice(start, body, torch.Generator().manual_seed(body.get("seed", 0) + i))
                for i in range(body.get("n", 1))
            ]
        }

    def _choice(self, start: list[int], body: Mapping[str, Any], generator: Any) -> dict[str, Any]:
        written: list[int] = []
        positions = []
        for _ in range(body["max_tokens"]):
            with torch.inference_mode():
                logits = self._model(torch.tensor([start + written])).logits[0, -1].float()
            chances = torch.log_softmax(logits, dim=-1)
            if body["temperature"] == 0.0:
                token = int(chances.argmax())
            else:
                weights = torch.softmax(logits / body["temperature"], dim=-1)
                token = int(torch.multinomial(weights, 1, generator=generator))
            likeliest = torch.topk(chances, body.get("top_logprobs", 1)).indices.tolist()
            told = [self._told(int(other), chances) for other in likeliest]
            positions.append({**self._told(token, chances), "top_logprobs": told})
            if token == self._tokenizer.eos_token_id:
                break
            written.append(token)
        return {
            "message": {"role": "assistant", "content": self._tokenizer.decode(written)},
            "finish_reason": "stop" if len(positions) > len(written) else "length",
            "logprobs": {"content": positions} if body.get("logprobs") else None,
        }

    def _told(self, token: int, chances: Any) -> dict[str, Any]:
        return {"token": self._tokenizer.decode([token]), "logprob": float(chances[token])}


@pytest.fixture
def both(trained: Path, tmp_path: Path) -> Iterator[tuple[CausalLmOracle, EndpointOracle]]:
    """The oracle of a folder, and that of a server with the same model."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(trained, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(trained)
    tokenizer.chat_template = TEMPLATE
    folder = save(tmp_path / "served", model, tokenizer)
    options = LanguageModelOptions(
        samples=15,
        temperature=1.0,
        least_mass=0.05,
        estimate=Estimate.MEDIAN,
        precision=Precision.FLOAT32,
    )
    server = ChatServer(ServedModel(model, tokenizer))  # type: ignore[arg-type]
    remote = EndpointOracle(EndpointOptions(url=server.url, timeout=60.0), options)
    yield CausalLmOracle(folder, replace(options), Device.CPU), remote
    remote.close()
    server.close()
    torch.set_num_threads(threads)


def test_the_server_and_the_model_agree(
    both: tuple[CausalLmOracle, EndpointOracle], make_predicate: Any, ask: Any
) -> None:
    requests = [ask(item, "drinking") for item in ("mug", "book", "bowl")]
    here, there = (oracle.judge(make_predicate(), requests) for oracle in both)
    for local, remote in zip(here, there, strict=True):
        assert remote.degree == local.degree
        assert remote.distribution, remote.note
        apart = sum(
            abs(a - b) for a, b in zip(local.distribution, remote.distribution, strict=True)
        )
        assert apart / 2 < 0.03, (local.note, remote.note)
    assert here[0].degree == 1.0
    assert here[1].degree == 0.0
