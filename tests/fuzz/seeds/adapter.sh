# shellcheck shell=bash disable=SC2154
# The header of adapter_model.safetensors follows adapter_config.json after a byte 0x01.
of='base_model.model.q.lora_' shared='base_model.model.model.shared.lora_embedding_'
tensors='{"'$of'A.weight":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},"'$of'B.weight":{"dtype":"F32","shape":[8,2],"data_offsets":[32,96]},"'$shared'A":{"dtype":"F16","shape":[2,6],"data_offsets":[96,120]},"'$shared'B":{"dtype":"F32","shape":[4,2],"data_offsets":[120,152]},"base_model.model.q.base_layer.bias":{"dtype":"F32","shape":[8],"data_offsets":[152,184]},"'$of'B.bias":{"dtype":"F32","shape":[8],"data_offsets":[184,216]},"base_model.model.rest":{"dtype":"F16","shape":[20],"data_offsets":[216,256]}}'
saved='{"lm_head.weight":{"dtype":"F32","shape":[6,4],"data_offsets":[0,96]},"model.encoder.embed_tokens.weight":{"dtype":"F32","shape":[6,4],"data_offsets":[96,192]},"q.weight":{"dtype":"BF16","shape":[8,4],"data_offsets":[192,256]}}'
seed '{"peft_type": "LORA", "r": 2, "lora_alpha": 4, "use_rslora": true, "lora_bias": true, "bias": "all"}\001%s' "$tensors"
seed '{"peft_type": "LORA", "r": 8, "rank_pattern": {"q": 2, "sh.*d": 2}, "alpha_pattern": {"^model\\\\.(shared|q)": 1.5}}\001%s' "$tensors"
seed '{"peft_type": "LORA", "modules_to_save": ["lm_head", "encoder.embed_tokens"]}\001%s' "$saved"
seed '{"peft_type": "LORA", "modules_to_save": null, "target_modules": "all-linear"}\001%s' "$saved"
seed '{"peft_type": "IA3"}'
seed '{"peft_type": "LORA", "layer_replication": [[0, 1]], "init_lora_weights": "pissa"}'
