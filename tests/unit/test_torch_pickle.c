/* test_torch_pickle.c - pickles, opcode by opcode. */
#include "test_support.h"

#include "torch_pickle.h"

#define FILE_NAME "m.pt"

/* A string literal that contains NULs, and its size. */
#define BYTES(text) text, sizeof(text) - 1

/* Reads a copy of exactly this size, which is freed afterwards: do not use the texts of *out. */
static Status read_pickle(Pickle *pickle, PickleValue *out, const char *text, size_t size, Err *err)
{
    FREED unsigned char *bytes = malloc(size + !size);
    size_t pos = 0;
    Status st;

    assert_non_null(bytes);
    memcpy(bytes, text, size);
    *pickle = (Pickle){ .file = FILE_NAME };
    st = torch_pickle_read(pickle, out, bytes, size, &pos, err);
    if (st == OK) assert_int_equal(pos, size);
    return st;
}

TEST(each_opcode_returns_its_value)
{
    static const struct {
        const char *text;
        size_t size;
        PickleKind kind;
        int64_t integer; /* of PICKLE_INT and PICKLE_BOOL */
    } cases[] = {
        { BYTES("K\xff."), PICKLE_INT, 255 },
        { BYTES("M\xff\xff."), PICKLE_INT, 65535 },
        { BYTES("J\xff\xff\xff\xff."), PICKLE_INT, -1 },
        { BYTES("J\xff\xff\xff\x7f."), PICKLE_INT, INT32_MAX },
        { BYTES("\x8a\0."), PICKLE_INT, 0 },
        { BYTES("\x8a\1\xff."), PICKLE_INT, -1 },
        { BYTES("\x8a\2\xff\0."), PICKLE_INT, 255 },
        { BYTES("\x8a\5\0\0\0\0\1."), PICKLE_INT, INT64_C(1) << 32 },
        { BYTES("\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f."), PICKLE_INT, INT64_MAX },
        { BYTES("\x8a\x8\0\0\0\0\0\0\0\x80."), PICKLE_INT, INT64_MIN },
        { BYTES("\x8b\2\0\0\0\1\1."), PICKLE_INT, 257 },
        { BYTES("N."), PICKLE_NONE, 0 },
        { BYTES("\x80\2\x88."), PICKLE_BOOL, true },
        { BYTES("\x80\5\x95\2\0\0\0\0\0\0\0\x89."), PICKLE_BOOL, 0 },
        { BYTES("G?\xf0\0\0\0\0\0\0."), PICKLE_FLOAT, 0 },
        { BYTES("\x8a\x9"
                "123456789."),
          PICKLE_LONG, 0 },
        { BYTES("X\2\0\0\0ab."), PICKLE_TEXT, 0 },
        { BYTES("U\2ab."), PICKLE_TEXT, 0 },
        { BYTES("T\2\0\0\0ab."), PICKLE_TEXT, 0 },
        { BYTES("\x8c\2ab."), PICKLE_TEXT, 0 },
        { BYTES("\x8d\2\0\0\0\0\0\0\0ab."), PICKLE_TEXT, 0 },
        { BYTES("C\2ab."), PICKLE_OTHER, 0 },
        { BYTES("B\2\0\0\0ab."), PICKLE_OTHER, 0 },
        { BYTES("\x8e\2\0\0\0\0\0\0\0ab."), PICKLE_OTHER, 0 },
        { BYTES(")."), PICKLE_TUPLE, 0 },
        { BYTES("N\x85."), PICKLE_TUPLE, 0 },
        { BYTES("NN\x86."), PICKLE_TUPLE, 0 },
        { BYTES("NNN\x87."), PICKLE_TUPLE, 0 },
        { BYTES("(NNNNt."), PICKLE_TUPLE, 0 },
        { BYTES("]."), PICKLE_LIST, 0 },
        { BYTES("]Na."), PICKLE_LIST, 0 },
        { BYTES("](NNNNNNe."), PICKLE_LIST, 0 },
        { BYTES("}."), PICKLE_DICT, 0 },
        { BYTES("}U\1aNs."), PICKLE_DICT, 0 },
        { BYTES("}(U\1aNU\1bNu."), PICKLE_DICT, 0 },
        { BYTES("\x8f(NNN\x90."), PICKLE_OTHER, 0 },
        { BYTES("(NN\x91."), PICKLE_OTHER, 0 },
        { BYTES("N(NN1."), PICKLE_NONE, 0 },
        { BYTES("NK\1"
                "0."),
          PICKLE_NONE, 0 },
        { BYTES("ctorch\nFloatStorage\n."), PICKLE_GLOBAL, 0 },
        { BYTES("\x8c\5torch\x8c\14FloatStorage\x93."), PICKLE_GLOBAL, 0 },
        { BYTES("ccollections\nOrderedDict\n)R."), PICKLE_DICT, 0 },
        { BYTES("ccollections\nOrderedDict\n]](U\1aNea\x85R."), PICKLE_DICT, 0 },
        { BYTES("ccollections\nCounter\n}K\3K\1s\x85R."), PICKLE_DICT, 0 },
        { BYTES("ccollections\nOrderedDict\n)R}b."), PICKLE_DICT, 0 },
        { BYTES("ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RK\1]s."), PICKLE_DICT, 0 },
        { BYTES("cargparse\nNamespace\n)\x81}U\2lrK\1sb."), PICKLE_OTHER, 0 },
        { BYTES("ccollections\nOrderedDict\n)\x81."), PICKLE_DICT, 0 },
        { BYTES("ctorch\nSize\nK\2\x85\x85R."), PICKLE_TUPLE, 0 },
        { BYTES("ctorch\ndevice\nU\3cpu\x85R."), PICKLE_OTHER, 0 },
        { BYTES("c__builtin__\nset\n]\x85R."), PICKLE_OTHER, 0 },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1"
                "0U\3cpuK\6tQ."),
          PICKLE_STORAGE, 0 },
        { BYTES("]q\0h\0a."), PICKLE_LIST, 0 }, /* contains itself */
        { BYTES("Kaq\1K\1"
                "0h\1."),
          PICKLE_INT, 97 },
        { BYTES("Ka\x94r\1\0\0\0"
                "0j\1\0\0\0."),
          PICKLE_INT, 97 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err;
        assert_ok(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), &err);
        if (value.kind != cases[i].kind) fail_msg("case %zu: kind %d, not %d", i, value.kind, cases[i].kind);
        if ((value.kind == PICKLE_INT || value.kind == PICKLE_BOOL) && value.as.integer != cases[i].integer)
            fail_msg("case %zu: %lld, not %lld", i, (long long)value.as.integer, (long long)cases[i].integer);
        torch_pickle_free(&pickle);
    }
}

TEST(uses_the_last_of_equal_keys)
{
    static const char text[] = "}(X\1\0\0\0aK\1U\1bK\2\x8c\1aK\3u.";
    size_t pos = 0;
    FREED_BY(torch_pickle_free) Pickle pickle = { .file = FILE_NAME };
    PickleValue dict;
    Err err;

    assert_ok(torch_pickle_read(&pickle, &dict, (const unsigned char *)text, sizeof text - 1, &pos, &err), &err);
    assert_int_equal(dict.as.node->count, 6);
    assert_int_equal(torch_pickle_member(&dict, "a")->as.integer, 3);
    assert_int_equal(torch_pickle_member(&dict, "b")->as.integer, 2);
    assert_null(torch_pickle_member(&dict, "c"));
    assert_null(torch_pickle_member(&dict, ""));
}

TEST(reports_each_broken_pickle)
{
#define AT(byte, text)       "pickle, byte " #byte ": " text
#define ENDS(byte, size)     AT(byte, "cut off: the pickle goes beyond its end at byte " #size)
#define NO_VALUE(byte, op)   AT(byte, "opcode " #op " finds no value on the stack")
#define BAD_VALUE(byte, op)  AT(byte, "opcode " #op " finds a value of the wrong kind")
#define BAD_CALL(byte, name) AT(byte, name " is called with other arguments than those of torch.save")
#define NO_STORAGE(byte)     AT(byte, "a persistent id that is not a storage of torch.save")
#define ASKS_FOR(name)       "the pickle asks for " name ", which no state dict needs: refused; save model.state_dict() alone"
#define MODULE                                                                                                         \
    "holds a whole module of class my.code.Net, which only its Python code can read: save model.state_dict() instead"
#define TEN     "0123456789"
#define STORAGE "(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ"
    static const struct {
        const char *text;
        size_t size;
        const char *fault;
        Status status;
    } cases[] = {
        { BYTES(""), ENDS(0, 0), ERR_FORMAT },
        { BYTES("N"), ENDS(1, 1), ERR_FORMAT },
        { BYTES("X\5\0\0\0abc."), ENDS(0, 9), ERR_FORMAT },
        { BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."), ENDS(0, 10), ERR_FORMAT },
        { BYTES("\x80\2\x95\xff\xff\xff\xff\0\0\0\0N."), ENDS(2, 13), ERR_FORMAT },
        { BYTES("\x80\2\x95\3\0\0\0\0\0\0\0N."), ENDS(2, 13), ERR_FORMAT },
        { BYTES("\x80\6N."), "pickle, byte 0: protocol 6 is newer than 5", ERR_FORMAT },
        { BYTES("."), NO_VALUE(0, 0x2e), ERR_FORMAT },
        { BYTES("NI1\n."), "pickle, byte 1: opcode 0x49, which torch.save does not write", ERR_FORMAT },
        { BYTES("Na."), NO_VALUE(1, 0x61), ERR_FORMAT },
        { BYTES("NNa."), BAD_VALUE(2, 0x61), ERR_FORMAT },
        { BYTES("](Na."), NO_VALUE(3, 0x61), ERR_FORMAT },
        { BYTES("}(Nu."), BAD_VALUE(3, 0x75), ERR_FORMAT },
        { BYTES("]Nt."), NO_VALUE(2, 0x74), ERR_FORMAT },
        { BYTES("(q\0."), NO_VALUE(1, 0x71), ERR_FORMAT },
        { BYTES("Nr\xff\xff\xff\xff."), "pickle, byte 1: memo 4294967295 is out of order", ERR_FORMAT },
        { BYTES("Nh\0."), "pickle, byte 1: memo 0 is empty", ERR_FORMAT },
        { BYTES("Nq\1h\0."), "pickle, byte 3: memo 0 is empty", ERR_FORMAT },
        { BYTES("NQ."), BAD_VALUE(1, 0x51), ERR_FORMAT },
        { BYTES(")Q."), NO_STORAGE(1), ERR_FORMAT },
        { BYTES("(U\6modulectorch\nFloatStorage\nU\1kU\3cpuK\6tQ."), NO_STORAGE(40), ERR_FORMAT },
        { BYTES("(U\7storagectorch\nfloat32\nU\1kU\3cpuK\6tQ."), NO_STORAGE(36), ERR_FORMAT },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1kU\3cpuJ\xff\xff\xff\xfftQ."), NO_STORAGE(44), ERR_FORMAT },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\145" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "0U\3cpuK\6tQ."),
          NO_STORAGE(141), ERR_FORMAT },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6)N\x86tQ."),
          "pickle, byte 44: a storage inside another one, as PyTorch before 0.4 wrote them, is not supported: load and "
          "save the file with a newer PyTorch",
          ERR_FORMAT },
        { BYTES(STORAGE "(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\7tQ."),
          "pickle, byte 83: storage k has 7 elements of FloatStorage here, 6 of FloatStorage before", ERR_FORMAT },
        { BYTES(STORAGE "(U\7storagectorch\nHalfStorage\nU\1kU\3cpuK\6tQ."),
          "pickle, byte 82: storage k has 6 elements of HalfStorage here, 6 of FloatStorage before", ERR_FORMAT },
        { BYTES("N)R."), BAD_VALUE(2, 0x52), ERR_FORMAT },
        { BYTES("ccollections\nOrderedDict\nNR."), BAD_VALUE(26, 0x52), ERR_FORMAT },
        { BYTES("ccollections\nOrderedDict\n]Na\x85R."), BAD_CALL(29, "collections.OrderedDict"), ERR_FORMAT },
        { BYTES("ctorch\nFloatStorage\n)R."), BAD_CALL(21, "torch.FloatStorage"), ERR_FORMAT },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n)R."), BAD_CALL(34, "torch._utils._rebuild_tensor_v2"),
          ERR_FORMAT },
        { BYTES("ctorch._utils\n_rebuild_parameter\nN\x85R."), BAD_CALL(35, "torch._utils._rebuild_parameter"),
          ERR_FORMAT },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE "K\0))\x89N}U\3negN\x86s"
                "tR."),
          BAD_VALUE(90, 0x73), ERR_FORMAT },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE "K\0))\x89N}U\3neg\x88stR."),
          "pickle, byte 91: a conjugate or negated view is not supported: save the tensor's clone", ERR_FORMAT },
        { BYTES("]}b."), BAD_VALUE(2, 0x62), ERR_FORMAT },
        { BYTES("cno newline"), "pickle, byte 0: the name of a global has no end", ERR_FORMAT },
        { BYTES("cposix\nsystem\n."), ASKS_FOR("posix.system"), ERR_FORMAT },
        { BYTES("\x8c\5posix\x8c\6system\x93."), ASKS_FOR("posix.system"), ERR_FORMAT },
        { BYTES("(iposix\nsystem\n."), ASKS_FOR("posix.system"), ERR_FORMAT },
        { BYTES("(itorch\nSize\n."), "pickle, byte 1: opcode INST, which torch.save does not write", ERR_FORMAT },
        { BYTES("ctorch\nsize\n."), ASKS_FOR("torch.size"), ERR_FORMAT },
        { BYTES("ctorch.\nSize\n."), ASKS_FOR("torch..Size"), ERR_FORMAT },
        { BYTES("\x8c\6torch\0\x8c\4Size\x93."), ASKS_FOR("torch?.Size"), ERR_FORMAT },
        { BYTES("c\x1b[31m\nx\n."), ASKS_FOR("?[31m.x"), ERR_FORMAT },
        /* The names of special tensors are not forbidden. */
        { BYTES("ctorch._utils\n_rebuild_qtensor\n)R."),
          "holds tensors of torch._utils._rebuild_qtensor (quantized, sparse or without numbers), which are not "
          "supported: save plain ones",
          ERR_UNSUPPORTED },
        { BYTES("ctorch._utilz\n_rebuild_qtensor\n)R."), ASKS_FOR("torch._utilz._rebuild_qtensor"), ERR_FORMAT },
        /* A whole module is named, whatever it contains. */
        { BYTES("\x80\2cmy.code\nNet\n)\x81}(X\x08\0\0\0training\x88X\x0b\0\0\0_parameters}u"), MODULE,
          ERR_UNSUPPORTED },
        { BYTES("\x80\4\x8c\7my.code\x8c\3Net\x93)\x81}(\x8c\x08training\x88\x8c\x0b_parameters}u"), MODULE,
          ERR_UNSUPPORTED },
        { BYTES("cmy.code\nNet\n_\x0b_parameters"), MODULE, ERR_UNSUPPORTED },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err = { "" };
        FREED char *message = support_format(FILE_NAME ": %s", cases[i].fault);
        assert_fails(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), cases[i].status, &err, message);
        torch_pickle_free(&pickle);
    }
}

/* `head`, `count` times `more`, and `tail`. */
static Status read_repeated(const char *head, const char *more, size_t count, const char *tail, Err *err)
{
    size_t size = strlen(head) + count * strlen(more) + strlen(tail);
    char *text = malloc(size + 1), *end = text;
    Pickle pickle;
    PickleValue value;
    Status st;

    assert_non_null(text);
    end = stpcpy(end, head);
    for (size_t i = 0; i < count; i++) end = stpcpy(end, more);
    stpcpy(end, tail);
    st = read_pickle(&pickle, &value, text, size, err);
    torch_pickle_free(&pickle);
    free(text);
    return st;
}

TEST(bounds_the_memory_that_a_small_file_requests)
{
    static const size_t million = 1 << 20;
    Err err;

    assert_ok(read_repeated("", "]", million, ".", &err), &err);
    assert_fails(read_repeated("", "]", million + 1, ".", &err), ERR_FORMAT, &err,
                 FILE_NAME ": pickle, byte 1048576: more than 1048576 tuples, lists and dicts");
    assert_fails(read_repeated("", "N", 8 * million, ".", &err), ERR_FORMAT, &err,
                 FILE_NAME ": pickle, byte 8388608: more than 8388608 opcodes");
    /* Each call copies the dict of the previous one. */
    assert_fails(read_repeated("}("
                               "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN"
                               "uq\1",
                               "0ccollections\nCounter\nh\1\x85R", 300000, ".", &err),
                 ERR_FORMAT, &err, FILE_NAME ": pickle, byte 6609236: more than 8388608 values");
    assert_ok(read_repeated("", "]\x85", 100000, ".", &err), &err); /* no recursion */
}

TESTS(test_torch_pickle);
