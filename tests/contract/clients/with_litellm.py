"""LiteLLM asks a service; prints what came of it as one line of JSON."""

# pyright: basic

import json
import os
import sys

import litellm

litellm.drop_params = False
there = {"api_base": os.environ["BASE_URL"], "api_key": os.environ["API_KEY"], "num_retries": 0}
tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
told = {}


def hi(content):
    return [{"role": "user", "content": content}]


def ask(content, model="echo", **more):
    return litellm.completion(model=f"openai/{model}", messages=hi(content), **there, **more)


whole = ask("one two")
told["whole"] = [whole.choices[0].message.content, whole.usage.total_tokens]
told["streamed"] = "".join(
    chunk.choices[0].delta.content or "" for chunk in ask("one two", stream=True)
)
words = 'Well PIECE:a:f:{"x" PIECE:a:f::1} PIECE:b:f:{}'
for name, answer in (
    ("calls", ask(words, tools=[tool])),
    ("streamed_calls", litellm.stream_chunk_builder(list(ask(words, tools=[tool], stream=True)))),
):
    told[name] = [
        [call.id, call.function.name, call.function.arguments]
        for call in answer.choices[0].message.tool_calls
    ]
vectors = litellm.embedding(
    model="openai/tiny-embedder", input=["a", "b"], dimensions=4,
    allowed_openai_params=["dimensions"], **there,
)  # fmt: skip
told["vectors"] = [len(one["embedding"]) for one in vectors.data]
ranked = litellm.rerank(
    model="hosted_vllm/echo", query="a b", documents=["b", "x", "a b"], top_n=2, **there
)
told["ranked"] = [[row["index"], row["relevance_score"]] for row in ranked.results]
speech = litellm.speech(model="openai/tiny-piper", voice="alloy", input="The cat sat.", **there)
told["sound"] = len(speech.content) > 1000
for name, asked in (
    ("overflow", {"content": "word " * 9000, "model": "tiny-llama"}),
    ("nobody", {"content": "x", "model": "nobody"}),
):
    try:
        ask(**asked)
    except litellm.exceptions.APIError as error:
        told[name] = type(error).__name__
    except Exception as error:  # noqa: BLE001 - LiteLLM maps errors to classes of several roots
        told[name] = type(error).__name__
sys.stdout.write(json.dumps(told) + "\n")
