#!/usr/bin/env python3
"""llm-compressor's GPTQ for bench/quantise: 4 bit, group 64, symmetric, static activation order. Prints one line of JSON.

usage: llm_compressor.py MODEL.gguf TOKENIZER.json TEXT      needs: torch transformers gguf llmcompressor datasets tokenizers
Calibration: 64 windows of 512 tokens of the text from token 150,974 on; judged on its first 40 windows of 512.
"""
import json, os, resource, sys, tempfile, time
import torch
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from datasets import Dataset
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

model_file, tokenizer_file, text_file = sys.argv[1:4]
ids = Tokenizer.from_file(tokenizer_file).encode(open(text_file, encoding="utf-8", newline="").read(), add_special_tokens=False).ids
calibration = [ids[150974 + i * 512:150974 + (i + 1) * 512] for i in range(64)]
judge = [ids[i * 512:(i + 1) * 512] for i in range(40)]
torch.set_num_threads(2)
model = AutoModelForCausalLM.from_pretrained(os.path.dirname(os.path.abspath(model_file)), gguf_file=os.path.basename(model_file), dtype=torch.float32)
tokenizer = PreTrainedTokenizerFast(tokenizer_file=tokenizer_file)
folder = tempfile.TemporaryDirectory(prefix="tqm-bench-")  # oneshot looks for config.json where the model came from
model.hf_quantizer = None  # it is dequantised by now
model.config.__dict__.pop("quantization_config", None)
model.save_pretrained(folder.name)
model = AutoModelForCausalLM.from_pretrained(folder.name, dtype=torch.float32)


def losses():
    with torch.no_grad():
        return [torch.nn.functional.cross_entropy(model(torch.tensor([w])).logits[0, :-1].float(), torch.tensor(w[1:])).item()
                for w in judge]


before = losses()
data = Dataset.from_list([{"input_ids": w, "attention_mask": [1] * len(w)} for w in calibration])
weights = QuantizationArgs(num_bits=4, type="int", strategy="group", group_size=64, symmetric=True, actorder="static")
start = time.time()
oneshot(model=model, processor=tokenizer, dataset=data, max_seq_length=len(calibration[0]), num_calibration_samples=len(calibration),
        recipe=[GPTQModifier(ignore=["lm_head"], config_groups={"all": QuantizationScheme(targets=["Linear"], weights=weights)})])
seconds = time.time() - start
after = losses()
print(json.dumps({"seconds": seconds, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                  "loss": sum(after) / sum(before) - 1, "before": before, "after": after}))
