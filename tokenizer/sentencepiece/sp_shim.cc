/* sp_shim.cc - see sp_shim.h. This is the only C++ file. It builds with SentencePiece 0.1.97 (Debian 12) and newer. */
#include "sp_shim.h"

#include <climits>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sentencepiece_processor.h>

extern "C" {
#include "stored_file.h"
#include "sp_check.h"
#include "sp_steps.h"
}

struct SpModel {
    std::string path; /* for messages */
    SpTraits traits = {};
    NormalForms forms = {};
    sentencepiece::SentencePieceProcessor processor;

    SpModel() = default;
    SpModel(const SpModel &) = delete;
    SpModel &operator=(const SpModel &) = delete;
    ~SpModel()
    {
        sp_traits_free(&traits);
    }
};

namespace
{

/* Runs `work`, which returns a Status, and converts its exceptions to one. */
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

/* Loads the bytes after sp_check_model() has validated them. */
Status load(SpModel *model, const unsigned char *data, size_t size, Err *err)
{
    const char *path = model->path.c_str();
    Buf bytes = {};
    Status st = sp_check_model(data, size, path, &bytes, &model->traits, err);

    if (st == OK && bytes.len) {
        st = guarded(path, err, [&] {
            return check_status(model->processor.LoadFromSerializedProto(std::string_view(bytes.data, bytes.len)), path,
                                err);
        });
    }
    buf_free(&bytes);
    return st;
}

} // namespace

Status sp_shim_open_bytes(SpModel **out, const unsigned char *data, size_t size, const char *name, Err *err)
{
    *out = nullptr;
    return guarded(name, err, [&] {
        auto model = std::make_unique<SpModel>();
        model->path = name;
        Status st = load(model.get(), data, size, err);
        if (st == OK) *out = model.release();
        return st;
    });
}

Status sp_shim_open(SpModel **out, const FileView *file, Err *err)
{
    return sp_shim_open_bytes(out, file->map.data, file->map.size, file->path, err);
}

void sp_shim_set_forms(SpModel *model, const NormalForms *forms)
{
    model->forms = *forms;
}

void sp_shim_free(SpModel *model)
{
    delete model;
}

static Status encode_normalized(const SpTraits &traits, const char *text, size_t len, SpPieceFn each, void *context,
                                Err *err)
{
    const SpSink sink = { traits.bytes, each, context };
    const auto cut_normalized = traits.kind == SP_UNIGRAM ? unigram_encode : bpe_encode;
    Buf normalized = {};
    Status st = sp_normalize(&traits, text, len, &normalized, err);

    if (st == OK) st = cut_normalized(traits.pieces, normalized.data, normalized.len, &sink, err);
    buf_free(&normalized);
    return st;
}

static Status emit_pieces(const std::vector<std::string> &pieces, SpPieceFn each, void *context, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < pieces.size(); i++) st = each(context, pieces[i].data(), pieces[i].size(), err);
    return st;
}

static Status encode(const SpModel *model, const char *text, size_t len, SpPieceFn each, void *context, Err *err)
{
    const char *path = model->path.c_str();

    if (len > sp_shim_longest_text(model))
        return err_set(err, ERR_UNSUPPORTED, "%s: a text of %zu bytes is too long", path, len);
    if (sp_check_can_encode(&model->traits)) return encode_normalized(model->traits, text, len, each, context, err);
    return guarded(path, err, [&] {
        std::vector<std::string> pieces;
        Status st = check_status(model->processor.Encode(std::string_view(text, len), &pieces), path, err);
        return st == OK ? emit_pieces(pieces, each, context, err) : st;
    });
}

Status sp_shim_encode(const SpModel *model, const char *text, size_t len, SpPieceFn each, void *context, Err *err)
{
    Buf formed = {};
    Status st;

    if (model->forms.count == 0) return encode(model, text, len, each, context, err);
    st = normal_form_append(&model->forms, text, len, &formed, err);
    if (st == OK) st = encode(model, formed.data ? formed.data : "", formed.len, each, context, err);
    buf_free(&formed);
    return st;
}

Status sp_shim_decode(const SpModel *model, const char *const *pieces, size_t count, Buf *out, Err *err)
{
    const char *path = model->path.c_str();

    if (sp_check_can_decode(&model->traits)) return sp_decode(&model->traits, pieces, count, out, err);
    return guarded(path, err, [&] {
        /* The list holds strings, not views: exactMatchSearch() treats an empty piece as NUL-terminated text of
         * unknown length. */
        const std::vector<std::string> list(pieces, pieces + count);
        std::string text;
        Status st = check_status(model->processor.Decode(list, &text), path, err);
        return st == OK ? buf_append(out, text.data(), text.size(), err) : st;
    });
}

size_t sp_shim_piece_count(const SpModel *model)
{
    return sp_pieces_count(model->traits.pieces);
}

const char *sp_shim_piece(const SpModel *model, size_t id)
{
    return id < sp_shim_piece_count(model) ? sp_pieces_text(model->traits.pieces, static_cast<int32_t>(id)) : "";
}

bool sp_shim_is_control(const SpModel *model, size_t id)
{
    return id < sp_shim_piece_count(model) &&
           sp_pieces_type(model->traits.pieces, static_cast<int32_t>(id)) == SP_CONTROL;
}

bool sp_shim_adds_prefix(const SpModel *model)
{
    return model->traits.add_dummy_prefix;
}

bool sp_shim_has_bytes(const SpModel *model)
{
    return model->traits.bytes;
}

size_t sp_shim_longest_text(const SpModel *model)
{
    return INT_MAX / (model->traits.longest_replacement + 4);
}
