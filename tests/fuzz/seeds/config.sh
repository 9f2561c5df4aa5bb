# shellcheck shell=bash disable=SC2154
# generation_config.json follows config.json after a byte 0x01.
for folder in "$golden"/families/* "$golden"/marian/* "$golden"/transformers/*; do
    [[ -f $folder/config.json ]] || continue
    if [[ -f $folder/generation_config.json ]]; then
        seed '%s\001%s' "$(<"$folder/config.json")" "$(<"$folder/generation_config.json")"
    else
        files "$folder/config.json"
    fi
done
t5='{"model_type": "t5", "d_model": 8, "num_layers": 1, "num_heads": 2, "d_kv": 4, "d_ff": 8, "vocab_size": 32, "eos_token_id": 1, "pad_token_id": 0, "decoder_start_token_id": 0%s}'
seed "$t5\\001"'{"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5, "num_return_sequences": 2, "early_stopping": "never"}' ''
seed "$t5\\001"'{"sequence_bias": [[[3, 4], 1.5], [[5], -2], [[3, 4], 1]], "bad_words_ids": [[7], [8, 9]], "stop_strings": ["a", "bc"]}' ''
seed "$t5\\001"'{"exponential_decay_length_penalty": [3, 1.1], "do_sample": true, "top_k": 5, "typical_p": 0.5, "eta_cutoff": 0.1, "stop_strings": "x"}' ''
seed "$t5" ', "is_gated_act": true, "dense_act_fn": "silu", "feed_forward_proj": "gated-relu", "num_decoder_layers": 2'
seed "$t5" ', "_from_model_config": true, "forced_eos_token_id": [1, 2], "max_length": 5, "early_stopping": true, "suppress_tokens": [3]'
seed '{"model_type": "bart", "d_model": 8, "vocab_size": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8, "force_bos_token_to_be_generated": true, "bos_token_id": 3}'
seed '{"model_type": "fsmt"}'
seed '{"error": "Repository not found"}'
transformer='{"model_type": "transformer", "d_model": 8, "layers": 1, "heads": 2, "ffn": 8, "vocab_size": 32, "start_id": 1, "end_id": 2, %s}'
seed "$transformer" '"bias": {"attention": true, "ffn": false, "output": true, "norm": false}, "ignore_tensors": ["a", "b.c"], "head_size": 3'
seed "$transformer" '"attention_score": {"encoder": "additive", "decoder": {"function": "general", "window": "local-p", "width": 5}}, "tie": ["source", "target", "output"]'
seed "$transformer" '"weight_map": {"encoder.layers.{i}.self_attn.q_proj.weight": "enc.{i}.qkv[0/3]", "_comment": "x"}, "prefix": "model.", "names": "standard"'
