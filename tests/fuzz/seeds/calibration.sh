# shellcheck shell=bash disable=SC2154
alignment='"alignment": {"layer": 2, "head": 3, "shift": 0, "agreement": 0.8123, "pairs": 1000}'
weights='"weights": {"mean": 1.5, "minimum": 0.1, "deviation": -0.25, "margin": 2, "entropy": -1e-3}'
seed '{"dragoman_calibration": 1, "model": "0123456789abcdef", %s, "confidence": {%s, "bias": 0.5, "pairs": 10, "good": 4}}' "$alignment" "$weights"
seed '{"dragoman_calibration": 1, "model": "0123456789abcdef", %s, "confidence": null}' "${alignment/3/null}"
seed '{"dragoman_calibration": 2}'
