/* build_description.c - see translator.h. It names no date and no path, so that builds are reproducible. The Makefile
 * defines BUILD_TARGET, SENTENCEPIECE_VERSION and OPENBLAS_VERSION: neither of these two libraries says its version
 * at run time without being loaded. */
#include <cJSON.h>
#include <unicode/uversion.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "cpu.h"
#include "translator.h"

static Status append_build(Buf *out, Err *err)
{
#if defined(__clang__)
    return buf_append_format(out, err, "build: clang %d.%d.%d, %s\n", __clang_major__, __clang_minor__,
                             __clang_patchlevel__, BUILD_TARGET);
#else
    return buf_append_format(out, err, "build: gcc %d.%d.%d, %s\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__,
                             BUILD_TARGET);
#endif
}

static CpuLevel highest_level(void)
{
    int level = CPU_LEVELS - 1;

    while (!cpu_has((CpuLevel)level)) level--;
    return (CpuLevel)level;
}

static Status append_level(Buf *out, Err *err)
{
    const CpuLevel level = cpu_level(), highest = highest_level();

    if (level == highest) return buf_append_format(out, err, "CPU level: %s\n", cpu_level_name(level));
    return buf_append_format(out, err, "CPU level: %s, limited by DRAGOMAN_CPU; this CPU has %s\n",
                             cpu_level_name(level), cpu_level_name(highest));
}

static Status append_libraries(Buf *out, Err *err)
{
    char icu[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;

    u_getVersion(version);
    u_versionToString(version, icu);
    return buf_append_format(out, err,
                             "libraries: zlib %s, zstd %s, libyaml %s, cJSON %s, ICU %s\n"
                             "libraries at build time: SentencePiece %s, OpenBLAS %s\n",
                             zlibVersion(), ZSTD_versionString(), yaml_get_version_string(), cJSON_Version(), icu,
                             SENTENCEPIECE_VERSION, OPENBLAS_VERSION);
}

Status translator_describe_build(Buf *out, Err *err)
{
    Status st = append_build(out, err);

    if (st == OK) st = append_level(out, err);
    return st == OK ? append_libraries(out, err) : st;
}
