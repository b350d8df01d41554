"""A language model of 100 KB in the GGUF format, which llama.cpp loads and runs as any other.

It says nonsense: one layer of Llama's architecture with pseudo-random weights. Its tokens are single bytes.
"""

import random
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

_WIDTH, _INNER, _HEADS, _CONTEXT = 32, 64, 2, 512
_TOKENS = [b"<unk>", b"<s>", b"</s>", *(b"<0x%02X>" % byte for byte in range(256))]
_KINDS = [2, 3, 3, *[6] * 256]
"""Unknown, control, control, and bytes."""
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_ALIGNMENT = 32
_SQUARE = ("attn_q", "attn_k", "attn_v", "attn_output")


def write_tiny_language_model(path: Path) -> None:
    """Write the model; every time the same."""
    metadata, tensors = _metadata(), _tensors(random.Random(1))  # weights of a test model
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata)) + b"".join(metadata)
    infos, data = b"", b""
    for name, (shape, values) in tensors.items():
        dimensions = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += _string(name.encode()) + dimensions + struct.pack("<IQ", 0, len(data))
        data += _padded(struct.pack(f"<{len(values)}f", *values))
    path.write_bytes(_padded(head + infos) + data)


def _metadata() -> list[bytes]:
    numbers = {
        "llama.context_length": _CONTEXT,
        "llama.embedding_length": _WIDTH,
        "llama.feed_forward_length": _INNER,
        "llama.block_count": 1,
        "llama.attention.head_count": _HEADS,
        "llama.attention.head_count_kv": _HEADS,
        "llama.rope.dimension_count": _WIDTH // _HEADS,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    return [
        _entry("general.architecture", _STRING, _string(b"llama")),
        _entry("tokenizer.ggml.model", _STRING, _string(b"llama")),
        *(_entry(key, _UINT32, struct.pack("<I", number)) for key, number in numbers.items()),
        _entry("llama.attention.layer_norm_rms_epsilon", _FLOAT32, struct.pack("<f", 1e-5)),
        _list("tokenizer.ggml.tokens", _STRING, [_string(token) for token in _TOKENS]),
        _list("tokenizer.ggml.scores", _FLOAT32, [struct.pack("<f", 0.0)] * len(_TOKENS)),
        _list("tokenizer.ggml.token_type", _INT32, [struct.pack("<i", kind) for kind in _KINDS]),
    ]


def _tensors(source: random.Random) -> dict[str, tuple[tuple[int, ...], Sequence[float]]]:
    """The weights of each matrix or vector, with the lengths of its rows first."""
    shapes = {"token_embd": (_WIDTH, len(_TOKENS)), "output": (_WIDTH, len(_TOKENS))}
    shapes |= {f"blk.0.{name}": (_WIDTH, _WIDTH) for name in _SQUARE}
    shapes |= {f"blk.0.{name}": (_WIDTH, _INNER) for name in ("ffn_gate", "ffn_up")}
    shapes["blk.0.ffn_down"] = (_INNER, _WIDTH)
    tensors: dict[str, tuple[tuple[int, ...], Sequence[float]]] = {
        f"{name}.weight": ((width, height), [source.gauss(0, 0.3) for _ in range(width * height)])
        for name, (width, height) in shapes.items()
    }
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        tensors[f"{name}.weight"] = ((_WIDTH,), [1.0] * _WIDTH)
    return tensors


def _string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def _entry(key: str, kind: int, value: bytes) -> bytes:
    return _string(key.encode()) + struct.pack("<I", kind) + value


def _list(key: str, kind: int, values: Iterable[bytes]) -> bytes:
    entries = list(values)
    return _entry(key, _ARRAY, struct.pack("<IQ", kind, len(entries)) + b"".join(entries))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNMENT)
