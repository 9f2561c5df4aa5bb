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

/* The registers that CPUID returns for a leaf; all 0 if the leaf does not exist. */
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

/* Whether the operating system saves the registers that these bits of XCR0 stand for. */
static bool saves(uint64_t states)
{
    unsigned low, high;

    if (!is_set(read_leaf(1, 0).c, 27)) return false; /* no xgetbv */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (((uint64_t)high << 32 | low) & states) == states;
}

/* Asks Linux for the permission to use the tile registers in this process and its threads. */
static bool may_use_tiles(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

/* Bit l: the CPU has level l. BIT_FMA: it has fused multiply-adds. BIT_KNOWN: the other bits are known. In a virtual
 * machine, CPUID traps to the hypervisor, which takes tens of microseconds, so the bits are computed once. Threads that
 * race here compute the same bits. */
#define BIT_FMA   (1u << CPU_LEVELS)
#define BIT_KNOWN (2u << CPU_LEVELS)

static unsigned features(void)
{
    static atomic_uint found;
    unsigned bits = atomic_load_explicit(&found, memory_order_relaxed);
    Leaf seven;
    bool fma, avx2, avx512, vnni, amx;

    if (bits) return bits;
    seven = read_leaf(7, 0);
    fma = is_set(read_leaf(1, 0).c, 12) && saves(STATE_YMM);
    avx2 = fma && is_set(seven.b, 5);
    avx512 = avx2 && is_set(seven.b, 16) && is_set(seven.b, 17) && is_set(seven.b, 30) && is_set(seven.b, 31) &&
             saves(STATE_ZMM);
    vnni = avx512 && is_set(seven.c, 11);
    amx = vnni && is_set(seven.d, 24) && is_set(seven.d, 25) && saves(STATE_AMX) && may_use_tiles();
    bits = BIT_KNOWN | 1u << CPU_SCALAR;
    if (fma) bits |= BIT_FMA;
    if (avx2) bits |= 1u << CPU_AVX2;
    if (avx2 && is_set(read_leaf(7, 1).a, 4)) bits |= 1u << CPU_AVXVNNI;
    if (avx512) bits |= 1u << CPU_AVX512;
    if (vnni) bits |= 1u << CPU_AVX512VNNI;
    if (amx) bits |= 1u << CPU_AMX;
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
#endif

static bool has_dotprod(void)
{
#if defined(__linux__)
    return getauxval(AT_HWCAP) & 1ul << 20; /* HWCAP_ASIMDDP */
#elif defined(__ARM_FEATURE_DOTPROD)
    return true;
#else
    return false;
#endif
}

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

Status cpu_check_wanted(Err *err)
{
    const char *wanted = getenv("DRAGOMAN_CPU");
    const int level = wanted ? level_named(wanted) : CPU_LEVELS;
    Buf list = { 0 };
    Status st;

    if (!wanted || !*wanted || (level < CPU_LEVELS && cpu_has((CpuLevel)level))) return OK;
    if (level == CPU_LEVELS) {
        for (int i = 0; i < CPU_LEVELS; i++)
            if (cpu_has((CpuLevel)i)) buf_put_format(&list, "%s%s", list.len ? ", " : "", names[i]);
        st = buf_check(&list, err);
        if (st == OK)
            st = err_set(err, ERR_USAGE, "DRAGOMAN_CPU=%s: unknown CPU level; this CPU has %s", wanted, list.data);
        buf_free(&list);
        return st;
    }
    return err_set(err, ERR_UNSUPPORTED, "DRAGOMAN_CPU=%s: this CPU does not support this level; using %s", wanted,
                   names[cpu_level()]);
}
