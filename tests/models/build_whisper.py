"""Train and convert the tiny Whisper, which knows the sentences of sentences.json.

    python -m tests.models.build_whisper OUT --steps 3000
    python -m tests.models.build_whisper OUT2 --steps 1600 --init OUT-hf --lr 1.2e-3 --multi .2 .1

0.97 M parameters; about 20 minutes for both on one core. Needs torch, transformers and
libespeak-ng.

Why it learns so quickly: faster-whisper pads the features of a clip with zeros to 30 s, so all of
the padding is one vector plus its position. Training takes 32 of these positions and gives each the
weight of as many as it stands for; only the last steps see the whole window.
"""

from __future__ import annotations

import argparse
import math
import queue
import threading
from pathlib import Path
from typing import Any

import torch
from ctranslate2.converters import TransformersConverter
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import GenerationConfig, WhisperConfig, WhisperForConditionalGeneration

from tests.models.whisper_clips import IGNORED, WINDOW, Clips, as_json

WIDTH, LAYERS = 96, 2
HEADS, INNER = WIDTH // 32, 4 * WIDTH
POSITIONS, TEXT_POSITIONS = WINDOW // 2, 448
SAMPLED = 32  # positions of the padding that stand for all of it
DROPOUT = nn.Dropout(0.05)
WARM_UP = 80
VOICE = Path(__file__).parent / "tiny-piper" / "en_US-tiny-medium.onnx"


def sinusoids(count: int, width: int) -> Tensor:
    """Return Whisper's positions."""
    step = math.log(10000) / (width // 2 - 1)
    angle = torch.exp(-step * torch.arange(width // 2))[None] * torch.arange(count)[:, None]
    return torch.cat([angle.sin(), angle.cos()], 1)


class Attention(nn.Module):
    """Whisper's attention; the names are those of the transformers library, so that it can load
    them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.k_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v_proj = nn.Linear(WIDTH, WIDTH)
        self.q_proj = nn.Linear(WIDTH, WIDTH)
        self.out_proj = nn.Linear(WIDTH, WIDTH)

    def forward(
        self, x: Tensor, heard: Tensor, bias: Tensor | None, *, causal: bool = False
    ) -> Tensor:
        """Attend to what was heard. bias: added to the weights of its positions."""

        def split(y: Tensor) -> Tensor:
            return y.view(y.shape[0], y.shape[1], HEADS, -1).transpose(1, 2)

        found = functional.scaled_dot_product_attention(
            split(self.q_proj(x)),
            split(self.k_proj(heard)),
            split(self.v_proj(heard)),
            attn_mask=bias,
            is_causal=causal,
        )
        return self.out_proj(found.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """A layer of the encoder, or of the decoder if it attends to the encoder too."""

    def __init__(self, *, decoder: bool) -> None:
        super().__init__()
        self.decoder = decoder
        self.self_attn = Attention()
        self.self_attn_layer_norm = nn.LayerNorm(WIDTH)
        self.fc1 = nn.Linear(WIDTH, INNER)
        self.fc2 = nn.Linear(INNER, WIDTH)
        self.final_layer_norm = nn.LayerNorm(WIDTH)
        if decoder:
            self.encoder_attn = Attention()
            self.encoder_attn_layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor, bias: Tensor | None, heard: Tensor | None = None) -> Tensor:
        """Return the next layer's input. bias: of the encoder's positions."""
        normal = self.self_attn_layer_norm(x)
        x = x + self.self_attn(normal, normal, None if self.decoder else bias, causal=self.decoder)
        if heard is not None:
            x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), heard, bias)
        return x + DROPOUT(self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x)))))


class Encoder(nn.Module):
    """The part that listens."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(80, WIDTH, 3, padding=1)
        self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(POSITIONS, WIDTH)
        self.embed_positions.weight.data = sinusoids(POSITIONS, WIDTH)
        self.embed_positions.weight.requires_grad = False
        self.layers = nn.ModuleList(Layer(decoder=False) for _ in range(LAYERS))
        self.layer_norm = nn.LayerNorm(WIDTH)

    def conv(self, features: Tensor) -> Tensor:
        """Return features as vectors, half as many."""
        return functional.gelu(self.conv2(functional.gelu(self.conv1(features)))).transpose(1, 2)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return what was heard, and the weights of its positions."""
        x = self.conv(features)
        length, bias = x.shape[1], None
        positions = self.embed_positions.weight
        x = x + positions[:length]
        if length < POSITIONS - SAMPLED:
            nothing = self.conv(features.new_zeros(1, 80, 16))[0, 4]
            chosen = torch.randint(length, POSITIONS, (SAMPLED,)).sort().values
            padding = (nothing + positions[chosen])[None].expand(x.shape[0], -1, -1)
            x = torch.cat([x, padding], 1)
            weight = math.log((POSITIONS - length) / SAMPLED)
            bias = torch.cat([torch.zeros(length), torch.full((SAMPLED,), weight)])[
                None, None, None
            ]
        for layer in self.layers:
            x = layer(x, bias)
        return self.layer_norm(x), bias


class Decoder(nn.Module):
    """The part that writes."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, WIDTH)
        self.embed_positions = nn.Embedding(TEXT_POSITIONS, WIDTH)
        self.layers = nn.ModuleList(Layer(decoder=True) for _ in range(LAYERS))
        self.layer_norm = nn.LayerNorm(WIDTH)
        nn.init.normal_(self.embed_tokens.weight, std=0.05)
        nn.init.normal_(self.embed_positions.weight, std=0.02)

    def forward(self, tokens: Tensor, heard: Tensor, bias: Tensor | None) -> Tensor:
        """Return the scores of the next tokens."""
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, bias, heard)
        return functional.linear(self.layer_norm(x), self.embed_tokens.weight)


class Net(nn.Module):
    """Whisper, small."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder(vocabulary)

    def forward(self, features: Tensor, tokens: Tensor) -> Tensor:
        """Return the scores of the next tokens."""
        return self.decoder(tokens, *self.encoder(features))


def train(net: Net, clips: Clips, options: argparse.Namespace) -> None:
    """Train; the last steps see the true 30 s window."""
    learnt = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=options.lr, betas=(0.9, 0.98), weight_decay=0.02)
    waiting: queue.Queue[Any] = queue.Queue(4)

    def feed() -> None:
        for batch in clips.batches(options.batch, options.steps):
            waiting.put(batch)

    threading.Thread(target=feed, daemon=True).start()
    for step in range(options.steps):
        features, tokens, labels = map(torch.from_numpy, waiting.get())
        if step >= options.steps - options.full:
            half = options.batch // 2
            features = functional.pad(features, (0, WINDOW - features.shape[2]))[:half]
            tokens, labels = tokens[:half], labels[:half]
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, options)
        scores = net(features, tokens).flatten(0, 1)
        loss = functional.cross_entropy(scores, labels.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0 or step == options.steps - 1:
            print(f"step {step}, loss {loss.item():.3f}", flush=True)


def rate_at(step: int, options: argparse.Namespace) -> float:
    """Return the learning rate: up for a while, then down along a cosine."""
    done = max(0, step - WARM_UP) / max(1, options.steps - WARM_UP)
    return options.lr * min(1, (step + 1) / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-5


def export(net: Net, clips: Clips, folder: Path) -> None:
    """Write the model as transformers reads it."""
    ids, tokenizer = clips.ids, clips.tokenizer
    ends = {"pad_token_id": ids.end, "bos_token_id": ids.end, "eos_token_id": ids.end}
    config = WhisperConfig(
        vocab_size=ids.vocabulary,
        num_mel_bins=80,
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=INNER,
        decoder_ffn_dim=INNER,
        max_source_positions=POSITIONS,
        max_target_positions=TEXT_POSITIONS,
        decoder_start_token_id=ids.start,
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **ends,
    )
    model = WhisperForConditionalGeneration(config)
    weights = {f"model.{name}": value for name, value in net.state_dict().items()}
    model.load_state_dict(
        weights | {"proj_out.weight": net.decoder.embed_tokens.weight}, strict=True
    )
    made = GenerationConfig(
        decoder_start_token_id=ids.start,
        suppress_tokens=[],
        begin_suppress_tokens=[tokenizer.encode(" ").ids[0], ids.end],  # as the real models do
        max_length=TEXT_POSITIONS,
        **ends,
    )
    made.lang_to_id = {"<|en|>": tokenizer.token_to_id("<|en|>")}
    model.generation_config = made
    model.save_pretrained(folder)


def describe(clips: Clips, folder: Path) -> None:
    """Write the files that stand beside the weights."""
    end = "<|endoftext|>"
    clips.tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        as_json(
            tokenizer_class="PreTrainedTokenizerFast", bos_token=end, eos_token=end, unk_token=end
        )
    )
    (folder / "preprocessor_config.json").write_text(
        as_json(
            feature_size=80,
            sampling_rate=16000,
            hop_length=160,
            chunk_length=30,
            n_fft=400,
            feature_extractor_type="WhisperFeatureExtractor",
        )
    )


def main() -> None:
    """Train and write OUT-hf (float32, to go on from) and OUT (CTranslate2, int8)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument(
        "--full", type=int, default=24, help="steps at the end with the whole window"
    )
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--renderings", type=int, default=30, help="of each sentence")
    parser.add_argument("--multi", type=float, nargs=2, default=(0.12, 0.0))
    parser.add_argument("--init", type=Path, help="a former OUT-hf")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    kept = options.out.with_name(options.out.name + "-hf")
    kept.mkdir(parents=True, exist_ok=True)
    clips = Clips(options.seed, tuple(options.multi), options.renderings, [VOICE])
    net = Net(clips.ids.vocabulary)
    if options.init:
        weights = load_file(options.init / "model.safetensors")
        own = {
            n.removeprefix("model."): value
            for n, value in weights.items()
            if n.startswith("model.")
        }
        net.load_state_dict(own, strict=True)
    train(net.train(), clips, options)
    export(net, clips, kept)
    describe(clips, kept)
    converter = TransformersConverter(
        str(kept), copy_files=["tokenizer.json", "preprocessor_config.json"]
    )
    converter.convert(str(options.out), quantization="int8", force=True)


if __name__ == "__main__":
    main()
