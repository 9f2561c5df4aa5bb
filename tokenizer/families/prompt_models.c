/* prompt_models.c - see prompt.h: the prompts of published translation models, as their model cards give them. */
#include "prompt.h"

/* --- The tokens of a conversation, as the chat templates of the models write them. --- */

static const PromptFrame hunyuan = { "<\xef\xbd\x9chy_User\xef\xbd\x9c>",
                                     "<\xef\xbd\x9chy_begin▁of▁sentence\xef\xbd\x9c><\xef\xbd\x9chy_User\xef\xbd\x9c>",
                                     "<\xef\xbd\x9chy_Assistant\xef\xbd\x9c>",
                                     "<\xef\xbd\x9chy_place▁holder▁no▁2\xef\xbd\x9c>" };
static const PromptFrame hunyuan_7b = { "<|extra_0|>", "<|startoftext|>", "<|extra_0|>", "<|eos|>" };
static const PromptFrame gemma = { "<start_of_turn>", "<bos><start_of_turn>user\n",
                                   "<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>" };
static const PromptFrame chatml = { "<|im_start|>", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n",
                                    "<|im_end|>" };
static const PromptFrame chatml_begin = { "<|im_start|>", "<s><|im_start|>user\n",
                                          "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>" };
static const PromptFrame chatml_system = { "<|im_start|>", "<s><|im_start|>system\n<|im_end|>\n<|im_start|>user\n",
                                           "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>" };
static const PromptFrame begin_only = { "<s>", "<s>", "", NULL };
static const PromptFrame begin_only_gemma = { "<bos>", "<bos>", "", NULL };

/* --- Texts. --- */

#define CHINESE_ORDER "将以下文本翻译为{target_language}，注意只需要输出翻译后的结果，不要额外解释：\n"
#define CHINESE_TERMS "参考下面的翻译：\n{terms}\n\n"
#define CHINESE_TERM  "{term} 翻译成 {translation}"
#define LABELLED      "{source_language}: {source}\n{target_language}:"

#define TRANSLATE_GEMMA                                                                                                \
    "You are a professional {source_language} ({source_code}) to {target_language} ({target_code}) translator. Your "  \
    "goal is to accurately convey the meaning and nuances of the original {source_language} text while adhering to "   \
    "{target_language} grammar, vocabulary, and cultural sensitivities.\nProduce only the {target_language} "          \
    "translation, without any additional explanations or commentary. Please translate the following "                  \
    "{source_language} text into {target_language}:\n\n\n{source}"

/* --- Languages. --- */

#define HUNYUAN_LANGUAGES                                                                                                              \
    "zh=Chinese=中文,en=English=英语,fr=French=法语,pt=Portuguese=葡萄牙语,es=Spanish=西班牙语,ja=Japanese=日语,"      \
    "tr=Turkish=土耳其语,ru=Russian=俄语,ar=Arabic=阿拉伯语,ko=Korean=韩语,th=Thai=泰语,it=Italian=意大利语,"        \
    "de=German=德语,vi=Vietnamese=越南语,ms=Malay=马来语,id=Indonesian=印尼语,tl=Filipino=菲律宾语,hi=Hindi=印地语," \
    "zh_Hant=Traditional Chinese=繁体中文,pl=Polish=波兰语,cs=Czech=捷克语,nl=Dutch=荷兰语,km=Khmer=高棉语,"           \
    "my=Burmese=缅甸语,fa=Persian=波斯语,gu=Gujarati=古吉拉特语,ur=Urdu=乌尔都语,te=Telugu=泰卢固语,"               \
    "mr=Marathi=马拉地语,he=Hebrew=希伯来语,bn=Bengali=孟加拉语,ta=Tamil=泰米尔语,uk=Ukrainian=乌克兰语,"          \
    "bo=Tibetan=藏语,kk=Kazakh=哈萨克语,mn=Mongolian=蒙古语,ug=Uyghur=维吾尔语,yue=Cantonese=粤语"
/* The 55 languages of WMT24++, on which TranslateGemma was trained and measured. */
#define GEMMA_LANGUAGES                                                                                                \
    "ar,bg,bn,ca,cs,da,de,el,en,es,et,fa,fi,fil=Filipino,fr,gu,he,hi,hr,hu,id,is,it,ja,kn,ko,lt,lv,ml,mr,nl,"          \
    "no=Norwegian,pa,pl,pt,pt_BR=Portuguese,pt_PT=Portuguese,ro,ru,sk,sl,sr,sv,sw,ta,te,th,tr,uk,ur,vi,zh=Chinese,"    \
    "zh_Hans=Chinese,zh_Hant=Chinese,zu"
#define SALAMANDRA_LANGUAGES                                                                                           \
    "an,ast,eu,bg,ca,hr,cs,da,nl,en,et,fi,fr,gl,de,el,hu,ga,it,lv,lt,mt,nb=Norwegian Bokmål,nn=Norwegian Nynorsk,oc," \
    "pl,pt,ro,ru,sr,sk,sl,es,sv,uk,cy"
#define EUROLLM_LANGUAGES                                                                                              \
    "bg,hr,cs,da,nl,en,et,fi,fr,de,el,hu,ga,it,lv,lt,mt,pl,pt,ro,sk,sl,es,sv,ar,ca,zh=Chinese,gl,hi,ja,ko,"            \
    "no=Norwegian,ru,tr,uk"
#define TOWER_LANGUAGES "en,de,fr,nl,it,es,pt,ko,ru,zh=Chinese"
#define TOWER_PLUS_LANGUAGES                                                                                           \
    "de,nl,is,es,fr,pt_PT=Portuguese (Portugal),uk,hi,zh_Hans=Chinese (Simplified),ru,cs,ko,ja,it,en,da,pl,hu,sv,"     \
    "no=Norwegian,ro,fi,pt_BR=Portuguese (Brazilian),zh_Hant=Chinese (Traditional)"
#define ALMA_LANGUAGES "en,cs,de,is,ru,zh=Chinese"
#define GEMMAX_LANGUAGES                                                                                               \
    "ar,bn,cs,de,en,es,fa,fr,he,hi,id,it,ja,km,ko,lo,ms,my,nl,pl,pt,ru,th,tl=Tagalog,tr,ur,vi,zh=Chinese"

/* The first row that fits is used. The sources are the cards on huggingface.co and, where named, the chat template. */
const PromptModel prompt_models[] = {
    /* tencent/Hunyuan-MT-7B */
    { .name = "hunyuan-mt",
      .types = "hunyuan_v1_dense",
      .marks = "Hunyuan-MT",
      .frames = { &hunyuan_7b, &hunyuan },
      .text = "Translate the following segment into {target_language}, without additional explanation.\n\n{source}",
      .chinese = "把下面的文本翻译成{target_language}，不要额外解释。\n\n{source}",
      .languages = HUNYUAN_LANGUAGES },
    /* tencent/HY-MT1.5-1.8B, HY-MT1.5-7B */
    { .name = "hy-mt1.5",
      .types = "hunyuan_v1_dense",
      .marks = "MT1.5",
      .frames = { &hunyuan, &hunyuan_7b },
      .text = "Translate the following segment into {target_language}, without additional explanation.\n\n{source}",
      .chinese = CHINESE_ORDER "\n{source}",
      .terms = CHINESE_TERMS CHINESE_ORDER "{source}",
      .chinese_terms = CHINESE_TERMS CHINESE_ORDER "{source}",
      .term = CHINESE_TERM,
      .languages = HUNYUAN_LANGUAGES },
    /* tencent/Hy-MT2-1.8B, Hy-MT2-7B */
    { .name = "hy-mt2",
      .types = "hunyuan_v1_dense",
      .frames = { &hunyuan, &hunyuan_7b },
      .text = "Translate the following text into {target_language}. Note that you should only output the translated "
              "result without any additional explanation:\n\n{source}",
      .chinese = CHINESE_ORDER "\n{source}",
      .terms = "Reference the following translations:\n{terms}\n\nTranslate the following text into {target_language}. "
               "Note that you must ONLY output the translated result without any additional explanation:\n\n{source}",
      .chinese_terms = CHINESE_TERMS CHINESE_ORDER "\n{source}",
      .term = "{term} translates to {translation}",
      .chinese_term = CHINESE_TERM,
      .languages = HUNYUAN_LANGUAGES },
    /* google/translategemma-4b-it and the larger ones; chat_template.jinja */
    { .name = "translategemma",
      .types = "gemma3 gemma3_text",
      .shows = "source_lang_code",
      .frames = { &gemma },
      .text = TRANSLATE_GEMMA,
      .languages = GEMMA_LANGUAGES },
    { .name = "translategemma",
      .types = "gemma3 gemma3_text",
      .marks = "TranslateGemma",
      .frames = { &gemma },
      .text = TRANSLATE_GEMMA,
      .languages = GEMMA_LANGUAGES },
    /* BSC-LT/salamandraTA-7b-instruct and -2b-instruct */
    { .name = "salamandrata",
      .types = "llama",
      .marks = "salamandraTA",
      .frames = { &chatml },
      .text = "Translate the following text from {source_language} into {target_language}.\n{source_language}: "
              "{source} \n{target_language}:",
      .languages = SALAMANDRA_LANGUAGES },
    /* utter-project/EuroLLM-1.7B-Instruct and the larger ones */
    { .name = "eurollm",
      .types = "llama",
      .marks = "EuroLLM",
      .frames = { &chatml_system },
      .text = "Translate the following {source_language} source text to {target_language}:\n{source_language}: "
              "{source} \n{target_language}: ",
      .languages = EUROLLM_LANGUAGES },
    /* Unbabel/TowerInstruct-7B-v0.2 and its relatives */
    { .name = "towerinstruct",
      .types = "llama mistral",
      .marks = "TowerInstruct",
      .frames = { &chatml_begin },
      .text = "Translate the following text from {source_language} into {target_language}.\n" LABELLED,
      .languages = TOWER_LANGUAGES },
    /* Unbabel/Tower-Plus-2B and -9B; the chat template of Gemma 2 removes the space at the end */
    { .name = "tower-plus",
      .types = "gemma2",
      .marks = "Tower-Plus",
      .frames = { &gemma },
      .text = "Translate the following {source_language} source text to {target_language}:\n" LABELLED,
      .languages = TOWER_PLUS_LANGUAGES },
    /* haoranxu/ALMA-7B and ALMA-7B-R, -13B */
    { .name = "alma",
      .types = "llama",
      .marks = "haoranxu/ALMA haoranxu--ALMA ALMA-7B ALMA-13B",
      .frames = { &begin_only },
      .text = "Translate this from {source_language} to {target_language}:\n" LABELLED,
      .languages = ALMA_LANGUAGES },
    /* ModelSpace/GemmaX2-28-2B-v0.1 and -9B */
    { .name = "gemmax2",
      .types = "gemma2",
      .marks = "GemmaX2",
      .frames = { &begin_only_gemma },
      .text = "Translate this from {source_language} to {target_language}:\n" LABELLED,
      .languages = GEMMAX_LANGUAGES },
    /* T5Gemma is trained further for each task; the source is then the text itself, as its tokenizer.json encodes it */
    { .name = "plain", .types = "t5gemma", .frames = { &begin_only_gemma }, .text = "{source}", .languages = "" },
    { .name = NULL },
};
