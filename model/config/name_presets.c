/* name_presets.c - see name_presets.h. The presets follow the tutorials' own code:
 *   annotated        The Annotated Transformer (harvardnlp/annotated-transformer)
 *   q_linear         "How to code The Transformer" (SamLynnEvans/Transformer)
 *   nn.Transformer   "Language Translation with nn.Transformer" (pytorch/tutorials)
 *   fc_q             "Attention is All You Need" (bentrevett/pytorch-seq2seq)
 *   w_concat         hyunwoongko/transformer
 *   w_qs             jadore801120/attention-is-all-you-need-pytorch */
#include "name_presets.h"

#include <string.h>

/* The four linear layers of an attention, and the weights of its score function. */
#define ATTENTION(ours, module, q, k, v, o)                                                                            \
    { ours ".query", module q }, { ours ".key", module k }, { ours ".value", module v }, { ours ".output", module o }, \
    {                                                                                                                  \
        ours ".score", module ".score"                                                                                 \
    }
#define FEED_FORWARD(ours, in, out)                                                                                    \
    { ours ".in", in },                                                                                                \
    {                                                                                                                  \
        ours ".out", out                                                                                               \
    }

#define ENCODER "encoder.layers.{i}"
#define DECODER "decoder.layers.{i}"

#define LINEARS(ours, module) ATTENTION(ours, module, ".linears.0", ".linears.1", ".linears.2", ".linears.3")

static const NamePair annotated[] = {
    { "source_embedding", "src_embed.0.lut" },
    { "target_embedding", "tgt_embed.0.lut" },
    { "source_positions", "src_embed.1.pe" },
    { "target_positions", "tgt_embed.1.pe" },
    LINEARS(ENCODER ".self", ENCODER ".self_attn"),
    { ENCODER ".self.norm", ENCODER ".sublayer.0.norm" },
    FEED_FORWARD(ENCODER ".ffn", ENCODER ".feed_forward.w_1", ENCODER ".feed_forward.w_2"),
    { ENCODER ".ffn.norm", ENCODER ".sublayer.1.norm" },
    LINEARS(DECODER ".self", DECODER ".self_attn"),
    { DECODER ".self.norm", DECODER ".sublayer.0.norm" },
    LINEARS(DECODER ".cross", DECODER ".src_attn"),
    { DECODER ".cross.norm", DECODER ".sublayer.1.norm" },
    FEED_FORWARD(DECODER ".ffn", DECODER ".feed_forward.w_1", DECODER ".feed_forward.w_2"),
    { DECODER ".ffn.norm", DECODER ".sublayer.2.norm" },
    { "output", "generator.proj" },
    { NULL, NULL },
};

#define Q_LINEAR(ours, module) ATTENTION(ours, module, ".q_linear", ".k_linear", ".v_linear", ".out")

static const NamePair q_linear[] = {
    { "source_embedding", "encoder.embed.embed" },
    { "target_embedding", "decoder.embed.embed" },
    { "source_positions", "encoder.pe.pe" },
    { "target_positions", "decoder.pe.pe" },
    Q_LINEAR(ENCODER ".self", ENCODER ".attn"),
    { ENCODER ".self.norm", ENCODER ".norm_1" },
    FEED_FORWARD(ENCODER ".ffn", ENCODER ".ff.linear_1", ENCODER ".ff.linear_2"),
    { ENCODER ".ffn.norm", ENCODER ".norm_2" },
    Q_LINEAR(DECODER ".self", DECODER ".attn_1"),
    { DECODER ".self.norm", DECODER ".norm_1" },
    Q_LINEAR(DECODER ".cross", DECODER ".attn_2"),
    { DECODER ".cross.norm", DECODER ".norm_2" },
    FEED_FORWARD(DECODER ".ffn", DECODER ".ff.linear_1", DECODER ".ff.linear_2"),
    { DECODER ".ffn.norm", DECODER ".norm_3" },
    { "output", "out" },
    { NULL, NULL },
};

/* PyTorch's own module stores query, key and value as one matrix. */
#define IN_PROJ(ours, module)                                                                                          \
    { ours ".query.weight", module ".in_proj_weight[0/3]" }, { ours ".query.bias", module ".in_proj_bias[0/3]" },      \
        { ours ".key.weight", module ".in_proj_weight[1/3]" }, { ours ".key.bias", module ".in_proj_bias[1/3]" },      \
        { ours ".value.weight", module ".in_proj_weight[2/3]" }, { ours ".value.bias", module ".in_proj_bias[2/3]" },  \
        { ours ".output", module ".out_proj" },                                                                        \
    {                                                                                                                  \
        ours ".score", module ".score"                                                                                 \
    }
#define TRANSFORMER "transformer."

static const NamePair nn_transformer[] = {
    { "source_embedding", "src_tok_emb.embedding" },
    { "target_embedding", "tgt_tok_emb.embedding" },
    { "source_positions", "positional_encoding.pos_embedding" },
    { "target_positions", "positional_encoding.pos_embedding" },
    IN_PROJ(ENCODER ".self", TRANSFORMER ENCODER ".self_attn"),
    { ENCODER ".self.norm", TRANSFORMER ENCODER ".norm1" },
    FEED_FORWARD(ENCODER ".ffn", TRANSFORMER ENCODER ".linear1", TRANSFORMER ENCODER ".linear2"),
    { ENCODER ".ffn.norm", TRANSFORMER ENCODER ".norm2" },
    { "encoder", "transformer.encoder" },
    IN_PROJ(DECODER ".self", TRANSFORMER DECODER ".self_attn"),
    { DECODER ".self.norm", TRANSFORMER DECODER ".norm1" },
    IN_PROJ(DECODER ".cross", TRANSFORMER DECODER ".multihead_attn"),
    { DECODER ".cross.norm", TRANSFORMER DECODER ".norm2" },
    FEED_FORWARD(DECODER ".ffn", TRANSFORMER DECODER ".linear1", TRANSFORMER DECODER ".linear2"),
    { DECODER ".ffn.norm", TRANSFORMER DECODER ".norm3" },
    { "decoder", "transformer.decoder" },
    { "output", "generator" },
    { NULL, NULL },
};

#define FC_Q(ours, module) ATTENTION(ours, module, ".fc_q", ".fc_k", ".fc_v", ".fc_o")

static const NamePair fc_q[] = {
    { "source_embedding", "encoder.tok_embedding" },
    { "target_embedding", "decoder.tok_embedding" },
    { "source_positions", "encoder.pos_embedding.weight" },
    { "target_positions", "decoder.pos_embedding.weight" },
    FC_Q(ENCODER ".self", ENCODER ".self_attention"),
    { ENCODER ".self.norm", ENCODER ".self_attn_layer_norm" },
    FEED_FORWARD(ENCODER ".ffn", ENCODER ".positionwise_feedforward.fc_1", ENCODER ".positionwise_feedforward.fc_2"),
    { ENCODER ".ffn.norm", ENCODER ".ff_layer_norm" },
    FC_Q(DECODER ".self", DECODER ".self_attention"),
    { DECODER ".self.norm", DECODER ".self_attn_layer_norm" },
    FC_Q(DECODER ".cross", DECODER ".encoder_attention"),
    { DECODER ".cross.norm", DECODER ".enc_attn_layer_norm" },
    FEED_FORWARD(DECODER ".ffn", DECODER ".positionwise_feedforward.fc_1", DECODER ".positionwise_feedforward.fc_2"),
    { DECODER ".ffn.norm", DECODER ".ff_layer_norm" },
    { "output", "decoder.fc_out" },
    { NULL, NULL },
};

#define W_CONCAT(ours, module) ATTENTION(ours, module, ".w_q", ".w_k", ".w_v", ".w_concat")

static const NamePair w_concat[] = {
    { "source_embedding", "encoder.emb.tok_emb" },
    { "target_embedding", "decoder.emb.tok_emb" },
    { "source_positions", "encoder.emb.pos_emb.encoding" },
    { "target_positions", "decoder.emb.pos_emb.encoding" },
    W_CONCAT(ENCODER ".self", ENCODER ".attention"),
    { ENCODER ".self.norm", ENCODER ".norm1" },
    FEED_FORWARD(ENCODER ".ffn", ENCODER ".ffn.linear1", ENCODER ".ffn.linear2"),
    { ENCODER ".ffn.norm", ENCODER ".norm2" },
    W_CONCAT(DECODER ".self", DECODER ".self_attention"),
    { DECODER ".self.norm", DECODER ".norm1" },
    W_CONCAT(DECODER ".cross", DECODER ".enc_dec_attention"),
    { DECODER ".cross.norm", DECODER ".norm2" },
    FEED_FORWARD(DECODER ".ffn", DECODER ".ffn.linear1", DECODER ".ffn.linear2"),
    { DECODER ".ffn.norm", DECODER ".norm3" },
    { "output", "decoder.linear" },
    { NULL, NULL },
};

#define W_QS(ours, module) ATTENTION(ours, module, ".w_qs", ".w_ks", ".w_vs", ".fc")
#define ENCODER_STACK      "encoder.layer_stack.{i}"
#define DECODER_STACK      "decoder.layer_stack.{i}"

/* In some versions the norm of the embedded tokens was the final norm. */
static const NamePair w_qs[] = {
    { "source_embedding", "encoder.src_word_emb" },
    { "target_embedding", "decoder.trg_word_emb" },
    { "source_positions", "encoder.position_enc.pos_table" },
    { "target_positions", "decoder.position_enc.pos_table" },
    { "encoder.embedding_norm", "encoder.layer_norm" },
    { "decoder.embedding_norm", "decoder.layer_norm" },
    { "encoder.norm", "encoder.layer_norm" },
    { "decoder.norm", "decoder.layer_norm" },
    W_QS(ENCODER ".self", ENCODER_STACK ".slf_attn"),
    { ENCODER ".self.norm", ENCODER_STACK ".slf_attn.layer_norm" },
    FEED_FORWARD(ENCODER ".ffn", ENCODER_STACK ".pos_ffn.w_1", ENCODER_STACK ".pos_ffn.w_2"),
    { ENCODER ".ffn.norm", ENCODER_STACK ".pos_ffn.layer_norm" },
    W_QS(DECODER ".self", DECODER_STACK ".slf_attn"),
    { DECODER ".self.norm", DECODER_STACK ".slf_attn.layer_norm" },
    W_QS(DECODER ".cross", DECODER_STACK ".enc_attn"),
    { DECODER ".cross.norm", DECODER_STACK ".enc_attn.layer_norm" },
    FEED_FORWARD(DECODER ".ffn", DECODER_STACK ".pos_ffn.w_1", DECODER_STACK ".pos_ffn.w_2"),
    { DECODER ".ffn.norm", DECODER_STACK ".pos_ffn.layer_norm" },
    { "output", "trg_word_prj" },
    { NULL, NULL },
};

static const NamePreset presets[] = {
    { "annotated", annotated, ".a_2", ".b_2", true, NORM_STD, 1e-6f, true, false, "interleaved", 5000, true, true,
      true },
    { "q_linear", q_linear, ".alpha", ".bias", true, NORM_STD, 1e-6f, true, false, "two_exponent", 200, true, true,
      true },
    { "nn.Transformer", nn_transformer, ".weight", ".bias", false, NORM_LAYER, 1e-5f, true, false, "interleaved", 5000,
      true, true, true },
    { "fc_q", fc_q, ".weight", ".bias", false, NORM_LAYER, 1e-5f, false, false, "learned", 100, true, true, true },
    { "w_concat", w_concat, ".gamma", ".beta", false, NORM_LAYER, 1e-12f, false, false, "interleaved", 256, false, true,
      true },
    { "w_qs", w_qs, ".weight", ".bias", false, NORM_LAYER, 1e-6f, false, true, "interleaved", 200, false, false,
      false },
};

#define PRESETS (sizeof presets / sizeof *presets)

const NamePreset *name_preset_find(const char *name)
{
    for (size_t i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}

Status name_preset_list(Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < PRESETS; i++)
        st = buf_append_format(out, err, "%s\"%s\"", i ? ", " : "", presets[i].name);
    return st;
}
