/* indic_tables.c - the tables of indic_text.c, written by scripts/update-indic-tables.py from
 * indic-nlp-library 0.92 (Copyright 2013-present Anoop Kunchukuttan), urduhack (Copyright 2018 Ikram Ali) and
 * IndicTransToolkit 1.1.1 (Copyright 2024 Varun Gumma, Jay Gala, Pranjal Agadh Chitale, Raj Dabre). All three are under
 * the MIT licence. */
#include "indic_text.h"

#include <stddef.h>

/* clang-format off */
const IndicRule indic_shared[] = {
    { "\ufeff", "" }, { "\ufffe", "" }, { "\u2060", "" }, { "\u00ad", "" }, { "\u200b", " " }, { "\u00a0", " " },
    { "\u200c", "" }, { "\u200d", "" }, { NULL, NULL },
};
const IndicRule indic_punctuation[] = {
    { "\ufeff", "" }, { "\u201e", "\"" }, { "\u201c", "\"" }, { "\u201d", "\"" }, { "\u2013", "-" },
    { "\u2014", " - " }, { "\u00b4", "'" }, { "\u2018", "'" }, { "\u201a", "'" }, { "\u2019", "'" }, { "''", "\"" },
    { "\u00b4\u00b4", "\"" }, { "\u2026", "..." }, { NULL, NULL },
};
const IndicRule indic_devanagari[] = {
    { "\u0972", "\u090f" }, { "\u0929", "\u0928\u093c" }, { "\u0931", "\u0930\u093c" }, { "\u0934", "\u0933\u093c" },
    { "\u0958", "\u0915\u093c" }, { "\u0959", "\u0916\u093c" }, { "\u095a", "\u0917\u093c" },
    { "\u095b", "\u091c\u093c" }, { "\u095c", "\u0921\u093c" }, { "\u095d", "\u0922\u093c" },
    { "\u095e", "\u092b\u093c" }, { "\u095f", "\u092f\u093c" }, { "|", "\u0964" }, { NULL, NULL },
};
const IndicRule indic_bengali[] = {
    { "\u09dc", "\u09a1\u09bc" }, { "\u09dd", "\u09a2\u09bc" }, { "\u09df", "\u09af\u09bc" }, { "\u09e4", "\u0964" },
    { "\u09e5", "\u0965" }, { "|", "\u0964" }, { "\u09f7", "\u0964" }, { "\u09c7\u09be", "\u09cb" },
    { "\u09c7\u09d7", "\u09cc" }, { NULL, NULL },
};
const IndicRule indic_gurmukhi_before[] = {
    { "\u0a05\u0a3e", "\u0a06" }, { "\u0a72\u0a3f", "\u0a07" }, { "\u0a72\u0a40", "\u0a08" },
    { "\u0a73\u0a41", "\u0a09" }, { "\u0a73\u0a42", "\u0a0a" }, { "\u0a72\u0a47", "\u0a0f" },
    { "\u0a05\u0a48", "\u0a10" }, { "\u0a73\u0a4b", "\u0a13" }, { "\u0a05\u0a4c", "\u0a14" }, { NULL, NULL },
};
const IndicRule indic_gurmukhi[] = {
    { "\u0a33", "\u0a32\u0a3c" }, { "\u0a36", "\u0a38\u0a3c" }, { "\u0a59", "\u0a16\u0a3c" },
    { "\u0a5a", "\u0a17\u0a3c" }, { "\u0a5b", "\u0a1c\u0a3c" }, { "\u0a5e", "\u0a2b\u0a3c" }, { "\u0a64", "\u0964" },
    { "\u0a65", "\u0965" }, { "|", "\u0964" }, { NULL, NULL },
};
const IndicRule indic_gujarati[] = {
    { "\u0ae4", "\u0964" }, { "\u0ae5", "\u0965" }, { NULL, NULL },
};
const IndicRule indic_odia[] = {
    { "\u0b05\u0b3e", "\u0b06" }, { "\u0b0f\u0b57", "\u0b10" }, { "\u0b13\u0b57", "\u0b14" },
    { "\u0b5c", "\u0b21\u0b3c" }, { "\u0b5d", "\u0b22\u0b3c" }, { "\u0b64", "\u0964" }, { "\u0b65", "\u0965" },
    { "\u0b7c", "\u0964" }, { "\u0b35", "\u0b2c" }, { "\u0b47\u0b56", "\u0b58" }, { "\u0b47\u0b3e", "\u0b4b" },
    { "\u0b47\u0b57", "\u0b4c" }, { NULL, NULL },
};
const IndicRule indic_tamil[] = {
    { "\u0be4", "\u0964" }, { "\u0be5", "\u0965" }, { "\u0b92\u0bd7", "\u0b94" }, { "\u0bc6\u0bbe", "\u0bca" },
    { "\u0bc7\u0bbe", "\u0bcb" }, { "\u0bc6\u0bd7", "\u0bcc" }, { NULL, NULL },
};
const IndicRule indic_telugu[] = {
    { "\u0c64", "\u0964" }, { "\u0c65", "\u0965" }, { "\u0c46\u0c56", "\u0c48" }, { NULL, NULL },
};
const IndicRule indic_kannada[] = {
    { "\u0ce4", "\u0964" }, { "\u0ce5", "\u0965" }, { "\u0cbf\u0cd5", "\u0cc0" }, { "\u0cc6\u0cd5", "\u0cc7" },
    { "\u0cc6\u0cd6", "\u0cc8" }, { "\u0cc6\u0cc2", "\u0cca" }, { "\u0cca\u0cd5", "\u0ccb" }, { NULL, NULL },
};
const IndicRule indic_malayalam_before[] = {
    { "\u0d23\u0d4d\u200d", "\u0d7a" }, { "\u0d28\u0d4d\u200d", "\u0d7b" }, { "\u0d30\u0d4d\u200d", "\u0d7c" },
    { "\u0d32\u0d4d\u200d", "\u0d7d" }, { "\u0d33\u0d4d\u200d", "\u0d7e" }, { "\u0d15\u0d4d\u200d", "\u0d7f" },
    { NULL, NULL },
};
const IndicRule indic_malayalam[] = {
    { "\u0d64", "\u0964" }, { "\u0d65", "\u0965" }, { "\u0d46\u0d3e", "\u0d4a" }, { "\u0d47\u0d3e", "\u0d4b" },
    { "\u0d46\u0d57", "\u0d4c" }, { "\u0d57", "\u0d4c" }, { NULL, NULL },
};
const IndicRule indic_urdu[] = {
    { "\u0629", "\u06c3" }, { "\u0640", "" }, { "\u0643", "\u06a9" }, { "\u0647", "\u06c1" }, { "\u0649", "\u06cc" },
    { "\u064a", "\u06cc" }, { "\u0660", "\u06f0" }, { "\u0661", "\u06f1" }, { "\u0662", "\u06f2" },
    { "\u0663", "\u06f3" }, { "\u0664", "\u06f4" }, { "\u0665", "\u06f5" }, { "\u0666", "\u06f6" },
    { "\u0667", "\u06f7" }, { "\u0668", "\u06f8" }, { "\u0669", "\u06f9" }, { "\ufb56", "\u067e" },
    { "\ufb58", "\u067e" }, { "\ufb59", "\u067e" }, { "\ufb66", "\u0679" }, { "\ufb67", "\u0679" },
    { "\ufb68", "\u0679" }, { "\ufb69", "\u0679" }, { "\ufb7a", "\u0686" }, { "\ufb7b", "\u0686" },
    { "\ufb7c", "\u0686" }, { "\ufb7d", "\u0686" }, { "\ufb88", "\u0688" }, { "\ufb89", "\u0688" },
    { "\ufb8b", "\u0698" }, { "\ufb8c", "\u0691" }, { "\ufb8d", "\u0691" }, { "\ufb8e", "\u06a9" },
    { "\ufb8f", "\u06a9" }, { "\ufb90", "\u06a9" }, { "\ufb91", "\u06a9" }, { "\ufb92", "\u06af" },
    { "\ufb93", "\u06af" }, { "\ufb94", "\u06af" }, { "\ufb95", "\u06af" }, { "\ufb9e", "\u06ba" },
    { "\ufb9f", "\u06ba" }, { "\ufba6", "\u06c1" }, { "\ufba7", "\u06c1" }, { "\ufba8", "\u06c1" },
    { "\ufba9", "\u06c1" }, { "\ufbaa", "\u06be" }, { "\ufbab", "\u06be" }, { "\ufbac", "\u06be" },
    { "\ufbad", "\u06be" }, { "\ufbae", "\u06d2" }, { "\ufbaf", "\u06d2" }, { "\ufbfc", "\u06cc" },
    { "\ufbfd", "\u06cc" }, { "\ufbfe", "\u06cc" }, { "\ufbff", "\u06cc" }, { "\ufe80", "\u0621" },
    { "\ufe81", "\u0622" }, { "\ufe82", "\u0622" }, { "\ufe83", "\u0623" }, { "\ufe85", "\u0624" },
    { "\ufe8b", "\u0626" }, { "\ufe8c", "\u0626" }, { "\ufe8d", "\u0627" }, { "\ufe8e", "\u0627" },
    { "\ufe8f", "\u0628" }, { "\ufe90", "\u0628" }, { "\ufe91", "\u0628" }, { "\ufe92", "\u0628" },
    { "\ufe95", "\u062a" }, { "\ufe96", "\u062a" }, { "\ufe97", "\u062a" }, { "\ufe98", "\u062a" },
    { "\ufe9a", "\u062b" }, { "\ufe9b", "\u062b" }, { "\ufe9c", "\u062b" }, { "\ufe9d", "\u062c" },
    { "\ufe9e", "\u062c" }, { "\ufe9f", "\u062c" }, { "\ufea0", "\u062c" }, { "\ufea1", "\u062d" },
    { "\ufea2", "\u062d" }, { "\ufea3", "\u062d" }, { "\ufea4", "\u062d" }, { "\ufea6", "\u062e" },
    { "\ufea7", "\u062e" }, { "\ufea8", "\u062e" }, { "\ufea9", "\u062f" }, { "\ufeaa", "\u062f" },
    { "\ufeab", "\u0630" }, { "\ufeac", "\u0630" }, { "\ufead", "\u0631" }, { "\ufeae", "\u0631" },
    { "\ufeaf", "\u0632" }, { "\ufeb0", "\u0632" }, { "\ufeb1", "\u0633" }, { "\ufeb2", "\u0633" },
    { "\ufeb3", "\u0633" }, { "\ufeb4", "\u0633" }, { "\ufeb5", "\u0634" }, { "\ufeb6", "\u0634" },
    { "\ufeb7", "\u0634" }, { "\ufeb8", "\u0634" }, { "\ufeb9", "\u0635" }, { "\ufeba", "\u0635" },
    { "\ufebb", "\u0635" }, { "\ufebc", "\u0635" }, { "\ufebd", "\u0636" }, { "\ufebe", "\u0636" },
    { "\ufebf", "\u0636" }, { "\ufec0", "\u0636" }, { "\ufec3", "\u0637" }, { "\ufec4", "\u0637" },
    { "\ufec5", "\u0638" }, { "\ufec7", "\u0638" }, { "\ufec8", "\u0638" }, { "\ufec9", "\u0639" },
    { "\ufeca", "\u0639" }, { "\ufecb", "\u0639" }, { "\ufecc", "\u0639" }, { "\ufecd", "\u063a" },
    { "\ufecf", "\u063a" }, { "\ufed0", "\u063a" }, { "\ufed1", "\u0641" }, { "\ufed2", "\u0641" },
    { "\ufed3", "\u0641" }, { "\ufed4", "\u0641" }, { "\ufed5", "\u0642" }, { "\ufed6", "\u0642" },
    { "\ufed7", "\u0642" }, { "\ufed8", "\u0642" }, { "\ufedb", "\u06a9" }, { "\ufedd", "\u0644" },
    { "\ufede", "\u0644" }, { "\ufedf", "\u0644" }, { "\ufee0", "\u0644" }, { "\ufee1", "\u0645" },
    { "\ufee2", "\u0645" }, { "\ufee3", "\u0645" }, { "\ufee4", "\u0645" }, { "\ufee5", "\u0646" },
    { "\ufee6", "\u0646" }, { "\ufee7", "\u0646" }, { "\ufee8", "\u0646" }, { "\ufee9", "\u06c1" },
    { "\ufeea", "\u06c1" }, { "\ufeeb", "\u06be" }, { "\ufeec", "\u06be" }, { "\ufeed", "\u0648" },
    { "\ufeee", "\u0648" }, { "\ufef0", "\u06cc" }, { "\ufef1", "\u06cc" }, { "\ufef2", "\u06cc" },
    { "\ufef3", "\u06d2" }, { "\ufef4", "\u06d2" }, { "\ufefb", "\u0644\u0627" }, { "\ufefc", "\u0644\u0627" },
    { "\u0627\u0653", "\u0622" }, { "\u0627\u0654", "\u0623" }, { "\u06d2\u0654", "\u06d3" }, { NULL, NULL },
};
const char indic_urdu_diacritics[] =
    "\u064b\u064d\u064e\u064f\u0650\u0670";
const char indic_urdu_punctuation[] =
    "\u060c\u061b\u061f\u066a\u066b\u06d4";
const char indic_urdu_characters[] =
    "\u0600\u0601\u0602\u0603\u060c\u060d\u060e\u060f\u0610\u0611\u0612\u0613\u0614\u0615\u061b\u061f\u0621\u0622"
    "\u0623\u0624\u0626\u0627\u0628\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636"
    "\u0637\u0638\u0639\u063a\u0641\u0642\u0644\u0645\u0646\u0648\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"
    "\u0653\u0654\u0656\u0657\u0658\u066a\u066b\u066c\u0670\u0679\u067e\u0686\u0688\u0691\u0698\u06a9\u06af\u06ba"
    "\u06be\u06c1\u06c2\u06c3\u06cc\u06d2\u06d3\u06d4\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9";
const char *const indic_identifier_words[] = {
    "\u0622\u06cc \u0688\u06cc ", "\uabd1\uabe5\uabcf\uabd7\uabe4", "\u0906\u0908\u0921\u0940",
    "\u0906\u0908 . \u0921\u0940 . ", "\u0906\u0908 . \u0921\u0940 .", "\u0906\u0908. \u0921\u0940. ",
    "\u0906\u0908. \u0921\u0940.", "\u0906\u092f. \u0921\u0940. ", "\u0906\u092f. \u0921\u0940.",
    "\u0906\u092f . \u0921\u0940 . ", "\u0906\u092f . \u0921\u0940 .\u0906\u0907 . \u0921\u0940 . ",
    "\u0906\u0907 . \u0921\u0940 .", "\u0906\u0907. \u0921\u0940. ", "\u0906\u0907. \u0921\u0940.",
    "\u0910\u091f\u093f", "\u0622\u0626\u06cc \u0688\u06cc ", "\u1c5f\u1c6d\u1c70\u1c64 \u1c7e",
    "\u0906\u092f\u0921\u0940", "\u0910\u0921\u093f", "\u0906\u0907\u0921\u093f", "\u1c5f\u1c6d\u1c70\u1c64", NULL,
};
/* clang-format on */
