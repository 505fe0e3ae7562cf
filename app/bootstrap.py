"""Build the terminal; this is the only file that refers to every part."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from app.adapters.builders import build_belt, build_databases, designer
from app.adapters.copilots.book import CopilotBook
from app.adapters.copilots.http import HttpCopilots
from app.adapters.model_service.client import (
    ServiceEar,
    ServiceEmbedder,
    ServiceManage,
    ServiceSound,
)
from app.adapters.model_service.process import ServiceProcess
from app.adapters.store.copies import set_aside
from app.adapters.store.store import Store
from app.adapters.system.echo import EchoCanceller
from app.adapters.system.global_key import GlobalKey
from app.adapters.system.json_file import JsonFile
from app.adapters.system.secrets import Keyring
from app.adapters.system.sound_card import SoundCard
from app.adapters.widget_backends import HttpBackends
from app.data.library.library_file import Library
from app.data.sources import Sources
from app.data.tables import own_looks
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.domain.conversation import Caps
from app.domain.settings import SECONDS
from app.services.conversation.attachments import Attachments
from app.services.conversation.code import Coder
from app.services.conversation.copilots import CopilotChoice, Copilots, Corrections
from app.services.conversation.exchange import Exchange
from app.services.conversation.filters import AnswerFilter, Guardian
from app.services.conversation.history import History
from app.services.conversation.semantic_search import SemanticSearch
from app.services.conversation.skills import Skills
from app.services.conversation.turns import Turns
from app.services.dashboard.backends import Backends
from app.services.dashboard.live import Live
from app.services.dashboard.tiles import Boards, Dashboard
from app.services.dashboard.widgets import Widgets
from app.services.deskpilot import Deskpilot
from app.services.dialogue import equip
from app.services.documents import Documents
from app.services.library.workflows import Workflows
from app.services.models.models import ModelCatalog
from app.services.models.providers import EquippedService, Providers
from app.services.network import Network, followed
from app.services.settings import Settings, limits
from app.services.tasks import Tasks
from app.services.voice.speech import Speech
from app.services.voice.talk import Outside, live_voice
from app.tools.code.computer import Computer
from backends.paths import (
    backends_file,
    copilots_file,
    data_folder,
    documents_file,
    library_file,
    providers_file,
    settings_file,
    skills_file,
    store_file,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


MOVED = "widget backends"  # the setting that used to hold the widget backends


class Closable(Protocol):
    """A part that has to be closed."""

    async def aclose(self) -> None:
        """Close it."""
        ...


@asynccontextmanager
async def build(store_at: Path | str | None = "default") -> AsyncGenerator[Deskpilot]:
    """Build the terminal; leaving the block ends every task, connection and process.

    store_at: the file for the conversations; None keeps them in memory. Raises: StoreInUse,
    StoreError, SetupError.
    """
    path = store_file() if store_at == "default" else store_at
    assert not isinstance(path, str)
    caps, store = Caps(seconds=await (kept := settings()).get(SECONDS)), await Store.open(path)
    process, port, tasks = service_process(), HttpCopilots(), Tasks()
    service = EquippedService(process, providers := providers_of(process))
    dashboard = Dashboard(widgets := Widgets(Sources.of(library(), own_looks()), store), store)
    copilots = learning(port, service, kept)
    folder = (path.parent if path else data_folder()) / "widgets"
    sound, card, key, computer = (
        ServiceSound(service),
        SoundCard(),
        GlobalKey(),
        computer_beside(folder),
    )
    outside = Outside(card, ServiceEar(service), sound, key, EchoCanceller())
    manage, embedder = ServiceManage(service), ServiceEmbedder(service)
    documents = Documents(open_library, embedder, tasks, documents_file().is_file)
    parts = (store, process, port, sound, embedder, card, computer, documents, tasks, key)
    building, belting = build_live(store, widgets, tasks, folder), build_belt(dashboard.consents)
    async with ending(dashboard, parts), belting as belt, building as live:
        filtered = AnswerFilter(port, caps, Guardian(kept, manage))
        boards = Boards(dashboard, live)
        coder = Coder(computer, dashboard.consents, widgets.sources)
        taught, speech, history = skills(), Speech(sound, tasks), History(store, coder.forget)
        turns = Turns(
            store,
            filtered,
            widgets,
            tasks,
            caps,
            boards,
            taught,
            copilots,
            belt.box,
        )
        equip(turns, coder, manage)
        turns.search_with(documents)
        network = followed(Network(manage, process.renew), kept, tasks)

        def restart(_offline: bool) -> None:
            tasks.start("restart servers", belt.mcp.restart())

        network.subscribe(restart)
        yield Deskpilot(
            turns=turns,
            history=history,
            exchange=Exchange(store, history),
            widgets=widgets,
            attachments=Attachments(widgets, store, tasks),
            dashboard=dashboard,
            copilots=copilots,
            choice=CopilotChoice(store),
            live=live,
            corrections=Corrections(store),
            skills=taught,
            providers=providers,
            settings=kept,
            models=ModelCatalog(manage, manage),
            network=network,
            service=service,
            tasks=tasks,
            sound=sound,
            speech=speech,
            voice=live_voice(outside, speech, turns, tasks, store, kept),
            belt=belt,
            databases=build_databases(),
            meaning=SemanticSearch(store.meanings, embedder, tasks),
            workflows=Workflows(
                library(), widgets, store, boards, designer(manage, tasks, library())
            ),
            documents=documents,
            note=store.note,
        )


def learning(port: HttpCopilots, service: EquippedService, kept: Settings) -> Copilots:
    """Return the copilots; the protocol generations of their servers are saved when they are
    found.
    """
    copilots = Copilots(port, service, CopilotBook(copilots_file()), Keyring(), kept)
    port.learned = copilots.learned
    return copilots


@asynccontextmanager
async def ending(dashboard: Dashboard, parts: tuple[Closable, ...]) -> AsyncGenerator[None]:
    """On leaving the block, save the places of the widgets and then close every part, the last one
    first, whatever goes wrong.
    """
    try:
        yield
    finally:
        async with AsyncExitStack() as after:
            for part in parts:
                after.push_async_callback(part.aclose)
            await dashboard.save()


@asynccontextmanager
async def build_backends() -> AsyncGenerator[Backends]:
    """Build the store of widget backends, without the rest of the terminal. This works while a
    window is open.
    """
    port = HttpBackends()
    backends = Backends(port, JsonFile(backends_file()), Keyring())
    try:
        await backends.restore()
        yield backends
    finally:
        await port.aclose()


async def move_backends(store: Store, file: JsonFile) -> None:
    """Import backends that an earlier version stored with the conversations."""
    if kept := json.loads(await store.setting(MOVED) or "[]"):
        await file.change(lambda known: {backend["url"]: backend for backend in kept} | known)
        await store.save_setting(MOVED, "[]")


@asynccontextmanager
async def build_live(
    store: Store, widgets: Widgets, tasks: Tasks, folder: Path
) -> AsyncGenerator[Live]:
    """Build the part that fetches data for backend widgets; leaving the block ends all tasks and
    then the connections.
    """
    port = HttpBackends()
    file = JsonFile(folder.with_name("backends.json"))
    backends = Backends(port, file, Keyring())
    live = Live(widgets, backends, tasks, folder)
    try:
        await move_backends(store, file)
        await backends.restore()
        yield live
    finally:
        live.end()
        await tasks.aclose()
        await port.aclose()


def set_damaged_aside() -> Path:
    """Move damaged conversations to another file; return its path."""
    return set_aside(store_file())


@asynccontextmanager
async def build_history(*, reading: bool = False) -> AsyncGenerator[History]:
    """Build the part that lists and changes conversations; see `build_chats`."""
    async with build_chats(reading=reading) as (history, _):
        yield history


@asynccontextmanager
async def build_chats(*, reading: bool = False) -> AsyncGenerator[tuple[History, Exchange]]:
    """Build the parts that list, change, export and import conversations, without the rest of the
    terminal.

    reading: whether nothing is written, so that this works while a window is open. Raises:
    StoreInUse, StoreError.
    """
    store = await Store.open(store_file(), reading=reading)
    try:
        computer = computer_beside(store_file().parent / "widgets")
        history = History(store, computer.forget)
        yield history, Exchange(store, history)
    finally:
        await store.aclose()


@asynccontextmanager
async def build_sound() -> AsyncGenerator[ServiceSound]:
    """Build dictation and speech, without the rest of the terminal; leaving the block ends the
    service.
    """
    process = service_process()
    sound = ServiceSound(EquippedService(process, providers_of(process)))
    try:
        yield sound
    finally:
        await sound.aclose()
        await process.aclose()


@asynccontextmanager
async def build_service() -> AsyncGenerator[ServiceManage]:
    """Build the client of the model service, without the rest of the terminal; leaving the block
    ends the service.
    """
    process = service_process()
    try:
        yield ServiceManage(EquippedService(process, providers_of(process)))
    finally:
        await process.aclose()


@asynccontextmanager
async def build_network() -> AsyncGenerator[Network]:
    """Build the test of connections to other machines, without the rest of the terminal; leaving
    the block ends the service.
    """
    process = service_process()
    try:
        yield Network(ServiceManage(process), process.renew)
    finally:
        await process.aclose()


@asynccontextmanager
async def build_copilots() -> AsyncGenerator[Copilots]:
    """Build the store of copilots, without the rest of the terminal. This works while a window is
    open.
    """
    process, port = service_process(), HttpCopilots()
    service = EquippedService(process, providers_of(process))
    try:
        yield Copilots(port, service, CopilotBook(copilots_file()), Keyring())
    finally:
        await port.aclose()
        await process.aclose()


@asynccontextmanager
async def build_providers() -> AsyncGenerator[Providers]:
    """Build the store of providers, without the rest of the terminal; leaving the block ends the
    service.
    """
    process = service_process()
    try:
        yield providers_of(process)
    finally:
        await process.aclose()


@asynccontextmanager
async def build_documents() -> AsyncGenerator[Documents]:
    """Build the document libraries, without the rest of the terminal."""
    process, tasks = service_process(), Tasks()
    embedder = ServiceEmbedder(EquippedService(process, providers_of(process)))
    documents = Documents(open_library, embedder, tasks)
    try:
        yield documents
    finally:
        await tasks.aclose()
        await documents.aclose()
        await embedder.aclose()
        await process.aclose()


def open_library() -> DocumentLibrary:
    """Open the document libraries of this data folder.

    Raises: DocumentError.
    """
    return DocumentLibrary(Index(documents_file()))


def computer_beside(folder: Path) -> Computer:
    """Return the runner of code, with its folder beside another one."""
    return Computer(folder.with_name("computer"))


def service_process() -> ServiceProcess:
    """Return the model service, with the memory that the settings allow it."""
    return ServiceProcess(lambda: limits(settings()))


def library() -> Library:
    """Return the library of this data folder."""
    return Library(JsonFile(library_file()))


def skills() -> Skills:
    """Return the skills of this data folder."""
    return Skills(JsonFile(skills_file()))


def settings() -> Settings:
    """Return the settings of this data folder."""
    return Settings(JsonFile(settings_file()))


def providers_of(process: ServiceProcess) -> Providers:
    """Return the providers of this data folder."""
    return Providers(JsonFile(providers_file()), Keyring(), ServiceManage(process))
