/* cpu.c - see cpu.h. An instruction set that CPUID reports is usable only if XCR0 says that the
 * operating system saves its registers. */
#define _DEFAULT_SOURCE /* syscall() is not in POSIX */
#include "cpu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"

static const char *const names[CPU_LEVELS] = {
    [CPU_SCALAR] = "scalar",   [CPU_NEON] = "neon",     [CPU_DOTPROD] = "dotprod",       [CPU_AVX2] = "avx2",
    [CPU_AVXVNNI] = "avxvnni", [CPU_AVX512] = "avx512", [CPU_AVX512VNNI] = "avx512vnni", [CPU_AMX] = "amx",
};

const char *cpu_level_name(CpuLevel level)
{
    return names[level];
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Register states in XCR0. */
#define STATE_YMM ((uint64_t)0x6)
#define STATE_ZMM ((uint64_t)0xe6)
#define STATE_AMX ((uint64_t)0x60000)

/* The registers that CPUID returns for a leaf; zero if the leaf does not exist. */
typedef struct {
    unsigned a, b, c, d;
} Leaf;

static Leaf read_leaf(unsigned leaf, unsigned part)
{
    Leaf out = { 0 };

    if (!__get_cpuid_count(leaf, part, &out.a, &out.b, &out.c, &out.d)) return (Leaf){ 0 };
    return out;
}

static bool is_set(unsigned value, unsigned bit)
{
    return value >> bit & 1;
}

static bool saves(uint64_t states)
{
    unsigned low, high;

    if (!is_set(read_leaf(1, 0).c, 27)) return false; /* no xgetbv */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (((uint64_t)high << 32 | low) & states) == states;
}

static bool has_fma(void)
{
    return is_set(read_leaf(1, 0).c, 12) && saves(STATE_YMM);
}

static bool has_avx2(void)
{
    return has_fma() && is_set(read_leaf(7, 0).b, 5) && saves(STATE_YMM);
}

static bool has_avxvnni(void)
{
    return has_avx2() && is_set(read_leaf(7, 1).a, 4);
}

static bool has_avx512(void)
{
    unsigned b = read_leaf(7, 0).b;

    return has_avx2() && is_set(b, 16) && is_set(b, 17) && is_set(b, 30) && is_set(b, 31) && saves(STATE_ZMM);
}

static bool has_avx512vnni(void)
{
    return has_avx512() && is_set(read_leaf(7, 0).c, 11);
}

/* Linux grants a process and its threads the tile registers on request. */
static bool may_use_tiles(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

static bool has_amx(void)
{
    unsigned d = read_leaf(7, 0).d;

    return has_avx512vnni() && is_set(d, 24) && is_set(d, 25) && saves(STATE_AMX) && may_use_tiles();
}

static bool detect(CpuLevel level)
{
    switch (level) {
    case CPU_SCALAR:
        return true;
    case CPU_AVX2:
        return has_avx2();
    case CPU_AVXVNNI:
        return has_avxvnni();
    case CPU_AVX512:
        return has_avx512();
    case CPU_AVX512VNNI:
        return has_avx512vnni();
    case CPU_AMX:
        return has_amx();
    case CPU_NEON:
    case CPU_DOTPROD:
    case CPU_LEVELS:
        break;
    }
    return false;
}

/* Bit l is level l; then a bit for fused multiply-adds; then one that says that all are known. CPUID
 * traps to the hypervisor of a virtual machine, which takes tens of microseconds, so it is called
 * once. Threads that race here compute the same bits. */
#define BIT_FMA   (1u << CPU_LEVELS)
#define BIT_KNOWN (2u << CPU_LEVELS)

static unsigned features(void)
{
    static atomic_uint found;
    unsigned bits = atomic_load_explicit(&found, memory_order_relaxed);

    if (bits) return bits;
    for (unsigned level = 0; level < CPU_LEVELS; level++)
        if (detect((CpuLevel)level)) bits |= 1u << level;
    bits |= BIT_KNOWN | (has_fma() ? BIT_FMA : 0);
    atomic_store_explicit(&found, bits, memory_order_relaxed);
    return bits;
}

bool cpu_has(CpuLevel level)
{
    return level < CPU_LEVELS && is_set(features(), level);
}

bool cpu_has_fma(void)
{
    return features() & BIT_FMA;
}
#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>

static bool has_dotprod(void)
{
    const unsigned long asimddp = 1ul << 20; /* HWCAP_ASIMDDP */

    return getauxval(AT_HWCAP) & asimddp;
}
#else
static bool has_dotprod(void)
{
#if defined(__ARM_FEATURE_DOTPROD)
    return true;
#else
    return false;
#endif
}
#endif

bool cpu_has_fma(void)
{
    return true;
}

bool cpu_has(CpuLevel level)
{
    return level == CPU_SCALAR || level == CPU_NEON || (level == CPU_DOTPROD && has_dotprod());
}
#else
#include <math.h>

bool cpu_has_fma(void)
{
#if defined(FP_FAST_FMAF)
    return true;
#else
    return false;
#endif
}

bool cpu_has(CpuLevel level)
{
    return level == CPU_SCALAR;
}
#endif

/* Returns the level of that name, or CPU_LEVELS if there is none. */
static int level_named(const char *name)
{
    int level = 0;

    while (level < CPU_LEVELS && strcasecmp(names[level], name) != 0) level++;
    return level;
}

CpuLevel cpu_level(void)
{
    const char *wanted = getenv("DRAGOMAN_CPU");
    int level = wanted ? level_named(wanted) : CPU_LEVELS;

    if (level == CPU_LEVELS) level--;
    while (!cpu_has((CpuLevel)level)) level--;
    return (CpuLevel)level;
}

static Status refuse_name(const char *name, Err *err)
{
    Buf list = { 0 };
    Status st = OK;

    for (int i = 0; st == OK && i < CPU_LEVELS; i++)
        if (cpu_has((CpuLevel)i)) buf_put_format(&list, "%s%s", list.len ? ", " : "", names[i]);
    if (st == OK) st = buf_check(&list, err);
    if (st == OK) st = err_set(err, ERR_USAGE, "DRAGOMAN_CPU=%s: unknown CPU level; this CPU has %s", name, list.data);
    buf_free(&list);
    return st;
}

Status cpu_check_wanted(Err *err)
{
    const char *wanted = getenv("DRAGOMAN_CPU");
    int level;

    if (!wanted || !*wanted) return OK;
    level = level_named(wanted);
    if (level == CPU_LEVELS) return refuse_name(wanted, err);
    if (cpu_has((CpuLevel)level)) return OK;
    return err_set(err, ERR_UNSUPPORTED, "DRAGOMAN_CPU=%s: this CPU does not support this level; using %s", wanted,
                   names[cpu_level()]);
}
