"""The models for the copilot and the routes: those on this machine, and those that a terminal
lends.

The credentials of lent models stay in memory, never on disk or in a log.
"""

from __future__ import annotations

import asyncio
import io
import time
from contextlib import AsyncExitStack, aclosing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from backends.catalog.catalog import InstalledModel
from backends.catalog.choices import MeasuredAnswer, fields_of, keep_answered, read_choices
from backends.catalog.entries import read_absent
from backends.copilot import NoModel
from backends.copilot.models import ThoughtPiece
from backends.flexai.entities import (
    EmbeddingInputType,
    LLMResultChunk,
    LLMUsage,
    ModelType,
    OcrResult,
    PromptMessage,
    PromptMessageTool,
    RerankResult,
    TextEmbeddingResult,
    TranscriptChunk,
    Verdict,
    read_message,
)
from backends.flexai.errors import FlexAIError, InvokeAuthorizationError
from backends.flexai.models.large_language_model import place_of
from backends.flexai.models.text_models import by_nearness, need_words, select
from backends.flexai.registry import load_providers
from backends.paths import abilities_file
from backends.query.propose import Abilities, Ability
from backends.service.access import CALLER, ModelNotAllowed
from backends.service.queue import PLACE, FairQueue
from backends.workers import ModelDemand
from backends.workers.protocol import PARALLEL

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from fastapi import Request

    from backends.catalog import Catalog, CatalogEntry
    from backends.flexai.registry import Registry
    from backends.service.metrics import Metrics
    from backends.workers import Pool


@dataclass(frozen=True)
class LentEntry:
    """The description of a provider's model. id: the id that callers use, `NAME/MODEL`. host: the
    host that the input is sent to, or empty for this machine.
    """

    id: str
    type: ModelType
    provider: str
    model: str
    host: str = ""
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lent:
    """A model that can be used with these credentials, or the reason why it cannot be used."""

    entry: LentEntry
    credentials: dict[str, Any] = field(repr=False)
    problem: str = ""
    remedy: str = ""

    def usable(self) -> Lent:
        """Return this model.

        Raises: InvokeAuthorizationError if its credentials are not available.
        """
        if self.problem:
            raise InvokeAuthorizationError(self.problem, self.remedy)
        return self


class LentModels:
    """The models lent by terminals, by the name of the provider's configuration."""

    def __init__(self) -> None:
        self._lent: dict[str, list[Lent]] = {}

    def put(self, name: str, models: list[Lent]) -> list[Lent]:
        """Store the models of a configuration. Return the models that they replace, which belonged
        to an earlier configuration with the same name.

        If a second terminal has no access to the key, its models do not replace usable ones.
        """
        before = self._lent.get(name, [])
        if any(m.problem for m in models) and any(not m.problem for m in before):
            return []
        self._lent[name] = models
        return before

    def take_back(self, name: str) -> list[Lent]:
        """Remove a configuration, and return its models."""
        return self._lent.pop(name, [])

    def all(self) -> list[Lent]:
        """Return every lent model."""
        return [lent for models in self._lent.values() for lent in models]

    def find(self, kind: ModelType, model_id: str) -> Lent | None:
        """Return a lent model by id and kind, or None."""
        return next(
            (x for x in self.all() if x.entry.id == model_id and x.entry.type is kind), None
        )


NONE = Ability(right=0)  # for a model that does not read questions

# the name of each type of model in sentences, and the models of this type that can be suggested
KINDS: dict[ModelType, tuple[str, list[str]]] = {
    ModelType.LLM: ("language model", ["smollm2-135m"]),
    ModelType.TEXT_EMBEDDING: ("embedder", ["minilm-l6", "multilingual-e5-small"]),
    ModelType.RERANK: ("reranker", ["ms-marco-minilm-l6", "bge-reranker-v2-m3"]),
    ModelType.OCR: ("OCR model", ["pp-ocrv6-small"]),
    ModelType.MODERATION: ("guard model", ["qwen3guard-0.6b"]),
    ModelType.SPEECH2TEXT: ("speech recognition model", ["whisper-base", "whisper-tiny-en"]),
    ModelType.TTS: (
        "voice",
        ["piper-en-joe", "piper-de-thorsten", "piper-fr-siwis", "piper-zh-huayan"],
    ),
}
GUARD = (
    "Or import Llama Guard, Qwen3Guard or ShieldGemma as GGUF: deskpilot models import FILE.gguf"
)


class ServiceModels:
    """Models by id, each in its own worker. Implements `backends.copilot.Models`."""

    def __init__(
        self,
        catalog: Catalog,
        workers: Pool,
        parallel: int = 1,
        registry: Registry | None = None,
        queue_seconds: float | None = None,
    ) -> None:
        """Create the models.

        parallel: the number of conversations that a model computes concurrently, if its engine
        supports this and there is enough memory. queue_seconds: the longest time that a request
        waits for a language model, or None to wait forever.
        """
        self.catalog = catalog
        self.workers = workers
        self.parallel = parallel
        self.queues: dict[str, FairQueue] = {}
        self.metrics: Metrics | None = None
        self._queue_seconds = queue_seconds
        self._registry = registry or load_providers()
        self.lending = LentModels()
        self.abilities = Abilities(abilities_file())
        self._parameters: dict[tuple[str, str], list[str] | None] = {}

    def installed(self, kind: ModelType, model_id: str | None = None) -> InstalledModel | Lent:
        """Return the named model, which is either on this machine or lent. Without a name, return
        the first local model of this type.

        A lent model is used only if it is named, so that nothing leaves the machine unless it is
        requested. Raises: NoModel, InvokeAuthorizationError.
        """
        caller = CALLER.get()
        if model_id is not None and not caller.may_use(model_id):
            raise ModelNotAllowed(
                f"{caller.name} is not allowed to use {model_id}.",
                "Use another model; /v1/models lists them.",
            )
        lent = self.lending.find(kind, model_id) if model_id else None
        if lent is not None:
            return lent.usable()
        for found in self.catalog.all_installed():
            wanted = model_id in (None, found.entry.id) and caller.may_use(found.entry.id)
            if found.entry.type is kind and wanted:
                return self._shared(found)
        what, offered = KINDS.get(kind, (f"{kind.value} model", []))
        if model_id is not None:
            raise NoModel(
                f"There is no {what} {model_id!r} on this machine.", "See: deskpilot models list"
            )
        raise NoModel(f"There is no {what} on this machine.", self.offer(offered))

    def _shared(self, found: InstalledModel) -> InstalledModel:
        """Return a model that computes several conversations concurrently.

        There are as many conversations as requested, or fewer if the memory limit for all models is
        too small. The user's own setting is not changed.
        """
        entry, given = found.entry, found.credentials
        fields = {field.variable for field in fields_of(entry, self._registry)}
        if self.parallel == 1 or PARALLEL not in fields or given.get(PARALLEL):
            return found
        budget = self.workers.budget
        many = self.parallel
        while many > 1:
            shared = {**given, PARALLEL: str(many)}
            need = budget.need(ModelDemand(entry.provider, entry.type, entry.model, shared))
            if need <= budget.total():
                return replace(found, credentials=shared)
            many //= 2
        return found

    def voice(self, model_id: str | None, language: str | None) -> InstalledModel | Lent:
        """Return the named voice, unless it does not speak the given language (ISO 639-1) and
        another voice does.

        Voices for one language are preferred to multilingual ones. Raises: NoModel, also if no
        voice is named and all voices speak only other languages.
        """
        voices = [
            found for found in self.catalog.all_installed() if found.entry.type is ModelType.TTS
        ]
        named = next((found for found in voices if found.entry.id == model_id), None)
        if named is None and (model_id is not None or not voices):
            named = self.installed(ModelType.TTS, model_id)
        voices.sort(key=lambda voice: "multilingual" in voice.entry.languages)
        for found in [*([named] if named else []), *voices]:
            spoken = found.entry.languages
            if language is None or not spoken or {language, "multilingual"} & set(spoken):
                return found
        if named is not None:
            return named
        known = [
            e.id
            for e in self.catalog.entries()
            if e.type is ModelType.TTS and language in e.languages
        ]
        why = [a.why for a in read_absent() if a.type is ModelType.TTS and a.language == language]
        remedy = self.offer(known) if known or not why else why[0]
        raise NoModel(f"No voice on this machine speaks the language {language!r}.", remedy)

    def offer(self, ids: list[str]) -> str:
        """Return the command that downloads a model of this type from the catalogue, and the
        available choices.
        """
        if not ids:
            return "See: deskpilot models list"
        first, *others = (self.catalog.entry(model_id) for model_id in ids)
        told = f"Download one with: deskpilot models pull {first.id} ({size_of(first)})"
        return told + (
            f"; or {', '.join(f'{e.id} ({size_of(e)})' for e in others)}" if others else ""
        )

    def has_embedder(self) -> bool:
        """Return whether the starter embedder is available. See `CopilotModels.has_embedder`."""
        return self._question_embedder() is not None

    def _question_embedder(self) -> InstalledModel | None:
        """Return the embedder for reading questions: the starter one, or None if it is missing or
        the caller may not use it.
        """
        caller = CALLER.get()
        for found in self.catalog.all_installed():
            entry = found.entry
            wanted = entry.type is ModelType.TEXT_EMBEDDING and entry.starter
            if wanted and caller.may_use(entry.id):
                return found
        return None

    def _has_any_embedder(self) -> bool:
        return any(
            found.entry.type is ModelType.TEXT_EMBEDDING for found in self.catalog.all_installed()
        )

    async def warm(self) -> None:
        """Load the starter embedder so that the first question does not have to wait for it."""
        if self.has_embedder():
            await self.embed(["ready"])

    def ability(self, model: str | None) -> Ability:
        """Return how well a language model understands questions. See `CopilotModels.ability`."""
        try:
            found = self.installed(ModelType.LLM, model)
        except (NoModel, FlexAIError):
            return NONE
        if isinstance(found, InstalledModel) and found.entry.starter:
            # measurements show that it is far too small, so it is not tested while the user's first
            # question waits
            return NONE
        identity = f"{found.entry.provider}/{found.entry.id}"
        known = self.abilities.get(identity)
        if known is not None:
            return known

        async def chat(messages: list[dict[str, str]]) -> AsyncGenerator[str, None]:
            parameters: dict[str, Any] = {"temperature": 0.0, "max_tokens": 100}
            async with aclosing(
                self.chat(messages, model=found.entry.id, parameters=parameters)
            ) as pieces:
                async for piece in pieces:
                    if not isinstance(piece, ThoughtPiece):
                        yield piece

        self.abilities.begin(identity, chat)
        return NONE

    def speaks(self, model: str | None, language: str) -> bool:
        """Return whether a language model can chat in a language. See `Models.speaks`."""
        with suppress(NoModel, FlexAIError):
            found = self.installed(ModelType.LLM, model)
            return not isinstance(found, InstalledModel) or found.entry.speaks(language)
        return True

    async def learn(self, model: str | None, *, agreed: bool) -> None:
        """Record whether a model understood a question in the same way as the parser. See
        `Models.learn`."""
        with suppress(NoModel, FlexAIError):
            found = self.installed(ModelType.LLM, model)
            await self.abilities.learn(f"{found.entry.provider}/{found.entry.id}", agreed=agreed)

    async def embed(self, texts: list[str]) -> np.ndarray:
        """Return the starter embedder's vectors. See `CopilotModels.embed`.

        Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self._question_embedder)
        if found is None:
            _, offered = KINDS[ModelType.TEXT_EMBEDDING]
            raise NoModel("The starter embedder is not available.", self.offer(offered[:1]))
        result = await self._invoked(found, texts=texts, input_type=EmbeddingInputType.DOCUMENT)
        return np.asarray(result.embeddings, dtype=np.float32)

    async def embed_result(
        self,
        texts: list[str],
        model_id: str | None,
        input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        """Return the complete result of embedding.

        Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self.installed, ModelType.TEXT_EMBEDDING, model_id)
        return await self._invoked(found, texts=texts, input_type=input_type)

    async def rerank(
        self, query: str, docs: list[str], model_id: str | None, **limits: float | None
    ) -> RerankResult:
        """Return documents, best first.

        Without a reranker, or if an embedder is named, an embedder scores the documents, and a note
        says so. limits: `score_threshold` and `top_n`. Raises: FlexAIError, NoModel.
        """
        try:
            found = await asyncio.to_thread(self.installed, ModelType.RERANK, model_id)
        except NoModel as error:
            if model_id is None and self._has_any_embedder():
                return await self._nearest(query, docs, None, error, **limits)
            try:
                await asyncio.to_thread(self.installed, ModelType.TEXT_EMBEDDING, model_id)
            except NoModel:
                raise error from None
            here = {entry.id for entry in self.catalog.entries()}
            better = [one for one in KINDS[ModelType.RERANK][1] if one in here]
            chosen = NoModel(f"{model_id} is not a reranker.", self.offer(better))
            return await self._nearest(query, docs, model_id, chosen, **limits)
        return await self._invoked(found, query=query, docs=docs, **limits)

    async def _nearest(
        self,
        query: str,
        docs: list[str],
        model_id: str | None,
        missing: NoModel,
        score_threshold: float | None = None,
        top_n: float | None = None,
    ) -> RerankResult:
        need_words(query)
        asked = await self.embed_result([query], model_id, EmbeddingInputType.QUERY)
        there = await self.embed_result(docs, model_id)
        ranked = by_nearness(asked.embeddings[0], there.embeddings, docs)
        kept = select(ranked, score_threshold, None if top_n is None else int(top_n))
        note = (
            f"{missing.text} The embedder {asked.model} ordered them, which is less exact."
            f" {missing.remedy}"
        )
        return RerankResult(model=asked.model, docs=kept, note=f"{note} {there.note}".strip())

    async def moderate(self, texts: list[str], model_id: str | None) -> tuple[str, list[Verdict]]:
        """Return the model that checked the texts and, for each text, whether it is harmful and in
        which ways.

        Raises: FlexAIError, NoModel. Unchecked text is never reported as safe.
        """
        try:
            found = await asyncio.to_thread(self.installed, ModelType.MODERATION, model_id)
        except NoModel as error:
            remedy = error.remedy if model_id else f"{error.remedy} {GUARD}"
            raise NoModel(f"{error.text} Nothing was checked.", remedy) from error
        return found.entry.id, [await self._called(found, "judge", text=text) for text in texts]

    async def read_picture(
        self, width: int, height: int, pixels: bytes, model_id: str | None
    ) -> OcrResult:
        """Return the lines of text in an image. pixels: one greyscale byte per pixel.

        Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self.installed, ModelType.OCR, model_id)
        picture = io.BytesIO(pixels)
        return await self._invoked(found, width=width, height=height, picture=picture)

    async def _called(self, found: InstalledModel | Lent, method: str, **arguments: Any) -> Any:
        entry = found.entry
        return await self.workers.call(
            entry.provider,
            entry.type,
            method,
            model=entry.model,
            credentials=found.credentials,
            **arguments,
        )

    async def _invoked(self, found: InstalledModel | Lent, **arguments: Any) -> Any:
        entry = found.entry
        return await self.workers.invoke(
            entry.provider,
            entry.type,
            model=entry.model,
            credentials=found.credentials,
            **arguments,
        )

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        """Yield an answer piece by piece, preceded by any thoughts as `ThoughtPiece`. Closing the
        generator stops the model.

        parameters: the default parameters, over which the user's settings for the model take
        precedence. Raises: FlexAIError, NoModel.
        """
        said = [read_message(dict(message)) for message in messages]
        found = await asyncio.to_thread(self.installed, ModelType.LLM, model)
        given = parameters | await self.chosen(found)
        room = str(found.credentials.get("context_size") or "")
        most = given.get("max_tokens")
        if room.isdecimal() and isinstance(most, int) and most > int(room) > 1:
            # our own limit, which is meant for models with a larger context
            given["max_tokens"] = int(room) // 2
        async with aclosing(self.stream(said, model=found.entry.id, parameters=given)) as chunks:
            async for chunk in chunks:
                if thought := chunk.delta.message.reasoning:
                    yield ThoughtPiece(thought)
                if text := chunk.delta.message.text():
                    yield text

    async def stream(
        self,
        messages: list[PromptMessage],
        *,
        model: str | None,
        parameters: dict[str, Any],
        stop: list[str] | None = None,
        tools: list[PromptMessageTool] | None = None,
        bare: bool = False,
    ) -> AsyncGenerator[LLMResultChunk, None]:
        """Yield the chunks of an answer.

        parameters: parameters that take precedence over the user's settings for the model. bare:
        whether the message is a text to be continued without the model's template, if the provider
        supports this. Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self.installed, ModelType.LLM, model)
        if bare:
            found = replace(found, credentials={**found.credentials, "mode": "completion"})
        arguments: dict[str, Any] = {
            "prompt_messages": messages,
            "model_parameters": await self.chosen(found) | parameters,
            "stop": stop or [],
            "tools": tools or [],
        }
        first, usage = 0.0, None
        caller = CALLER.get()
        measuring = self.metrics.answer(found.entry.id) if self.metrics else nullcontext()
        async with AsyncExitStack() as stack:
            times = stack.enter_context(measuring)
            await stack.enter_async_context(self.queue_of(found).turn(caller.name))
            chunks = await stack.enter_async_context(aclosing(self._streamed(found, arguments)))
            async for chunk in chunks:
                if (place := place_of(chunk)) is not None:
                    PLACE.get()(place)
                    continue
                first = first or time.perf_counter()
                if times is not None:
                    times.take(chunk)
                usage = chunk.delta.usage or usage
                if chunk.delta.usage is not None:
                    caller.spend(chunk.delta.usage.total_tokens)
                yield chunk
            if usage is not None and isinstance(found, InstalledModel):
                await self._keep_answered(found, usage, time.perf_counter() - first)

    def queue_of(self, found: InstalledModel | Lent) -> FairQueue:
        """Return the queue for a language model."""
        entry = found.entry
        wanted = ModelDemand(entry.provider, entry.type, entry.model, dict(found.credentials))
        slots = self.workers.at_once(wanted)
        queue = self.queues.setdefault(entry.id, FairQueue(slots, self._queue_seconds))
        queue.slots = slots
        return queue

    async def _keep_answered(self, found: InstalledModel, usage: LLMUsage, seconds: float) -> None:
        """Record the speed of an answer, and how much of the context it used."""
        folder, name = self.catalog.folder, found.entry.id
        room: int = await self._called(found, "context_size")
        chosen = await asyncio.to_thread(read_choices, folder)
        answered = MeasuredAnswer(
            # timing started when the first token arrived
            tokens=max(0, usage.completion_tokens - 1),
            seconds=seconds,
            used=usage.prompt_tokens + usage.completion_tokens,
            room=room,
            at=time.time(),
            settings=chosen.models.get(name, {}),
        )
        with suppress(OSError):  # an answer must not be lost because a measurement cannot be saved
            await asyncio.to_thread(keep_answered, folder, name, answered)

    async def parameter_names(self, found: InstalledModel | Lent) -> list[str] | None:
        """Return the parameters that a language model supports, or None if it supports any.

        Raises: FlexAIError.
        """
        key = (found.entry.provider, found.entry.model)
        if key not in self._parameters:
            self._parameters[key] = await self._called(found, "parameter_names")
        return self._parameters[key]

    async def chosen(self, found: InstalledModel | Lent) -> dict[str, Any]:
        """Return the parameters that the user chose for a model.

        Raises: CatalogError if they cannot be read.
        """
        choices = await asyncio.to_thread(read_choices, self.catalog.folder)
        return choices.parameters.get(found.entry.id, {})

    async def listen(
        self, file: IO[bytes], *, model: str | None, options: dict[str, Any]
    ) -> AsyncGenerator[TranscriptChunk, None]:
        """Yield a transcript as it is produced. The options are the same as in
        `Speech2TextModel.write`.

        Raises: FlexAIError, NoModel.
        """
        arguments = {"file": file, **options}
        found = await asyncio.to_thread(self.installed, ModelType.SPEECH2TEXT, model)
        async with aclosing(self._streamed(found, arguments)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def speak(
        self, text: str, *, voice: InstalledModel | Lent, options: dict[str, Any]
    ) -> AsyncGenerator[bytes, None]:
        """Yield the audio of a spoken text, clause by clause. The options are the same as in
        `Text2SpeechModel.invoke`.

        Raises: FlexAIError.
        """
        arguments = {"content_text": text, **options}
        async with aclosing(self._streamed(voice, arguments)) as pieces:
            async for piece in pieces:
                yield piece

    async def _streamed(
        self, found: InstalledModel | Lent, arguments: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        entry = found.entry
        chunks = self.workers.stream(
            entry.provider,
            entry.type,
            model=entry.model,
            credentials=found.credentials,
            **arguments,
        )
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk


def size_of(entry: CatalogEntry) -> str:
    """Return the download size of a model and its languages."""
    return f"{entry.source.download_bytes / 1e6:.0f} MB, {', '.join(entry.languages)}"


def models_of(request: Request) -> ServiceModels:
    """Return the models of the service that received a request."""
    return cast("ServiceModels", request.app.state.models)
