# shellcheck shell=bash disable=SC2154
# One folder for each family; the models are recipes (sp_recipe.h).
pieces='12_the
13_
14_a
14h
14o
14u
14s
14e
13ouse'
sentencepiece="U
31<s>
31</s>
$pieces"
text='==> text
the house  oé a <unk> </s> bridge is 2'

# folder WORDS: adds a folder of the files on standard input.
folder() { seed '%s\n%s\n%s' "$1" "$(cat)" "$text"; }

folder 'marian - de' <<E
==> config.json
{"model_type":"marian"}
==> tokenizer_config.json
{"source_lang":"eng","target_lang":"mul","separate_vocabs":true,"unk_token":"<unk>","model_max_length":512}
==> vocab.json
{"</s>":0,"<unk>":1,"▁the":2,"▁":3,"o":4,">>deu<<":5,">>fra_Latn<<":6,"h":7,"s":8,"<pad>":9}
==> target_vocab.json
{"</s>":0,"<unk>":1,"▁a":2,"▁":3,"o":4,"u":5,"<pad>":9}
==> source.spm
U
31</s>
$pieces
==> target.spm
Bb
31</s>
1:_
1:a
1:o
1;_a
E
folder 'm2m_100 en __de__' <<E
==> config.json
{"model_type":"m2m_100"}
==> tokenizer_config.json
{"tokenizer_class":"M2M100Tokenizer","language_codes":"m2m100","additional_special_tokens":["__en__","__de__"],"src_lang":"en"}
==> vocab.json
{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"▁the":4,"▁":5,"o":6,"h":7,"ouse":8}
==> sentencepiece.bpe.model
B
31<s>
31</s>
$pieces
E
folder 'm2m_100 eng_Latn deu_Latn' <<E
==> config.json
{"model_type":"m2m_100"}
==> tokenizer_config.json
{"tokenizer_class":"NllbTokenizer","legacy_behaviour":true,"additional_special_tokens":["deu_Latn","eng_Latn"]}
==> added_tokens.json
{"deu_Latn":14,"eng_Latn":15,"<mask>":16}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 'seamless_m4t_v2 eng zh-Hant' <<E
==> tokenizer_config.json
{"tokenizer_class":"SeamlessM4TTokenizer","additional_special_tokens":["__eng__","__cmn_Hant__"],"add_prefix_space":true}
==> generation_config.json
{"text_decoder_lang_to_code_id":{"eng":15,"cmn_Hant":16}}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 't5 - -' <<E
==> tokenizer_config.json
{"tokenizer_class":"RobertaTokenizer","additional_special_tokens":[{"content":"<extra_id_0>","lstrip":true}]}
==> vocab.json
{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"t":4,"h":5,"th":6,"Ġ":7,"o":8}
==> merges.txt
#version: 0.2
t h
E
folder 'mbart en_XX de' <<E
==> config.json
{"model_type":"mbart","vocab_size":40}
==> tokenizer_config.json
{"tokenizer_class":"MBart50Tokenizer","added_tokens_decoder":{"14":{"content":"bridge","special":false,"lstrip":true,"rstrip":true,"single_word":true},"15":{"content":"de_DE","special":true}}}
==> special_tokens_map.json
{"additional_special_tokens":["en_XX","de_DE",{"content":"fr_XX"}],"mask_token":{"content":"<mask>","lstrip":true}}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 'mbart - -' <<E
==> config.json
{"model_type":"mbart"}
==> tokenizer_config.json
{"tokenizer_class":"MBartTokenizer"}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 'bart - -' <<E
==> config.json
{"model_type":"bart"}
==> tokenizer_config.json
{"tokenizer_class":"BarthezTokenizer"}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 't5 en German' <<E
==> config.json
{"model_type":"t5","vocab_size":40,"task_specific_params":{"translation_en_to_de":{"prefix":"translate English to German: "}}}
==> tokenizer_config.json
{"tokenizer_class":"T5Tokenizer","extra_ids":3,"legacy":false}
==> spiece.model
$sentencepiece
E
folder 't5 - fr' <<E
==> config.json
{"model_type":"t5"}
==> tokenizer_config.json
{"tokenizer_class":"T5Tokenizer","extra_ids":0,"additional_special_tokens":["<2de>","<2fr>"]}
==> spiece.model
Ub
31</s>
41<2de>
41<2fr>
$pieces
E
# An empty model.
folder 't5 - -' <<E
==> config.json
{"model_type":"t5"}
==> spiece.model
E
folder 'transformer - -' <<E
==> config.json
{"model_type":"transformer","start_id":1,"end_id":2,"unk_id":3,"pad_id":0,"source_start":false}
==> vocab.txt
<pad>
<s>
</s>
<unk>
the
house
E
folder 'transformer - -' <<E
==> config.json
{"model_type":"transformer","start_id":1,"end_id":2,"unk_id":0,"source_unk_id":0,"source_vocab":"a.spm","target_vocab":"b.spm"}
==> a.spm
$sentencepiece
==> b.spm
C
31<s>
31</s>
$pieces
E
folder 'mbart - -' <<E
==> config.json
{"model_type":"mbart"}
==> tokenizer_config.json
{"tokenizer_class":"XLMRobertaTokenizer"}
==> tokenizer.json
{"version":"1.0","added_tokens":[{"id":0,"content":"<s>","special":true},{"id":8,"content":"bridge","special":false}],"normalizer":{"type":"Sequence","normalizers":[{"type":"Nmt"},{"type":"NFKC"},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]}}},"decoder":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},"model":{"type":"Unigram","unk_id":3,"vocab":[["<s>",0],["<pad>",0],["</s>",0],["<unk>",0],["▁the",-2],["▁",-3],["o",-4],["h",-4]],"byte_fallback":false}}
E
folder 't5 - -' <<E
==> config.json
{"model_type":"t5","vocab_size":12}
==> tokenizer_config.json
{"tokenizer_class":"T5TokenizerFast"}
==> tokenizer.json
{"added_tokens":[{"id":0,"content":"<pad>","special":true},{"id":1,"content":"</s>","special":true},{"id":2,"content":"<unk>","special":true}],"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},{"type":"Replace","pattern":{"String":" "},"content":"▁"}]},"pre_tokenizer":null,"post_processor":null,"decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"BPE","unk_token":"<unk>","fuse_unk":true,"byte_fallback":false,"vocab":{"<pad>":0,"</s>":1,"<unk>":2,"▁":3,"t":4,"h":5,"e":6,"th":7,"the":8,"▁the":9},"merges":["t h","th e","▁ the"]}}
E
folder 'm2m_100 de sw' <<E
==> config.json
{"model_type":"m2m_100"}
==> tokenizer_config.json
{"tokenizer_class":"M2M100Tokenizer","name_or_path":"x/small100"}
==> vocab.json
{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"▁the":4,"▁":5}
==> sentencepiece.bpe.model
$sentencepiece
E
folder 'ctranslate2 - de' <<E
==> config.json
{"add_source_eos":true,"add_source_bos":false,"bos_token":"<s>","eos_token":"</s>","unk_token":"<unk>","decoder_start_token":"</s>"}
==> shared_vocabulary.txt
<unk>
<s>
</s>
▁the
▁
h
o
>>deu<<
==> source.spm
$sentencepiece
==> target.spm
$sentencepiece
==> preprocess.sh
replace-unicode-punctuation.perl | remove-non-printing-char.perl | normalize-punctuation.perl -l en | spm_encode
E
folder 'ctranslate2 - -' <<E
==> config.json
{"add_source_eos":false}
==> source_vocabulary.json
["<unk>","<s>","</s>","the","house"]
==> target_vocabulary.json
["<unk>","<s>","</s>","das","Haus"]
==> metadata.json
{"from_code":"en","to_code":"de"}
E
