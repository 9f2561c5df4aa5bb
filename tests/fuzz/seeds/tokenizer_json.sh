# shellcheck shell=bash disable=SC2154
files "$golden"/tokenizer_json/*/tokenizer.json
