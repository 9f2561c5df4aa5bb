/* cld2_shim.cc - see cld2_shim.h.
 * The tables of libcld2 take 2 MB and would slow down the start of a program that is linked with it. So the library is
 * opened with dlopen(), and its functions are found by their mangled C++ names. Building needs no files of CLD2. The
 * types below repeat its header public/compact_lang_det.h; the version of the library has not changed since 2015. */
#include "cld2_shim.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <string>

namespace
{

struct Hints {
    const char *content_language, *tld;
    int encoding, language;
};

/* CLD2::ExtDetectLanguageSummaryCheckUTF8(). `parts` is a std::vector *; here it is always NULL. */
using Detect = int (*)(const char *text, int length, bool is_plain_text, const Hints *hints, int flags, int *languages,
                       int *percents, double *scores, void *parts, int *text_bytes, bool *is_reliable,
                       int *valid_bytes);
/* CLD2::LanguageCode(). */
using LanguageCode = const char *(*)(int language);

const char detect_name[] =
    "_ZN4CLD233ExtDetectLanguageSummaryCheckUTF8EPKcibPKNS_8CLDHintsEiPNS_8LanguageEPiPdPSt6vectorI"
    "NS_11ResultChunkESaISA_EES7_PbS7_";
const char code_name[] = "_ZN4CLD212LanguageCodeENS_8LanguageE";

const int unknown_encoding = 23, unknown_language = 26; /* UNKNOWN_ENCODING, UNKNOWN_LANGUAGE */
const int best_effort = 0x4000;                         /* kCLDFlagBestEffort */

std::once_flag once;
char fault[256]; /* why the library cannot be used */
Detect detect;
LanguageCode language_code;

void load()
{
    void *library = dlopen("libcld2.so.0", RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        snprintf(fault, sizeof fault, "%s", dlerror());
        library = dlopen("libcld2.so", RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) return;
    snprintf(fault, sizeof fault, "it is not the expected version");
    detect = reinterpret_cast<Detect>(dlsym(library, detect_name));
    language_code = reinterpret_cast<LanguageCode>(dlsym(library, code_name));
}

/* CLD2 refuses texts with control characters and with noncharacters (U+FDD0 to U+FDEF, and the last two code points of
 * each plane). Returns the number of bytes of such a character at `at` in valid UTF-8; 0 for any other character. */
size_t refused_bytes(const std::string &text, size_t at)
{
    const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0; };

    if (byte(0) < ' ' || byte(0) == 0x7f) return 1;
    if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
    if (byte(0) == 0xef && byte(1) == 0xb7 && byte(2) >= 0x90 && byte(2) < 0xb0) return 3;
    if (byte(0) == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe) return 3;
    return byte(0) >= 0xf0 && (byte(1) & 0x0f) == 0x0f && byte(2) == 0xbf && byte(3) >= 0xbe ? 4 : 0;
}

void replace_refused(std::string &text)
{
    for (size_t at = 0; at < text.size(); at++)
        for (size_t count = refused_bytes(text, at); count; count--) text[at + count - 1] = ' ';
}

void run(const char *text, size_t length, bool guess, Cld2Result *result)
{
    const Hints hints = { nullptr, nullptr, unknown_encoding, unknown_language };
    int languages[CLD2_LANGUAGES], text_bytes, valid_bytes;
    double scores[CLD2_LANGUAGES];
    bool is_reliable;
    std::string clean(text, length < INT_MAX ? length : 0);

    replace_refused(clean);
    for (int i = 0; i < CLD2_LANGUAGES; i++) { /* stays if CLD2 refuses the text */
        languages[i] = unknown_language;
        result->percents[i] = 0;
    }
    detect(clean.data(), static_cast<int>(clean.size()), true, &hints, guess ? best_effort : 0, languages,
           result->percents, scores, nullptr, &text_bytes, &is_reliable, &valid_bytes);
    for (int i = 0; i < CLD2_LANGUAGES; i++) result->codes[i] = language_code(languages[i]);
}

} // namespace

extern "C" Status cld2_shim_load(Err *err)
{
    std::call_once(once, load);
    if (detect && language_code) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "detecting languages needs the library CLD2 (%s); install libcld2-0 (Debian, Ubuntu) or cld2 "
                   "(Fedora), or run scripts/install-deps",
                   fault);
}

extern "C" Status cld2_shim_detect(const char *text, size_t length, bool guess, Cld2Result *result, Err *err)
{
    try {
        run(text, length, guess, result);
    } catch (const std::bad_alloc &) {
        return err_memory(err, "the language of a text");
    } catch (...) {
        return err_set(err, ERR_UNSUPPORTED, "CLD2 failed to detect the language of a text");
    }
    return OK;
}
