# shellcheck shell=bash disable=SC2154
files "$golden"/marian_nmt/student*/*.yml "$golden"/marian_nmt/rms/*.yml
seed 'a: 1\nb: [x, "y", {z: ~}]\nc:\n  - 1e3\n  - true\n  - -.5\n'
seed '%%YAML 1.1\n---\n? a\n: b\n# comment\n"\\u00e9\\x41": |\n  text\n  more\nd: >-\n  folded\n...\n'
seed 'a: &x 1\nb: *x\n'
seed '{"a": [[[[1]]]], "b": !!str 5}'
seed '\377\376a\000:\000 \0001\000'
