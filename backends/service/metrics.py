"""Metrics of the service for Prometheus: times, tokens, queues and memory, but never any message
text.

Names follow OpenTelemetry's conventions for generative AI, with underscores instead of dots. Labels
are the names of models and errors, process ids, and the addresses of machines.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.core import Metric

    from backends.flexai.entities import LLMResultChunk
    from backends.service.queue import FairQueue
    from backends.workers import Pool

SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
MODEL = "gen_ai_request_model"


class Metrics:
    """The metrics of a service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._whole = Histogram(
            "gen_ai_server_request_duration_seconds",
            "Seconds from a request for an answer to the end of the answer, including waiting time",
            [MODEL, "error_type"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._first = Histogram(
            "gen_ai_server_time_to_first_token_seconds",
            "Seconds from a request for an answer to the first token",
            [MODEL],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._each = Histogram(
            "gen_ai_server_time_per_output_token_seconds",
            "Seconds for each token after the first",
            [MODEL],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "gen_ai_server_token_usage",
            "Tokens that were read (input) and written (output)",
            [MODEL, "gen_ai_token_type"],
            registry=self._registry,
        )
        self._kept = Counter(
            "deskpilot_prompt_tokens_kept",
            "Prompt tokens that were not computed again",
            [MODEL],
            registry=self._registry,
        )

    def watch(self, models: HeldModels) -> None:
        """Report the queues and the memory as well."""
        self._registry.register(Holdings(models))

    def text(self) -> bytes:
        """Return all metrics in Prometheus's format."""
        return generate_latest(self._registry)

    def answer(self, model: str) -> AnswerTimes:
        """Start measuring an answer."""
        return AnswerTimes(self, model)

    def finish(self, times: AnswerTimes, error: str) -> None:
        """Record the measurements of an answer. error: the name of the error that ended it."""
        model, now = times.model, time.monotonic()
        self._whole.labels(model, error).observe(now - times.begun)
        if times.first:
            self._first.labels(model).observe(times.first - times.begun)
        if times.written > 1:
            self._each.labels(model).observe((now - times.first) / (times.written - 1))
        self._tokens.labels(model, "input").inc(times.read)
        self._tokens.labels(model, "output").inc(times.written)
        self._kept.labels(model).inc(times.kept)


class AnswerTimes:
    """Measures one answer, as a context manager around its generation."""

    def __init__(self, metrics: Metrics, model: str) -> None:
        self._metrics = metrics
        self.model = model
        self.begun = time.monotonic()
        self.first = 0.0
        self.read = self.written = self.kept = 0

    def __enter__(self) -> AnswerTimes:
        """Return itself."""
        return self

    def take(self, chunk: LLMResultChunk) -> None:
        """Count a piece of the answer."""
        self.first = self.first or time.monotonic()
        usage = chunk.delta.usage
        if usage is not None:
            self.read, self.written = usage.prompt_tokens, usage.completion_tokens
            kept = (chunk.system_fingerprint or "").removeprefix("reused=")
            self.kept = int(kept) if kept.isdecimal() else 0

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Record the answer."""
        self._metrics.finish(self, kind.__name__ if kind is not None else "")


class HeldModels(Protocol):
    """The parts of a service's models that metrics need."""

    @property
    def queues(self) -> Mapping[str, FairQueue]:
        """Return the queue of each model, by name."""
        ...

    @property
    def workers(self) -> Pool:
        """Return the pool of processes that hold models."""
        ...


class Holdings:
    """What a service holds when it is queried: queues and loaded models."""

    def __init__(self, models: HeldModels) -> None:
        self._models = models

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        waiting = GaugeMetricFamily("deskpilot_queue_waiting", "Waiting requests", labels=[MODEL])
        running = GaugeMetricFamily("deskpilot_queue_running", "Requests answered", labels=[MODEL])
        slots = GaugeMetricFamily(
            "deskpilot_queue_slots", "Requests running at once", labels=[MODEL]
        )
        refused = CounterMetricFamily(
            "deskpilot_queue_refused", "Rejected requests", labels=[MODEL]
        )
        memory = GaugeMetricFamily(
            "deskpilot_model_resident_bytes", "Memory of loaded models", labels=[MODEL]
        )
        held = GaugeMetricFamily(
            "deskpilot_pool_waiting", "Calls waiting for a process of the model", labels=[MODEL]
        )
        depth = GaugeMetricFamily(
            "deskpilot_process_running",
            "Calls running in a process of a model; in a cluster, for each replica",
            labels=[MODEL, "process", "node"],
        )
        for name, queue in self._models.queues.items():
            waiting.add_metric([name], queue.waiting)
            running.add_metric([name], queue.running)
            slots.add_metric([name], queue.slots)
            refused.add_metric([name], queue.refused)
        for model, calls in self._models.workers.waiting().items():
            held.add_metric([model], calls)
        resident: dict[str, int] = {}
        for one in self._models.workers.loaded():
            resident[one.model] = resident.get(one.model, 0) + one.memory_bytes
            depth.add_metric([one.model, str(one.pid), one.node], one.running)
        for model, taken in resident.items():
            memory.add_metric([model], taken)
        yield from (waiting, running, slots, refused, memory, held, depth)
