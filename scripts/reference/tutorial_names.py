"""The tutorials' names of weights, for make_transformer_goldens.py: each preset
converts a dictionary with dragoman's names to a state dict with the tutorial's.
{i} is the number of the layer; parts without an entry keep their names."""

import re

import torch

# dragoman's name -> the tutorial's; the longest match applies.
ANNOTATED = {
    "source_embedding": "src_embed.0.lut", "target_embedding": "tgt_embed.0.lut",
    "source_positions": "src_embed.1.pe", "target_positions": "tgt_embed.1.pe",
    "encoder.layers.{i}.self": "encoder.layers.{i}.self_attn",
    "decoder.layers.{i}.self": "decoder.layers.{i}.self_attn",
    "decoder.layers.{i}.cross": "decoder.layers.{i}.src_attn",
    "encoder.layers.{i}.self.norm": "encoder.layers.{i}.sublayer.0.norm",
    "encoder.layers.{i}.ffn.norm": "encoder.layers.{i}.sublayer.1.norm",
    "decoder.layers.{i}.self.norm": "decoder.layers.{i}.sublayer.0.norm",
    "decoder.layers.{i}.cross.norm": "decoder.layers.{i}.sublayer.1.norm",
    "decoder.layers.{i}.ffn.norm": "decoder.layers.{i}.sublayer.2.norm",
    "encoder.layers.{i}.ffn": "encoder.layers.{i}.feed_forward",
    "decoder.layers.{i}.ffn": "decoder.layers.{i}.feed_forward",
    "output": "generator.proj",
}  # fmt: skip
Q_LINEAR = {
    "source_embedding": "encoder.embed.embed", "target_embedding": "decoder.embed.embed",
    "source_positions": "encoder.pe.pe", "target_positions": "decoder.pe.pe",
    "encoder.layers.{i}.self": "encoder.layers.{i}.attn",
    "decoder.layers.{i}.self": "decoder.layers.{i}.attn_1",
    "decoder.layers.{i}.cross": "decoder.layers.{i}.attn_2",
    "encoder.layers.{i}.self.norm": "encoder.layers.{i}.norm_1",
    "encoder.layers.{i}.ffn.norm": "encoder.layers.{i}.norm_2",
    "decoder.layers.{i}.self.norm": "decoder.layers.{i}.norm_1",
    "decoder.layers.{i}.cross.norm": "decoder.layers.{i}.norm_2",
    "decoder.layers.{i}.ffn.norm": "decoder.layers.{i}.norm_3",
    "encoder.layers.{i}.ffn": "encoder.layers.{i}.ff",
    "decoder.layers.{i}.ffn": "decoder.layers.{i}.ff",
    "output": "out",
}  # fmt: skip
NN_TRANSFORMER = {
    "source_embedding": "src_tok_emb.embedding", "target_embedding": "tgt_tok_emb.embedding",
    "source_positions": "positional_encoding.pos_embedding", "target_positions": "positional_encoding.pos_embedding",
    "encoder": "transformer.encoder", "decoder": "transformer.decoder",
    "encoder.layers.{i}": "transformer.encoder.layers.{i}", "decoder.layers.{i}": "transformer.decoder.layers.{i}",
    "encoder.layers.{i}.self": "transformer.encoder.layers.{i}.self_attn",
    "decoder.layers.{i}.self": "transformer.decoder.layers.{i}.self_attn",
    "decoder.layers.{i}.cross": "transformer.decoder.layers.{i}.multihead_attn",
    "encoder.layers.{i}.self.norm": "transformer.encoder.layers.{i}.norm1",
    "encoder.layers.{i}.ffn.norm": "transformer.encoder.layers.{i}.norm2",
    "decoder.layers.{i}.self.norm": "transformer.decoder.layers.{i}.norm1",
    "decoder.layers.{i}.cross.norm": "transformer.decoder.layers.{i}.norm2",
    "decoder.layers.{i}.ffn.norm": "transformer.decoder.layers.{i}.norm3",
    "encoder.layers.{i}.ffn": "transformer.encoder.layers.{i}",
    "decoder.layers.{i}.ffn": "transformer.decoder.layers.{i}",
    "output": "generator",
}  # fmt: skip
FC_Q = {
    "source_embedding": "encoder.tok_embedding", "target_embedding": "decoder.tok_embedding",
    "source_positions": "encoder.pos_embedding.weight", "target_positions": "decoder.pos_embedding.weight",
    "encoder.layers.{i}.self": "encoder.layers.{i}.self_attention",
    "decoder.layers.{i}.self": "decoder.layers.{i}.self_attention",
    "decoder.layers.{i}.cross": "decoder.layers.{i}.encoder_attention",
    "encoder.layers.{i}.self.norm": "encoder.layers.{i}.self_attn_layer_norm",
    "encoder.layers.{i}.ffn.norm": "encoder.layers.{i}.ff_layer_norm",
    "decoder.layers.{i}.self.norm": "decoder.layers.{i}.self_attn_layer_norm",
    "decoder.layers.{i}.cross.norm": "decoder.layers.{i}.enc_attn_layer_norm",
    "decoder.layers.{i}.ffn.norm": "decoder.layers.{i}.ff_layer_norm",
    "encoder.layers.{i}.ffn": "encoder.layers.{i}.positionwise_feedforward",
    "decoder.layers.{i}.ffn": "decoder.layers.{i}.positionwise_feedforward",
    "output": "decoder.fc_out",
}  # fmt: skip
W_CONCAT = {
    "source_embedding": "encoder.emb.tok_emb", "target_embedding": "decoder.emb.tok_emb",
    "source_positions": "encoder.emb.pos_emb.encoding", "target_positions": "decoder.emb.pos_emb.encoding",
    "encoder.layers.{i}.self": "encoder.layers.{i}.attention",
    "decoder.layers.{i}.self": "decoder.layers.{i}.self_attention",
    "decoder.layers.{i}.cross": "decoder.layers.{i}.enc_dec_attention",
    "encoder.layers.{i}.self.norm": "encoder.layers.{i}.norm1",
    "encoder.layers.{i}.ffn.norm": "encoder.layers.{i}.norm2",
    "decoder.layers.{i}.self.norm": "decoder.layers.{i}.norm1",
    "decoder.layers.{i}.cross.norm": "decoder.layers.{i}.norm2",
    "decoder.layers.{i}.ffn.norm": "decoder.layers.{i}.norm3",
    "output": "decoder.linear",
}  # fmt: skip
W_QS = {
    "source_embedding": "encoder.src_word_emb", "target_embedding": "decoder.trg_word_emb",
    "source_positions": "encoder.position_enc.pos_table", "target_positions": "decoder.position_enc.pos_table",
    "encoder.embedding_norm": "encoder.layer_norm", "decoder.embedding_norm": "decoder.layer_norm",
    "encoder.layers.{i}": "encoder.layer_stack.{i}", "decoder.layers.{i}": "decoder.layer_stack.{i}",
    "encoder.layers.{i}.self": "encoder.layer_stack.{i}.slf_attn",
    "decoder.layers.{i}.self": "decoder.layer_stack.{i}.slf_attn",
    "decoder.layers.{i}.cross": "decoder.layer_stack.{i}.enc_attn",
    "encoder.layers.{i}.self.norm": "encoder.layer_stack.{i}.slf_attn.layer_norm",
    "encoder.layers.{i}.ffn.norm": "encoder.layer_stack.{i}.pos_ffn.layer_norm",
    "decoder.layers.{i}.self.norm": "decoder.layer_stack.{i}.slf_attn.layer_norm",
    "decoder.layers.{i}.cross.norm": "decoder.layer_stack.{i}.enc_attn.layer_norm",
    "decoder.layers.{i}.ffn.norm": "decoder.layer_stack.{i}.pos_ffn.layer_norm",
    "encoder.layers.{i}.ffn": "encoder.layer_stack.{i}.pos_ffn",
    "decoder.layers.{i}.ffn": "decoder.layer_stack.{i}.pos_ffn",
    "output": "trg_word_prj",
}  # fmt: skip
MODULES = {"annotated": ANNOTATED, "q_linear": Q_LINEAR, "nn.Transformer": NN_TRANSFORMER, "fc_q": FC_Q,
           "w_concat": W_CONCAT, "w_qs": W_QS}  # fmt: skip

# Query, key, value and output of attention; in and out of the feed-forward; scale
# and shift of a norm.
LEAVES = {
    "annotated": ("linears.0 linears.1 linears.2 linears.3", "w_1 w_2", "a_2 b_2"),
    "q_linear": ("q_linear k_linear v_linear out", "linear_1 linear_2", "alpha bias"),
    "nn.Transformer": ("query key value out_proj", "linear1 linear2", "weight bias"),
    "fc_q": ("fc_q fc_k fc_v fc_o", "fc_1 fc_2", "weight bias"),
    "w_concat": ("w_q w_k w_v w_concat", "linear1 linear2", "gamma beta"),
    "w_qs": ("w_qs w_ks w_vs fc", "w_1 w_2", "weight bias"),
}


def module_of(preset, name):
    """Returns the tutorial's name of a module or weight."""
    layer = re.search(r"\.layers\.(\d+)", name)
    pattern = re.sub(r"\.layers\.\d+", ".layers.{i}", name)
    for ours, theirs in sorted(MODULES[preset].items(), key=lambda pair: -len(pair[0])):
        if pattern == ours or pattern.startswith(ours + "."):
            return theirs.replace("{i}", layer[1] if layer else "") + pattern[len(ours) :]
    return name


def rename(preset, name):
    """Converts one of dragoman's names to the tutorial's."""
    attention, ffn, norm = (leaves.split() for leaves in LEAVES[preset])
    path, _, leaf = name.rpartition(".")
    parent, _, part = path.rpartition(".")
    if parent and part in ("query", "key", "value", "output"):
        return f"{module_of(preset, parent)}.{attention[('query', 'key', 'value', 'output').index(part)]}.{leaf}"
    if part in ("in", "out"):
        return f"{module_of(preset, parent)}.{ffn[('in', 'out').index(part)]}.{leaf}"
    if part in ("norm", "embedding_norm"):
        return f"{module_of(preset, path)}.{norm[('weight', 'bias').index(leaf)]}"
    return module_of(preset, name)


def state_dict(preset, weights):
    """Returns the tutorial's state dict."""
    state = {rename(preset, name): value for name, value in weights.items()}
    if preset != "nn.Transformer":
        return state
    for name in [n for n in state if re.search(r"(self_attn|multihead_attn)\.query\.", n)]:
        parts = [state.pop(name.replace(".query.", f".{part}.")) for part in ("query", "key", "value")]
        state[re.sub(r"\.query\.", ".in_proj_", name)] = torch.cat(parts)
    return state
