/* json_parts.h - builds a small tokenizer.json from parts, for its tests. */
#ifndef DRAGOMAN_JSON_PARTS_H
#define DRAGOMAN_JSON_PARTS_H

#include "test_support.h"

#include "sp_support.h"
#include "tokenizer_json.h"

#define NAME "dir/tokenizer.json"
#define SP   "\xe2\x96\x81" /* U+2581 */

/* The parts of a file, with ' in place of "; NULL stands for the default of the part. */
typedef struct {
    const char *added, *normalizer, *pre, *post, *decoder, *model;
} Parts;

#define ADDED     "{'id':0,'content':'<unk>','special':true},{'id':1,'content':'</s>','special':true}"
#define JOINS     "{'type':'Replace','pattern':{'Regex':' {2,}'},'content':' '}"
#define METASPACE "{'type':'Metaspace','replacement':'" SP "','prepend_scheme':'always','split':true}"
#define ESCAPES   "{'type':'Replace','pattern':{'String':' '},'content':'" SP "'}"
#define PREPENDS  "{'type':'Prepend','prepend':'" SP "'}"
#define LLAMA     "{'type':'Sequence','normalizers':[" PREPENDS "," ESCAPES "]}"
#define UNIGRAM                                                                                                        \
    "{'type':'Unigram','unk_id':0,'vocab':[['<unk>',0.0],['</s>',0.0],['" SP "',-1.0],['a',-2.0],"                     \
    "['b',-3.0],['ab',-4.0],['" SP "ab',-4.5]]}"
#define BPE(merges)                                                                                                    \
    "{'type':'BPE','unk_token':'<unk>','fuse_unk':true,'vocab':{'<unk>':0,'</s>':1,'ab':2,'bc':3,"                     \
    "'abc':4,'a':5,'b':6,'c':7,'" SP "':8},'merges':[" merges "]}"

static inline char *make_file(Parts parts)
{
    return support_quoted(
        support_format("{'version':'1.0','truncation':null,'padding':null,'added_tokens':[%s],'normalizer':%s,"
                       "'pre_tokenizer':%s,'post_processor':%s,'decoder':%s,'model':%s}",
                       parts.added ? parts.added : ADDED, parts.normalizer ? parts.normalizer : JOINS,
                       parts.pre ? parts.pre : METASPACE, parts.post ? parts.post : "null",
                       parts.decoder ? parts.decoder : METASPACE, parts.model ? parts.model : UNIGRAM));
}

static inline Status open_text(TokenizerJson *out, const char *text, Err *err)
{
    const FileView file = { .path = NAME, .map = { .data = (const unsigned char *)text, .size = strlen(text) } };

    return tokenizer_json_open(out, &file, err);
}

static inline TokenizerJson open_parts(Parts parts)
{
    char *file = make_file(parts);
    TokenizerJson json;
    Err err;

    assert_ok(open_text(&json, file, &err), &err);
    free(file);
    return json;
}

static inline void check_parts(Parts parts, const char *text, const char *pieces)
{
    TokenizerJson json = open_parts(parts);

    sp_support_check_encode(json.sp, text, pieces);
    tokenizer_json_free(&json);
}

static inline void check_refused(Parts parts, Status status, const char *message)
{
    char *file = make_file(parts), *wanted = support_quoted(support_format("%s: %s", NAME, message));
    TokenizerJson json;
    Err err;

    assert_fails(open_text(&json, file, &err), status, &err, wanted);
    tokenizer_json_free(&json);
    free(file);
    free(wanted);
}

#define TEMPLATE(single, tokens)                                                                                       \
    "{'type':'TemplateProcessing','single':[" single "],'pair':[],'special_tokens':{" tokens "}}"
#define TEXT  "{'Sequence':{'id':'A','type_id':0}}"
#define END   "{'SpecialToken':{'id':'</s>','type_id':0}}"
#define ENDS  "'</s>':{'id':'</s>','ids':[1],'tokens':['</s>']}"
#define LANG  "{'SpecialToken':{'id':'de','type_id':0}}"
#define LANGS "'de':{'id':'de','ids':[9,3],'tokens':['de_DE','a']}"

#endif
