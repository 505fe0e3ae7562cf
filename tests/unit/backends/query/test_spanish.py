"""A language is data: a lexicon of Spanish, which no code knows, answers simple questions."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.query.lexicon import Lexicon
from backends.query.parser import parse

WORDS = Lexicon(("es",), (Path(__file__).parent / "spanish",))
TODAY = dt.date(2026, 6, 15)
NAMES = (
    "fecha",
    "producto",
    "categoría",
    "vendedor",
    "ciudad",
    "unidades",
    "precio",
    "importe",
    "entregado",
)
FACTS = [
    ("2026-03-02", "silla", "muebles", "Lucía", "Bilbao", 4, 40.0, 160.0, "2026-03-09"),
    ("2026-03-14", "mesa", "muebles", "Pedro", "Vigo", 1, 220.0, 220.0, "2026-03-20"),
    ("2026-03-28", "lámpara", "luces", "Lucía", "Vigo", 10, 15.0, 150.0, None),
    ("2026-04-06", "silla", "muebles", "Marta", "Cádiz", 6, 40.0, 240.0, "2026-04-08"),
    ("2026-04-18", "foco", "luces", "Pedro", "Bilbao", 20, 5.0, 100.0, "2026-04-19"),
    ("2026-05-03", "mesa", "muebles", "Marta", "Bilbao", 2, 220.0, 440.0, None),
    ("2026-05-09", "foco", "luces", "Lucía", "Cádiz", 8, 5.0, 40.0, "2026-05-11"),
    ("2026-05-22", "lámpara", "luces", "Pedro", "Vigo", 3, 15.0, 45.0, "2026-05-30"),
]
TABLE = table_from_rows(
    [dict(zip(NAMES, fact, strict=True)) for fact in FACTS], source="ventas", hash_="h"
)
PROFILE = profile(TABLE, "Ventas")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿Cuántas ventas hay?", 8),
        ("¿Cuántas ventas hizo Lucía?", 3),
        ("¿Cuál es el importe total?", 1395.0),
        ("importe total en marzo", 530.0),
        ("importe total de Vigo", 415.0),
        ("¿Cuántas unidades de foco?", 28),
        ("importe medio de las ventas de Marta", 340.0),
        ("precio máximo", 220.0),
        ("precio mínimo", 5.0),
        ("mediana del importe", 155.0),
        ("¿Cuántos vendedores distintos hay?", 3),
        ("¿Cuántas ventas en abril?", 2),
        ("¿Cuántas ventas de muebles en mayo?", 1),
        ("¿Cuántas ventas con importe superior a 200?", 3),
        ("¿Cuántas ventas con menos de 5 unidades?", 4),
        ("¿Cuántas ventas no se han entregado todavía?", 2),
        ("¿Qué porcentaje de las ventas es de luces?", 50.0),
        ("importe total de luces en Cádiz", 40.0),
        ("¿Cuántas unidades vendió Pedro en total?", 24),
        ("importe total de Bilbao o Vigo", 1115.0),
        ("¿Cuántas ventas de Marta o Pedro?", 5),
        ("importe total desde abril", 865.0),
        ("diferencia entre el importe total de muebles y luces", 725.0),
        ("¿Cuántas ventas hubo en el fin de semana?", 5),
        ("unidades en total en mayo", 13),
        ("promedio del precio de muebles", 130.0),
        ("¿Cuántas ciudades distintas hay?", 3),
        ("¿Qué vendedor tiene el importe más alto?", "Marta"),
        ("importe total por ciudad", "Bilbao"),
        ("importe total por categoría", "luces"),
        ("¿Cuándo fue la última venta?", "2026-05-22"),
        ("¿Cuántas ventas excepto muebles?", 4),
    ],
)
def test_simple_questions_are_answered(question: str, answer: Any) -> None:
    best = parse(question, [PROFILE], today=TODAY, words=WORDS)[0]
    rows = run_query(best.query, {"ventas": TABLE}).rows
    cells = [cell for row in rows for cell in row]
    if isinstance(answer, str):
        assert answer in [str(cell) for cell in cells]
    else:
        assert rows[0][-1] == pytest.approx(answer)
