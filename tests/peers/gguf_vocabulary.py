"""The tokenizer keys of a GGUF file, read by PyPI's gguf, under the names that the program `tokenize` takes them by."""
from gguf import GGUFReader


def vocabulary(path):
    fields = GGUFReader(path).fields

    def key(name, otherwise):
        field = fields.get("tokenizer.ggml." + name)
        return field.contents() if field else otherwise

    model = key("model", "")
    return {"model": model, "pre": key("pre", ""), "tokens": list(key("tokens", [])), "merges": list(key("merges", [])),
            "scores": [float(score) for score in key("scores", [])], "token_types": [int(kind) for kind in key("token_type", [])],
            "bos": int(key("bos_token_id", -1)), "eos": int(key("eos_token_id", -1)), "unknown": int(key("unknown_token_id", -1)),
            "padding": int(key("padding_token_id", -1)), "add_bos": bool(key("add_bos_token", model == "llama")),
            "add_eos": bool(key("add_eos_token", False)), "add_space_prefix": bool(key("add_space_prefix", True))}
