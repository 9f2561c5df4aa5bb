/* test_torch_pickle.c - pickles, opcode by opcode. */
#include "test_support.h"

#include "torch_pickle.h"

#define FILE_NAME "m.pt"

/* A string literal that contains NULs, and its size. */
#define BYTES(text) text, sizeof(text) - 1

/* Reads a copy of exactly this size, which is freed afterwards: do not use the texts of *out. */
static Status read_pickle(Pickle *pickle, PickleValue *out, const char *text, size_t size, Err *err)
{
    unsigned char *bytes = malloc(size + !size);
    size_t pos = 0;
    Status st;

    assert_non_null(bytes);
    memcpy(bytes, text, size);
    *pickle = (Pickle){ .file = FILE_NAME };
    st = torch_pickle_read(pickle, out, bytes, size, &pos, err);
    if (st == OK) assert_int_equal(pos, size);
    free(bytes);
    return st;
}

static void reads_numbers_in_every_encoding(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        int64_t value;
    } cases[] = {
        { BYTES("K\xff."), 255 },
        { BYTES("M\xff\xff."), 65535 },
        { BYTES("J\xff\xff\xff\xff."), -1 },
        { BYTES("J\xff\xff\xff\x7f."), INT32_MAX },
        { BYTES("\x8a\0."), 0 },
        { BYTES("\x8a\1\xff."), -1 },
        { BYTES("\x8a\2\xff\0."), 255 },
        { BYTES("\x8a\5\0\0\0\0\1."), INT64_C(1) << 32 },
        { BYTES("\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f."), INT64_MAX },
        { BYTES("\x8a\x8\0\0\0\0\0\0\0\x80."), INT64_MIN },
        { BYTES("\x8b\2\0\0\0\1\1."), 257 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err;
        assert_ok(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), &err);
        assert_int_equal(value.kind, PICKLE_INT);
        assert_true(value.as.integer == cases[i].value);
        torch_pickle_free(&pickle);
    }
}

static void each_opcode_returns_its_kind(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        PickleKind kind;
    } cases[] = {
        { BYTES("N."), PICKLE_NONE },
        { BYTES("\x80\2\x88."), PICKLE_BOOL },
        { BYTES("\x80\5\x95\2\0\0\0\0\0\0\0\x89."), PICKLE_BOOL },
        { BYTES("G?\xf0\0\0\0\0\0\0."), PICKLE_FLOAT },
        { BYTES("\x8a\x9"
                "123456789."),
          PICKLE_LONG },
        { BYTES("X\2\0\0\0ab."), PICKLE_TEXT },
        { BYTES("U\2ab."), PICKLE_TEXT },
        { BYTES("T\2\0\0\0ab."), PICKLE_TEXT },
        { BYTES("\x8c\2ab."), PICKLE_TEXT },
        { BYTES("\x8d\2\0\0\0\0\0\0\0ab."), PICKLE_TEXT },
        { BYTES("C\2ab."), PICKLE_OTHER },
        { BYTES("B\2\0\0\0ab."), PICKLE_OTHER },
        { BYTES("\x8e\2\0\0\0\0\0\0\0ab."), PICKLE_OTHER },
        { BYTES(")."), PICKLE_TUPLE },
        { BYTES("N\x85."), PICKLE_TUPLE },
        { BYTES("NN\x86."), PICKLE_TUPLE },
        { BYTES("NNN\x87."), PICKLE_TUPLE },
        { BYTES("(NNNNt."), PICKLE_TUPLE },
        { BYTES("]."), PICKLE_LIST },
        { BYTES("]Na."), PICKLE_LIST },
        { BYTES("](NNNNNNe."), PICKLE_LIST },
        { BYTES("}."), PICKLE_DICT },
        { BYTES("}U\1aNs."), PICKLE_DICT },
        { BYTES("}(U\1aNU\1bNu."), PICKLE_DICT },
        { BYTES("\x8f(NNN\x90."), PICKLE_OTHER },
        { BYTES("(NN\x91."), PICKLE_OTHER },
        { BYTES("N(NN1."), PICKLE_NONE },
        { BYTES("NK\1"
                "0."),
          PICKLE_NONE },
        { BYTES("ctorch\nFloatStorage\n."), PICKLE_GLOBAL },
        { BYTES("\x8c\5torch\x8c\14FloatStorage\x93."), PICKLE_GLOBAL },
        { BYTES("ccollections\nOrderedDict\n)R."), PICKLE_DICT },
        { BYTES("ccollections\nOrderedDict\n]](U\1aNea\x85R."), PICKLE_DICT },
        { BYTES("ccollections\nCounter\n}K\3K\1s\x85R."), PICKLE_DICT },
        { BYTES("ccollections\nOrderedDict\n)R}b."), PICKLE_DICT },
        { BYTES("ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RK\1]s."), PICKLE_DICT },
        { BYTES("cargparse\nNamespace\n)\x81}U\2lrK\1sb."), PICKLE_OTHER },
        { BYTES("ccollections\nOrderedDict\n)\x81."), PICKLE_DICT },
        { BYTES("ctorch\nSize\nK\2\x85\x85R."), PICKLE_TUPLE },
        { BYTES("ctorch\ndevice\nU\3cpu\x85R."), PICKLE_OTHER },
        { BYTES("c__builtin__\nset\n]\x85R."), PICKLE_OTHER },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1"
                "0U\3cpuK\6tQ."),
          PICKLE_STORAGE },
        { BYTES("]q\0h\0a."), PICKLE_LIST }, /* contains itself */
        { BYTES("Kaq\1K\1"
                "0h\1."),
          PICKLE_INT },
        { BYTES("Ka\x94r\1\0\0\0"
                "0j\1\0\0\0."),
          PICKLE_INT },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err;
        assert_ok(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), &err);
        if (value.kind != cases[i].kind) fail_msg("case %zu: kind %d, not %d", i, value.kind, cases[i].kind);
        torch_pickle_free(&pickle);
    }
}

static void uses_the_last_of_equal_keys(void **state)
{
    static const char text[] = "}(X\1\0\0\0aK\1U\1bK\2\x8c\1aK\3u.";
    size_t pos = 0;
    Pickle pickle = { .file = FILE_NAME };
    PickleValue dict;
    Err err;

    (void)state;
    assert_ok(torch_pickle_read(&pickle, &dict, (const unsigned char *)text, sizeof text - 1, &pos, &err), &err);
    assert_int_equal(dict.as.node->count, 6);
    assert_int_equal(torch_pickle_member(&dict, "a")->as.integer, 3);
    assert_int_equal(torch_pickle_member(&dict, "b")->as.integer, 2);
    assert_null(torch_pickle_member(&dict, "c"));
    assert_null(torch_pickle_member(&dict, ""));
    torch_pickle_free(&pickle);
}

static void reports_each_broken_pickle(void **state)
{
#define TEN     "0123456789"
#define STORAGE "(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ"
    static const struct {
        const char *text;
        size_t size;
        const char *fault;
    } cases[] = {
        { BYTES(""), "pickle, byte 0: cut off: the pickle goes beyond its end at byte 0" },
        { BYTES("N"), "pickle, byte 1: cut off: the pickle goes beyond its end at byte 1" },
        { BYTES("X\5\0\0\0abc."), "pickle, byte 0: cut off: the pickle goes beyond its end at byte 9" },
        { BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."),
          "pickle, byte 0: cut off: the pickle goes beyond its end at byte 10" },
        { BYTES("\x80\2\x95\xff\xff\xff\xff\0\0\0\0N."),
          "pickle, byte 2: cut off: the pickle goes beyond its end at byte 13" },
        { BYTES("\x80\6N."), "pickle, byte 0: protocol 6 is newer than 5" },
        { BYTES("."), "pickle, byte 0: opcode 0x2e finds no value on the stack" },
        { BYTES("NI1\n."), "pickle, byte 1: opcode 0x49, which torch.save does not write" },
        { BYTES("Na."), "pickle, byte 1: opcode 0x61 finds no value on the stack" },
        { BYTES("NNa."), "pickle, byte 2: opcode 0x61 finds a value of the wrong kind" },
        { BYTES("](Na."), "pickle, byte 3: opcode 0x61 finds no value on the stack" },
        { BYTES("}(Nu."), "pickle, byte 3: opcode 0x75 finds a value of the wrong kind" },
        { BYTES("]Nt."), "pickle, byte 2: opcode 0x74 finds no value on the stack" },
        { BYTES("(q\0."), "pickle, byte 1: opcode 0x71 finds no value on the stack" },
        { BYTES("Nr\xff\xff\xff\xff."), "pickle, byte 1: memo 4294967295 is out of order" },
        { BYTES("Nh\0."), "pickle, byte 1: memo 0 is empty" },
        { BYTES("Nq\1h\0."), "pickle, byte 3: memo 0 is empty" },
        { BYTES("NQ."), "pickle, byte 1: opcode 0x51 finds a value of the wrong kind" },
        { BYTES(")Q."), "pickle, byte 1: a persistent id that is not a storage of torch.save" },
        { BYTES("(U\6modulectorch\nFloatStorage\nU\1kU\3cpuK\6tQ."),
          "pickle, byte 40: a persistent id that is not a storage of torch.save" },
        { BYTES("(U\7storagectorch\nfloat32\nU\1kU\3cpuK\6tQ."),
          "pickle, byte 36: a persistent id that is not a storage of torch.save" },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1kU\3cpuJ\xff\xff\xff\xfftQ."),
          "pickle, byte 44: a persistent id that is not a storage of torch.save" },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\145" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "0U\3cpuK\6tQ."),
          "pickle, byte 141: a persistent id that is not a storage of torch.save" },
        { BYTES("(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6)N\x86tQ."),
          "pickle, byte 44: a storage inside another one, as PyTorch before 0.4 wrote them, is not supported: load and "
          "save the file with a newer PyTorch" },
        { BYTES(STORAGE "(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\7tQ."),
          "pickle, byte 83: storage k has 7 elements of FloatStorage here, 6 of FloatStorage before" },
        { BYTES(STORAGE "(U\7storagectorch\nHalfStorage\nU\1kU\3cpuK\6tQ."),
          "pickle, byte 82: storage k has 6 elements of HalfStorage here, 6 of FloatStorage before" },
        { BYTES("N)R."), "pickle, byte 2: opcode 0x52 finds a value of the wrong kind" },
        { BYTES("ccollections\nOrderedDict\nNR."), "pickle, byte 26: opcode 0x52 finds a value of the wrong kind" },
        { BYTES("ccollections\nOrderedDict\n]Na\x85R."),
          "pickle, byte 29: collections.OrderedDict is called with other arguments than those of torch.save" },
        { BYTES("ctorch\nFloatStorage\n)R."),
          "pickle, byte 21: torch.FloatStorage is called with other arguments than those of torch.save" },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n)R."),
          "pickle, byte 34: torch._utils._rebuild_tensor_v2 is called with other arguments than those of torch.save" },
        { BYTES("ctorch._utils\n_rebuild_parameter\nN\x85R."),
          "pickle, byte 35: torch._utils._rebuild_parameter is called with other arguments than those of torch.save" },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE "K\0))\x89N}U\3negN\x86s"
                "tR."),
          "pickle, byte 90: opcode 0x73 finds a value of the wrong kind" },
        { BYTES("ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE "K\0))\x89N}U\3neg\x88stR."),
          "pickle, byte 91: a conjugate or negated view is not supported: save the tensor's clone" },
        { BYTES("]}b."), "pickle, byte 2: opcode 0x62 finds a value of the wrong kind" },
        { BYTES("cno newline"), "pickle, byte 0: the name of a global has no end" },
        { BYTES("cposix\nsystem\n."),
          "the pickle asks for posix.system, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("\x8c\5posix\x8c\6system\x93."),
          "the pickle asks for posix.system, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("(iposix\nsystem\n."),
          "the pickle asks for posix.system, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("(itorch\nSize\n."), "pickle, byte 1: opcode INST, which torch.save does not write" },
        { BYTES("ctorch\nsize\n."),
          "the pickle asks for torch.size, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("ctorch.\nSize\n."),
          "the pickle asks for torch..Size, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("\x8c\6torch\0\x8c\4Size\x93."),
          "the pickle asks for torch?.Size, which no state dict needs: refused; save model.state_dict() alone" },
        { BYTES("c\x1b[31m\nx\n."),
          "the pickle asks for ?[31m.x, which no state dict needs: refused; save model.state_dict() alone" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err = { "" };
        char *message = support_format(FILE_NAME ": %s", cases[i].fault);
        assert_fails(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), ERR_FORMAT, &err, message);
        torch_pickle_free(&pickle);
        free(message);
    }
}

static void distinguishes_special_tensors_from_forbidden_names(void **state)
{
    Pickle pickle;
    PickleValue value;
    Err err;

    (void)state;
    assert_fails(read_pickle(&pickle, &value, BYTES("ctorch._utils\n_rebuild_qtensor\n)R."), &err), ERR_UNSUPPORTED,
                 &err,
                 FILE_NAME ": holds tensors of torch._utils._rebuild_qtensor (quantized, sparse or without "
                           "numbers), which are not supported: save plain ones");
    torch_pickle_free(&pickle);
    assert_fails(read_pickle(&pickle, &value, BYTES("ctorch._utilz\n_rebuild_qtensor\n)R."), &err), ERR_FORMAT, &err,
                 FILE_NAME ": the pickle asks for torch._utilz._rebuild_qtensor, which no state dict needs: refused; "
                           "save model.state_dict() alone");
    torch_pickle_free(&pickle);
}

static void names_a_whole_module_whatever_it_contains(void **state)
{
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {
        { BYTES("\x80\2cmy.code\nNet\n)\x81}(X\x08\0\0\0training\x88X\x0b\0\0\0_parameters}u") },
        { BYTES("\x80\4\x8c\7my.code\x8c\3Net\x93)\x81}(\x8c\x08training\x88\x8c\x0b_parameters}u") },
        { BYTES("cmy.code\nNet\n_\x0b_parameters") },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pickle pickle;
        PickleValue value;
        Err err;
        assert_fails(read_pickle(&pickle, &value, cases[i].text, cases[i].size, &err), ERR_UNSUPPORTED, &err,
                     FILE_NAME ": holds a whole module of class my.code.Net, which only its Python code can read: save "
                               "model.state_dict() instead");
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

static void bounds_the_memory_that_a_small_file_requests(void **state)
{
    static const size_t million = 1 << 20;
    Err err;

    (void)state;
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

TEST_FILE(test_torch_pickle)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers_in_every_encoding),
        cmocka_unit_test(each_opcode_returns_its_kind),
        cmocka_unit_test(uses_the_last_of_equal_keys),
        cmocka_unit_test(reports_each_broken_pickle),
        cmocka_unit_test(distinguishes_special_tensors_from_forbidden_names),
        cmocka_unit_test(names_a_whole_module_whatever_it_contains),
        cmocka_unit_test(bounds_the_memory_that_a_small_file_requests),
    };

    return cmocka_run_group_tests_name("torch_pickle", tests, NULL, NULL);
}
