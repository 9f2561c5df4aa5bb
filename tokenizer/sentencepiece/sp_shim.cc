/* sp_shim.cc - see sp_model.h. It builds with SentencePiece 0.1.97 (Debian 12) and newer. */
#include "sp_model.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include <sentencepiece_processor.h>

struct SpProcessor {
    sentencepiece::SentencePieceProcessor processor;
};

namespace
{

/* Runs `work` and returns its Status. If it throws an exception, returns an error with its message. */
template <typename Work> Status guarded(const char *path, Err *err, Work work) noexcept
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return err_memory(err, "SentencePiece");
    } catch (const std::exception &e) {
        return err_set(err, ERR_FORMAT, "%s: SentencePiece failed: %s", path, e.what());
    } catch (...) {
        return err_set(err, ERR_FORMAT, "%s: SentencePiece failed", path);
    }
}

Status check_status(const sentencepiece::util::Status &status, const char *path, Err *err)
{
    if (status.ok()) return OK;
    return err_set(err, ERR_FORMAT, "%s: SentencePiece: %s", path, status.error_message());
}

} // namespace

Status sp_shim_new(SpModel **out, SpTraits *traits, const char *path, Err *err)
{
    *out = static_cast<SpModel *>(calloc(1, sizeof **out));
    if (*out) (*out)->path = strdup(path);
    if (!*out || !(*out)->path) {
        sp_shim_free(*out);
        *out = nullptr;
        return err_memory(err, "SentencePiece");
    }
    (*out)->traits = *traits;
    *traits = {};
    return OK;
}

/* `twin` may be NULL; see sp_check_model(). */
static Status open_model(SpModel **out, const FileView *file, const SpTraits *twin, Err *err)
{
    SpTraits traits = {};
    Buf bytes = {}; /* what libsentencepiece must load */
    Status st = sp_check_model(file, twin, &bytes, &traits, err);

    *out = nullptr;
    if (st == OK) st = sp_shim_new(out, &traits, file->path, err);
    if (st == OK && bytes.len) {
        st = guarded(file->path, err, [&] {
            const std::string_view model(bytes.data, bytes.len);
            (*out)->processor = new SpProcessor;
            return check_status((*out)->processor->processor.LoadFromSerializedProto(model), file->path, err);
        });
    }
    if (st != OK) {
        sp_shim_free(*out);
        *out = nullptr;
    }
    sp_traits_free(&traits);
    buf_free(&bytes);
    return st;
}

Status sp_shim_open(SpModel **out, const FileView *file, Err *err)
{
    return open_model(out, file, nullptr, err);
}

Status sp_shim_open_pair(SpModel **source, SpModel **target, const FileView *source_file, const FileView *target_file,
                         Err *err)
{
    const MappedFile *a = &source_file->map, *b = &target_file->map;
    const bool equal = a->size == b->size && (a->data == b->data || memcmp(a->data, b->data, a->size) == 0);
    Status st = open_model(source, source_file, nullptr, err);

    *target = *source;
    if (st == OK && !equal) st = open_model(target, target_file, &(*source)->traits, err);
    return st;
}

void sp_shim_free(SpModel *model)
{
    if (!model) return;
    sp_traits_free(&model->traits);
    delete model->processor;
    free(model->path);
    free(model);
}

/* Encodes with libsentencepiece. */
static Status encode_by_library(const SpModel *model, const char *text, size_t len, SpPieceFn each, void *context,
                                RangeList *ranges, Err *err)
{
    const std::string_view view(text, len);

    return guarded(model->path, err, [&] {
        sentencepiece::ImmutableSentencePieceText pieces;
        Status st = check_status(model->processor->processor.Encode(view, pieces.mutable_proto()), model->path, err);
        if (st != OK) return st;
        for (const auto &piece : pieces.pieces()) {
            if (ranges) ranges_put(ranges, { piece.begin(), piece.end() }, 1);
            each(context, piece.piece().data(), piece.piece().size());
        }
        return OK;
    });
}

Status sp_shim_encode(const SpModel *model, SpEdges edges, const char *text, size_t len, SpPieceFn each, void *context,
                      RangeList *ranges, Err *err)
{
    const size_t first = ranges ? ranges->len : 0;
    const bool unigram = model->traits.kind == SP_UNIGRAM;
    SpTraits traits = model->traits; /* shares what the model owns */
    RangeList formed_map = {}, map = {};
    Buf formed = {}, normalized = {};
    Status st = OK;

    if (edges.follows) /* leading spaces, joined, replace the added space */
        traits.normalizer.add_dummy_prefix = traits.normalizer.remove_extra_whitespaces && len && *text == ' ';
    if (traits.byte_level) return byte_level_encode(&traits, text, len, each, context, ranges, err);
    if (traits.moses) return moses_encode(&traits, text, len, each, context, ranges, err);
    traits.keeps_end = edges.keeps_end;
    if (traits.forms.count) {
        st = normal_form_append(&traits.forms, text, len, &formed, ranges ? &formed_map : nullptr, err);
        text = formed.data ? formed.data : "";
        len = formed.len;
    }
    if (st == OK && len > INT_MAX / (traits.longest_replacement + 4))
        st = err_set(err, ERR_UNSUPPORTED, "%s: a text of %zu bytes is too long", model->path, len);
    if (st == OK && model->processor) {
        st = encode_by_library(model, text, len, each, context, ranges, err);
    } else if (st == OK) {
        st = sp_normalize(&traits, text, len, &normalized, ranges ? &map : nullptr, err);
        SpSink sink = { traits.bytes, each,    context, ranges, normalized.data, &map, traits.origins,
                        false,        unigram, nullptr, 0 };
        if (st == OK)
            st = (unigram ? unigram_encode : bpe_encode)(traits.pieces, normalized.data, normalized.len, &sink, err);
    }
    if (st == OK && ranges) st = ranges_check(ranges, err);
    if (ranges && traits.forms.count) ranges_trace(ranges, first, &formed_map);
    buf_free(&normalized);
    ranges_free(&map);
    buf_free(&formed);
    ranges_free(&formed_map);
    return st;
}

/* The context of add_cost(). */
struct Costs {
    const SpTraits *traits;
    float unknown, sum;
};

static void add_cost(void *context, const char *piece, size_t len)
{
    auto *costs = static_cast<Costs *>(context);
    const SpPieces *pieces = costs->traits->pieces;
    const int32_t id = sp_pieces_find_text(pieces, piece, len);

    if (id < 0)
        costs->sum += costs->unknown;
    else
        costs->sum += costs->traits->kind == SP_UNIGRAM ? -pieces->list[id].score : 1;
}

Status sp_shim_cost(const SpModel *model, const char *text, size_t len, float unknown, float *cost, Err *err)
{
    Costs costs = { &model->traits, unknown, 0 };
    Status st = sp_shim_encode(model, {}, text, len, add_cost, &costs, nullptr, err);

    *cost = costs.sum;
    return st;
}

size_t sp_shim_piece_count(const SpModel *model)
{
    return model->traits.pieces->count;
}

const char *sp_shim_piece(const SpModel *model, size_t id)
{
    return id < sp_shim_piece_count(model) ? sp_pieces_text(model->traits.pieces, static_cast<int32_t>(id)) : "";
}
