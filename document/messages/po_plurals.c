/* po_plurals.c - see po_plurals.h. The rules are those of the GNU gettext manual (section "Plural forms") and, for
 * languages that it leaves out, those of the Unicode CLDR for whole numbers. */
#include "po_plurals.h"

#include <stdio.h>
#include <string.h>

static const PoPlurals all_plurals[] = {
    { " ja zh ko vi th id ms my lo km jv su wo yo ig dz bo yue ", 1, PO_FORMS, "nplurals=1; plural=0;" },
    { " fr hy kab ln mg oc ti wa bh ff tg uz br ", 2, 0, "nplurals=2; plural=(n > 1);" },
    { " fa hi bn gu kn zu am as ", 2, 0, "nplurals=2; plural=(n > 1);" },
    { " pt_BR fil tl ", 2, 0, "nplurals=2; plural=(n > 1);" },
    { " en de nl sv da no nb nn fo es pt it el bg et fi hu eu ca gl eo he iw tr af sq az ka kk ky mn ne ur ta te ml mr "
      "pa si sw so ha xh tn st ny sn lb fy ast an ia io or ps ku ug tk tt rm fur sc yi gsw dv ",
      2, 0, "nplurals=2; plural=(n != 1);" },
    { " is mk ", 2, 0, "nplurals=2; plural=(n % 10 != 1 || n % 100 == 11);" },
    { " ru uk be sr hr bs sh ", 3, 0,
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { " pl csb szl ", 3, 0, "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { " cs sk ", 3, 0, "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;" },
    { " lt ", 3, 0, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { " lv ", 3, 0, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);" },
    { " ro mo ", 3, 0, "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);" },
    { " sl hsb dsb ", 4, 0, "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);" },
    { " mt ", 4, 0,
      "nplurals=4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? 2 : 3);" },
    { " gd ", 4, 0, "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;" },
    { " cy ", 4, 0, "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;" },
    { " ga ", 5, 0, "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : (n>2 && n<7) ? 2 : (n>6 && n<11) ? 3 : 4;" },
    { " ar ", 6, 1,
      "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);" },
};

/* Looks for a code of `length` bytes, in which '-' is '_'. */
static const PoPlurals *find_code(const char *code, size_t length)
{
    char word[24];

    if (!length || length + 3 > sizeof word) return NULL;
    snprintf(word, sizeof word, " %.*s ", (int)length, code);
    for (char *at = word; *at; at++)
        if (*at == '-') *at = '_';
    for (size_t i = 0; i < sizeof all_plurals / sizeof *all_plurals; i++)
        if (strstr(all_plurals[i].languages, word)) return &all_plurals[i];
    return NULL;
}

const PoPlurals *po_plurals_find(const char *language)
{
    const PoPlurals *plurals = find_code(language, strlen(language));

    return plurals ? plurals : find_code(language, strcspn(language, "-_@"));
}

void po_plurals_name(const char *language, char *out, size_t size)
{
    static const char *const names[][2] = {
        { "zh-Hans", "zh_CN" },
        { "zh-Hant", "zh_TW" },
        { "sr-Latn", "sr@latin" },
        { "sr-Cyrl", "sr" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(language, names[i][0]) == 0) language = names[i][1];
    snprintf(out, size, "%s", language);
    for (; *out; out++)
        if (*out == '-') *out = '_';
}
