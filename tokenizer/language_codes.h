/* language_codes.h - the languages of the multilingual families, separated by
 * spaces, in the order of their ids. */
#ifndef DRAGOMAN_LANGUAGE_CODES_H
#define DRAGOMAN_LANGUAGE_CODES_H

extern const char *const language_codes_m2m100;  /* 100, SMaLL-100's too */
extern const char *const language_codes_wmt21;   /* 8 */
extern const char *const language_codes_nllb;    /* 202 */
extern const char *const language_codes_mbart;   /* 25 */
extern const char *const language_codes_mbart50; /* 52, those 25 first */

#endif
