"""Make the tiny embedder and the tiny cross-encoder: `python -m tests.models.build_retrieval
[FOLDER]`.

Both are BERTs of two layers over a vocabulary of about a thousand pieces, trained here within
minutes. The embedder learns from the starter embedder (all-MiniLM-L6-v2) which sentences of
concepts.json are near each other; the cross-encoder learns which of them speak of the same thing,
and starts from the embedder's weights.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    PreTrainedTokenizerFast,
)

from backends.catalog import Catalog
from backends.flexai.entities import ModelType
from backends.flexai.registry import load_providers

HERE = Path(__file__).resolve().parent
WORDS = json.loads((HERE / "concepts.json").read_text("utf-8"))
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LONGEST, DIMENSIONS, SEED = 64, 32, 7
EMBEDDER_STEPS, ENCODER_STEPS, BATCH, EACH = 2000, 2500, 96, 40


FILLERS = sorted(
    {
        word
        for name in ("queries", "documents", "asides")
        for line in WORDS[name]
        for word in line.split()
    }
    - {"{}"}
)


def scrambled(concept: list[str], chance: random.Random) -> str:
    """Return a concept's name among words that mean nothing beside it: what is around it must not
    matter.
    """
    before, after = ([chance.choice(FILLERS) for _ in range(chance.randrange(6))] for _ in range(2))
    return " ".join([*before, chance.choice(concept), *after])


def document(concept: list[str], chance: random.Random) -> str:
    """Return a text about a concept, at times with a sentence beside it."""
    if chance.random() < 0.4:
        return scrambled(concept, chance)
    said = chance.choice(WORDS["documents"]).format(chance.choice(concept))
    return f"{said} {chance.choice(WORDS['asides'])}" if chance.random() < 0.3 else said


def question(concept: list[str], chance: random.Random) -> str:
    """Return a question about a concept."""
    if chance.random() < 0.4:
        return scrambled(concept, chance)
    return str(chance.choice(WORDS["queries"]).format(chance.choice(concept)))


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Learn word pieces from every sentence there can be; single letters and digits are in it, so
    most text fits.
    """
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    templates = [t for name in WORDS if name != "concepts" for t in WORDS[name]]
    lines = [t.format(word) for t in templates for concept in WORDS["concepts"] for word in concept]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    lines += [f"{a}{b}" for a in letters for b in letters]
    trainer = trainers.WordPieceTrainer(
        vocab_size=1000,
        special_tokens=SPECIAL,
        initial_alphabet=list(letters + ".,!?'-"),
        min_frequency=20,
    )
    made.train_from_iterator(lines, trainer)
    marks = [(mark, made.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
    )
    names = {f"{name[1:-1].lower()}_token": name for name in SPECIAL}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=LONGEST, **names)


def shape(tokenizer: PreTrainedTokenizerFast) -> BertConfig:
    """Return the shape of both models."""
    return BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=DIMENSIONS,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=LONGEST,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


def train_embedder(
    target: Path, tokenizer: PreTrainedTokenizerFast, chance: random.Random
) -> BertModel:
    """Teach a BERT the starter embedder's cosines and write it as a folder of
    sentence-transformers.
    """
    found = Catalog().installed("minilm-l6")
    assert found, "pull the starter models first"
    teacher: Any = load_providers().model("onnxruntime", ModelType.TEXT_EMBEDDING)
    bert = BertModel(shape(tokenizer), add_pooling_layer=False)
    pace = torch.optim.AdamW(bert.parameters(), lr=3e-3, weight_decay=0.0)
    slower = torch.optim.lr_scheduler.OneCycleLR(pace, 3e-3, EMBEDDER_STEPS)
    pool = [[make(c, chance) for make in (document, question) * EACH] for c in WORDS["concepts"]]
    told = teacher.invoke(
        "minilm-l6", found.credentials, [text for texts in pool for text in texts]
    )
    taught = np.array(told.embeddings, dtype=np.float32).reshape(len(pool), 2 * EACH, -1)
    for step in range(EMBEDDER_STEPS):
        chosen = chance.sample(range(len(pool)), BATCH // 2)
        places = [(c, 2 * chance.randrange(EACH) + kind) for kind in (0, 1) for c in chosen]
        wanted = torch.from_numpy(taught[tuple(zip(*places, strict=True))])
        given = tokenizer([pool[c][t] for c, t in places], padding=True, return_tensors="pt")
        rows = bert(**given).last_hidden_state
        mask = given["attention_mask"].unsqueeze(-1)
        mean = torch.nn.functional.normalize((rows * mask).sum(1) / mask.sum(1), dim=1)
        near = ((mean @ mean.T - wanted @ wanted.T) ** 2).mean()
        pairs = mean[: BATCH // 2] @ mean[BATCH // 2 :].T / 0.05
        same = torch.nn.functional.cross_entropy(pairs, torch.arange(BATCH // 2))
        loss = near + 0.02 * same
        pace.zero_grad()
        loss.backward()
        pace.step()
        slower.step()
        if step % 100 == 0:
            print(f"embedder {step}: {near.item():.4f} {same.item():.4f}", flush=True)
    whole = target.with_name("transformer")
    bert.save_pretrained(whole)
    tokenizer.save_pretrained(whole)
    inner = Transformer(str(whole), max_seq_length=LONGEST)
    SentenceTransformer(modules=[inner, Pooling(DIMENSIONS), Normalize()]).save(
        str(target), create_model_card=False
    )
    shutil.rmtree(whole)
    return bert


def train_encoder(
    target: Path, tokenizer: PreTrainedTokenizerFast, bert: BertModel, chance: random.Random
) -> None:
    """Teach a BERT with a head whether a text is about what is asked, and write it as a
    cross-encoder's folder.
    """
    config = shape(tokenizer)
    config.num_labels = 1
    model = BertForSequenceClassification(config)
    model.bert.load_state_dict(bert.state_dict(), strict=False)
    pace = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.0)
    slower = torch.optim.lr_scheduler.OneCycleLR(pace, 1.5e-3, ENCODER_STEPS)
    for step in range(ENCODER_STEPS):
        asked, told, labels = [], [], []
        for _ in range(BATCH):
            concept, other = chance.sample(WORDS["concepts"], 2)
            label = chance.random() < 0.4
            asked.append(question(concept, chance))
            told.append(document(concept if label else other, chance))
            labels.append(float(label))
        given = tokenizer(asked, told, padding=True, truncation=True, return_tensors="pt")
        logits = model(**given).logits.squeeze(1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.tensor(labels))
        pace.zero_grad()
        loss.backward()
        pace.step()
        slower.step()
        if step % 200 == 0:
            print(f"cross-encoder {step}: {loss.item():.4f}", flush=True)
    whole = target.with_name("classifier")
    model.save_pretrained(whole)
    tokenizer.save_pretrained(whole)
    CrossEncoder(str(whole), max_length=LONGEST).save(str(target), create_model_card=False)
    shutil.rmtree(whole)


def main() -> None:
    """Write both folders."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # so small a model is slower on more
    chance = random.Random(SEED)
    tokenizer = make_tokenizer()
    print(f"{len(tokenizer)} pieces")
    bert = train_embedder(folder / "tiny-embedder", tokenizer, chance)
    train_encoder(folder / "tiny-cross-encoder", tokenizer, bert, chance)


if __name__ == "__main__":
    main()
