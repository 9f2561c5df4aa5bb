# shellcheck shell=bash disable=SC2154
seed '{"metadata": {"total_size": 20}, "weight_map": {"a": "one.safetensors", "b": "two.safetensors", "c": "two.safetensors"}}'
seed '{"weight_map": {"a": "one.safetensors"}}'
seed '{"weight_map": {"a": "../outside.safetensors"}}'
seed '{"weight_map": {"a": "three.safetensors"}}'
seed '{"weight_map": {"a": "two.safetensors"}}'
seed '{"weight_map": {"a": 1, "b": null}}'
