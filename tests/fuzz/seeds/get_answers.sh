# shellcheck shell=bash disable=SC2154
sha1=0123456789012345678901234567890123456789
sha256=${sha1}abcdefabcdefabcdefabcdef
entry='{"rfilename":"%s","size":5,"blobId":"'$sha1'"}'
large='{"rfilename":"%s","lfs":{"sha256":"'$sha256'","size":9}}'
seed "H{\"sha\":\"$sha1\",\"siblings\":[$entry,$large,$entry]}" config.json model.safetensors onnx/model.json
seed "H{\"sha\":\"$sha1\",\"siblings\":[$entry,$large,$large]}\\001%s" model.safetensors.index.json a-1.safetensors \
    b-2.safetensors '{"weight_map":{"x":"a-1.safetensors","y":"b-2.safetensors"}}'
seed "H{\"sha\":\"$sha1\",\"siblings\":[$entry]}" ../x
seed 'A[{"type":"translate","from_code":"en","to_code":"de","package_version":"1.9","links":["https://x/a"]},{"from_code":"en","to_code":"de","package_version":"1.10"}]'
record='{"fromLang":"en","toLang":"de","version":"%s","fileType":"%s","attachment":{"filename":"%s","hash":"'$sha256'","size":7,"location":"a/b"}}'
seed "F{\"data\":[$record,$record,$record]}" 2.10 model model.bin 2.9 model model.bin 2.10 lex lex.bin
