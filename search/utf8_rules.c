/* utf8_rules.c - see utf8_rules.h. */
#include "utf8_rules.h"

/* Inside a character: the bytes that may follow, the state after them, and how many bytes it still needs. */
static const struct {
    unsigned char low, high;
    Utf8State next;
    size_t needs;
} states[UTF8_STATES] = {
    [UTF8_TAIL_1] = { 0x80, 0xbf, UTF8_BETWEEN, 1 },  [UTF8_TAIL_2] = { 0x80, 0xbf, UTF8_TAIL_1, 2 },
    [UTF8_TAIL_3] = { 0x80, 0xbf, UTF8_TAIL_2, 3 },   [UTF8_AFTER_E0] = { 0xa0, 0xbf, UTF8_TAIL_1, 2 },
    [UTF8_AFTER_ED] = { 0x80, 0x9f, UTF8_TAIL_1, 2 }, [UTF8_AFTER_F0] = { 0x90, 0xbf, UTF8_TAIL_2, 3 },
    [UTF8_AFTER_F4] = { 0x80, 0x8f, UTF8_TAIL_2, 3 },
};

void utf8_rules_add(Utf8Rules *rules, int32_t id, unsigned char byte)
{
    size_t at = rules->count++;

    for (; at > 0 && rules->ids[at - 1] > id; at--) {
        rules->ids[at] = rules->ids[at - 1];
        rules->bytes[at] = rules->bytes[at - 1];
    }
    rules->ids[at] = id;
    rules->bytes[at] = byte;
}

size_t utf8_rules_find(const Utf8Rules *rules, int32_t id)
{
    size_t low = 0, high = rules->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rules->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rules->count && rules->ids[low] == id ? low : rules->count;
}

static Utf8State after_lead(unsigned char byte)
{
    if (byte < 0xc2 || byte > 0xf4) return UTF8_BROKEN;
    if (byte < 0xe0) return UTF8_TAIL_1;
    if (byte < 0xf0) return byte == 0xe0 ? UTF8_AFTER_E0 : byte == 0xed ? UTF8_AFTER_ED : UTF8_TAIL_2;
    return byte == 0xf0 ? UTF8_AFTER_F0 : byte == 0xf4 ? UTF8_AFTER_F4 : UTF8_TAIL_3;
}

static Utf8State after(Utf8State state, unsigned char byte)
{
    if (state == UTF8_BETWEEN) return after_lead(byte);
    return byte >= states[state].low && byte <= states[state].high ? states[state].next : UTF8_BROKEN;
}

Utf8State utf8_rules_state(const Utf8Rules *rules, const int32_t *tokens, size_t count)
{
    Utf8State state = UTF8_BETWEEN;

    for (size_t i = count < UTF8_RULES_MEMORY ? 0 : count - UTF8_RULES_MEMORY; i < count; i++) {
        const size_t index = utf8_rules_find(rules, tokens[i]);
        Utf8State next = index < rules->count ? after(state, rules->bytes[index]) : UTF8_BETWEEN;
        if (next == UTF8_BROKEN) next = after_lead(rules->bytes[index]);
        state = next == UTF8_BROKEN ? UTF8_BETWEEN : next;
    }
    return state;
}

/* Each state leads to one that needs fewer bytes. */
unsigned utf8_rules_completable(const Utf8Rules *rules, bool (*has)(const void *context, int32_t id),
                                const void *context)
{
    unsigned found = 1U << UTF8_BETWEEN;

    for (size_t needs = 1; needs <= UTF8_RULES_MEMORY; needs++)
        for (size_t i = 0; i < rules->count; i++)
            for (unsigned s = UTF8_TAIL_1; s < UTF8_STATES; s++)
                if (states[s].needs == needs && utf8_rules_allow(rules, i, (Utf8State)s, SIZE_MAX, found) &&
                    has(context, rules->ids[i]))
                    found |= 1U << s;
    return found;
}

bool utf8_rules_allow(const Utf8Rules *rules, size_t index, Utf8State state, size_t left, unsigned completable)
{
    const Utf8State next = after(state, rules->bytes[index]);

    return next != UTF8_BROKEN && states[next].needs <= left && completable >> next & 1;
}
