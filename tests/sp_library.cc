/* sp_library.cc - see sp_library.h. */
#include "sp_library.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sentencepiece_processor.h>

struct SpLibrary {
    sentencepiece::SentencePieceProcessor processor;
};

SpLibrary *sp_library_open(const void *model, size_t size)
{
    auto library = std::make_unique<SpLibrary>();
    const std::string_view bytes(static_cast<const char *>(model), size);

    return library->processor.LoadFromSerializedProto(bytes).ok() ? library.release() : nullptr;
}

void sp_library_free(SpLibrary *library)
{
    delete library;
}

bool sp_library_encode(const SpLibrary *library, const char *text, size_t len, SpLibraryFn each, void *context)
{
    sentencepiece::ImmutableSentencePieceText pieces;

    if (!library->processor.Encode(std::string_view(text, len), pieces.mutable_proto()).ok()) return false;
    for (const auto &piece : pieces.pieces())
        each(context, piece.piece().data(), piece.piece().size(), piece.begin(), piece.end());
    return true;
}

char *sp_library_decode(const SpLibrary *library, const char *const *pieces, size_t count, size_t *len)
{
    const std::vector<std::string> list(pieces, pieces + count);
    std::string text;

    if (!library->processor.Decode(list, &text).ok()) abort();
    *len = text.size();
    char *copy = static_cast<char *>(malloc(text.size() + 1));
    if (copy) memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}
