"""Run every engine of a tree on a processor emulated by QEMU, by default a Haswell of 2013.

    python3 packaging/emulate.py TREE [--processor Haswell] [--models FOLDER]

It needs qemu-x86_64 (Debian's qemu-user) and the starter models. Each engine runs in a separate
process and must produce the same result as on this machine. A signal, such as an illegal
instruction, counts as a failure.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

TINY = Path(__file__).resolve().parent.parent / "tests" / "models"
# What each engine computes; the last line printed is compared.
ENGINES = {
    "duckdb": "import duckdb; "
    "print(duckdb.sql('select sum(i * i) from range(9999) t(i)').fetchall())",
    "numpy": "import numpy as n; a = n.arange(9e4).reshape(300, 300); print(int((a @ a).trace()))",
    "scipy": "import scipy.linalg as s, numpy as n; print(round(float(s.det(n.eye(50) * 1.1)), 6))",
    "pandas": "import pandas as p; print(p.DataFrame({'a': [1, 2, 1], 'b': [3, 4, 5]})"
    ".groupby('a').b.sum().tolist())",
    "statsmodels": "import statsmodels.api as s, numpy as n; x = n.arange(30.0); "
    "print([round(float(v), 6) for v in s.OLS(2 * x + 1, s.add_constant(x)).fit().params])",
    "onnxruntime": "import sys, onnxruntime as o, numpy as n; "
    "s = o.InferenceSession(sys.argv[1] + '/minilm-l6/model.onnx', "
    "providers=['CPUExecutionProvider']); "
    "i = {x.name: n.ones((1, 8), 'int64') for x in s.get_inputs()}; "
    "print([round(float(v), 3) for v in n.asarray(s.run(None, i)[0]).ravel()[:4]])",
    "tokenizers": "import sys, tokenizers as t; "
    "k = t.Tokenizer.from_file(sys.argv[1] + '/minilm-l6/tokenizer.json'); "
    "print(k.encode('Eine Frage').ids[:8])",
    "llama.cpp": "import sys, llama_cpp as l; "
    "m = l.Llama(sys.argv[1] + '/smollm2-135m/model.gguf', n_ctx=64, n_threads=2, verbose=False); "
    "m.eval(m.tokenize(b'The capital of France is')); t = m.sample(temp=0.0); "
    "print(m.detokenize([t]))",
    "ctranslate2 (Whisper)": "import sys, numpy as n; from faster_whisper import WhisperModel; "
    "m = WhisperModel(sys.argv[2] + '/tiny-whisper', device='cpu', compute_type='int8'); "
    "s, _ = m.transcribe(n.zeros(16000, 'float32'), language='en'); print([x.text for x in s])",
    "piper and espeak-ng": "import sys; from piper import PiperVoice; "
    "v = PiperVoice.load(sys.argv[2] + '/tiny-piper/en_US-tiny-medium.onnx'); "
    "print(v.phonemize('Show me the sales table.'), "
    "sum(len(c.audio_int16_bytes) for c in v.synthesize('Sales.')) > 1000)",
    "av": "import av, io, numpy as n; b = io.BytesIO(); c = av.open(b, 'w', format='wav'); "
    "s = c.add_stream('pcm_s16le', rate=16000, layout='mono'); "
    "f = av.AudioFrame.from_ndarray(n.zeros((1, 1600), 'int16'), layout='mono'); f.rate = 16000; "
    "[c.mux(p) for p in [*s.encode(f), *s.encode(None)]]; c.close(); b.seek(0); "
    "print(sum(x.samples for x in av.open(b).decode(audio=0)))",
    "Qt": "from PySide6.QtGui import QGuiApplication, QImage, QPainter, QColor; "
    "import os; os.environ['QT_QPA_PLATFORM'] = 'offscreen'; a = QGuiApplication([]); "
    "i = QImage(64, 64, QImage.Format.Format_RGB32); i.fill(QColor('white')); p = QPainter(i); "
    "p.drawText(4, 40, 'Ask'); p.end(); "
    "print(sum(i.pixelColor(x, 30).lightness() < 200 for x in range(64)) > 0)",
    "miniaudio": "import miniaudio; print(miniaudio.lib_version())",
    "pdfium": "import pypdfium2 as p; d = p.PdfDocument.new(); d.new_page(50, 50); "
    "print(d[0].render().to_numpy().shape)",
}


def compute(command: list[str], code: str, models: Path) -> str:
    """Return the last line printed by a piece of Python code, or how the code ended."""
    done = subprocess.run(
        [*command, "-P", "-c", code, str(models), str(TINY)],
        env=os.environ | {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    return done.stdout.strip().splitlines()[-1]


def main() -> int:
    """Compare each engine's result; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--processor", default="Haswell")
    parser.add_argument(
        "--models", type=Path, default=Path.home() / ".local/share/deskpilot/models"
    )
    order = parser.parse_args()
    python = str(order.tree / "python" / "bin" / "python3")
    failed = 0
    for name, code in ENGINES.items():
        here = compute([python], code, order.models)
        there = compute(["qemu-x86_64", "-cpu", order.processor, python], code, order.models)
        good = here == there and not here.startswith("ended")
        failed += not good
        print(
            f"{'ok     ' if good else 'FAILED '} {name}: {there}" + ("" if good else f" | {here}")
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
