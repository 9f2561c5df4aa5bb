/* message_events.c - the events of a plural message: see text_events.h. */
#include <stdlib.h>
#include <string.h>

#include "text_events.h"

typedef struct {
    MessageEvents *events;
    size_t *starts; /* [events->count + 1], where the old events begin in the text of the message */
    IcuMessage message;
    bool fails; /* a spelling of several characters would be divided, or there are more than MOST_EVENTS */
} MessageBuilder;

/* Markup inside a message is repeated in each of its sentences, which may multiply its events. If there are more than
 * MOST_EVENTS, the message is an ordinary text. */
#define MOST_EVENTS (4 * UNIT_PARTS)

/* What becomes of a range of the message: text with the markup at its ends, kept text, bytes only, or bytes with the
 * markup before them. */
typedef enum { AS_TEXT, AS_KEPT, AS_BYTES, AS_BYTES_WITH_MARKUP } RangeUse;

/* Copies bytes of the source to the strings, and returns where they are. */
static Range put_bytes(MessageEvents *events, Range bytes)
{
    const size_t begin = events->strings->len;

    buf_put(events->strings, events->source + bytes.begin, bytes.end - bytes.begin);
    return (Range){ begin, events->strings->len };
}

/* Copies the bytes of the events in the range to the strings, and the events to the new list. */
static void put_range(MessageBuilder *m, Range range, RangeUse use)
{
    MessageEvents *events = m->events;
    size_t first;

    FIND_FIRST(first, events->count, m->starts[first] >= range.begin);
    if (first && m->starts[first] > range.begin) first--;
    for (size_t i = first; i < events->count; i++) {
        Event event = events->old[i];
        const size_t begin = m->starts[i], end = m->starts[i + 1];
        const size_t front = begin < range.begin ? range.begin - begin : 0,
                     back = end > range.end ? end - range.end : 0;
        if (begin > range.end || (begin == range.end && begin < end)) break;
        if (begin < end ? front + back >= end - begin
                        : (begin == range.begin && (use == AS_KEPT || use == AS_BYTES)) ||
                              (begin == range.end && use != AS_TEXT && begin > range.begin))
            continue;
        if (event.kind == EVENT_PLAIN) {
            event.bytes.begin += front;
            event.bytes.end -= back;
        } else if (front + back) {
            m->fails = true;
        }
        event.bytes = put_bytes(events, event.bytes);
        event.is_kept |= use == AS_KEPT;
        if (use < AS_BYTES) LIST_PUT(&m->events->events, event);
    }
}

/* Adds an event for the bytes of the strings from `begin` on. */
static void put_spelled(MessageBuilder *m, const char *text, size_t begin, bool is_kept)
{
    Buf *texts = m->events->text;
    const Event event = { .kind =
                              is_kept ? EVENT_WORD : EVENT_SPELLED, /* a word's bytes are always written as they are */
                          .is_kept = is_kept,
                          .bytes = { begin, m->events->strings->len },
                          .text = texts->len,
                          .length = strlen(text) };

    buf_put_text(texts, text);
    LIST_PUT(&m->events->events, event);
}

/* Writes a # of the source in the branches of another argument: {n, number}, or '#' if it shows no number. */
static void put_number(MessageBuilder *m, const IcuMark *mark)
{
    const SpellingRules *rules = m->events->spelling;
    const SpellingPlace place = { .context = m->events->context };
    const bool is_special = rules && rules->is_special && rules->is_special(place.context, '\'');
    const size_t begin = m->events->strings->len;
    char quote[SPELLING_BYTES] = "'";
    const size_t length = is_special ? rules->spell('\'', &place, quote) : 1;

    if (mark->argument == ICU_NONE) {
        buf_put(m->events->strings, quote, length);
        buf_put_byte(m->events->strings, '#');
        buf_put(m->events->strings, quote, length);
    } else {
        buf_put_byte(m->events->strings, '{');
        put_range(m, m->message.arguments.data[mark->argument].name, AS_BYTES);
        buf_put_text(m->events->strings, ", number}");
    }
    put_spelled(m, "#", begin, true);
}

/* Adds bytes of the strings, from `begin` on, which divide texts. */
static void put_syntax(MessageBuilder *m, size_t begin)
{
    const Range bytes = { begin, m->events->strings->len };

    if (begin < bytes.end)
        LIST_PUT(&m->events->events, ((Event){ .kind = EVENT_EMPTY, .break_kind = BREAK_ALWAYS, .bytes = bytes }));
}

static void put_piece(MessageBuilder *m, const IcuPiece *piece)
{
    size_t at = piece->text.begin, begin = m->events->strings->len;

    if (piece->kind != ICU_TEXT) {
        if (piece->kind == ICU_SYNTAX)
            put_range(m, piece->text, piece->follows_syntax ? AS_BYTES_WITH_MARKUP : AS_BYTES);
        else
            buf_put_text(m->events->strings, plural_category_name(piece->category));
        put_syntax(m, begin);
        return;
    }
    for (size_t i = icu_message_mark(&m->message, at); i < m->message.marks.len; i++) {
        const IcuMark *mark = &m->message.marks.data[i];
        if (mark->text.begin >= piece->text.end) break;
        if (mark->kind == ICU_NUMBER && mark->argument == ICU_NONE && piece->argument == ICU_NONE) continue; /* text */
        put_range(m, (Range){ at, mark->text.begin }, AS_TEXT);
        at = mark->text.end;
        begin = m->events->strings->len;
        if (mark->kind == ICU_NUMBER && mark->argument != piece->argument)
            put_number(m, mark);
        else
            put_range(m, mark->text, mark->kind == ICU_APOSTROPHE ? AS_BYTES : AS_KEPT);
        if (mark->kind == ICU_APOSTROPHE) put_spelled(m, "'", begin, false);
    }
    put_range(m, (Range){ at, piece->text.end }, AS_TEXT);
}

/* Appends the text of the events, where an object counts as one character, and sets m->starts. */
static Status put_message(MessageBuilder *m, Buf *text, Err *err)
{
    const MessageEvents *events = m->events;

    m->starts = malloc((events->count + 1) * sizeof *m->starts);
    if (!m->starts) return err_memory(err, "a message");
    for (size_t i = 0; i < events->count; i++) {
        const Event *event = &events->old[i];
        const LineText part =
            event->kind == EVENT_OBJECT ? (LineText){ "\1", 1 } : text_event_text(event, events->source, events->text);
        m->starts[i] = text->len;
        buf_put(text, part.data, part.len);
    }
    m->starts[events->count] = text->len;
    buf_put(text, "", 0);
    return buf_check(text, err);
}

static Status put_pieces(MessageBuilder *m, Err *err)
{
    MessageEvents *events = m->events;
    const Event *last = &events->old[events->count - 1];
    IcuPieceList pieces = { 0 };
    size_t begin = events->strings->len;
    Status st = icu_message_divide(&m->message, events->target, &pieces, err);

    (void)put_bytes(events, (Range){ events->bytes.begin, events->old->bytes.begin });
    put_syntax(m, begin);
    /* Markup between the texts is not counted by the limits of the message. The caller refuses what is too long. */
    for (size_t i = 0; st == OK && i < pieces.len && events->strings->len <= DOCUMENT_BYTES && !m->fails; i++) {
        put_piece(m, &pieces.data[i]);
        m->fails |= events->events.len > MOST_EVENTS;
    }
    begin = events->strings->len;
    (void)put_bytes(events, (Range){ last->bytes.end, events->bytes.end });
    put_syntax(m, begin);
    free(pieces.data);
    if (st == OK) st = LIST_CHECK(&events->events, "a message", err);
    if (st == OK) st = buf_check(events->strings, err);
    return st == OK ? buf_check(events->text, err) : st;
}

Status message_events_make(MessageEvents *events, Err *err)
{
    MessageBuilder m = { .events = events };
    bool is_message = false;
    Buf text = { 0 };
    Status st = put_message(&m, &text, err);

    if (st == OK) st = icu_message_read(&m.message, text.data, text.len, &is_message, err);
    if (st == OK && is_message) st = put_pieces(&m, err);
    if (st == OK && is_message && !m.fails) events->rule = MESSAGE_SINGLE;
    for (size_t i = 0; events->rule && i < m.message.marks.len; i++)
        if (m.message.marks.data[i].kind == ICU_APOSTROPHE)
            events->rule = m.message.has_apostrophe ? MESSAGE_MIXED : MESSAGE_DOUBLED;
    icu_message_free(&m.message);
    free(m.starts);
    buf_free(&text);
    return st;
}
