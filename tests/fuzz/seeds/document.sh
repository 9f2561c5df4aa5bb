# shellcheck shell=bash disable=SC2154
files "$golden/documents/$variant"/*
