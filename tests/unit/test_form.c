/* test_form.c - the parameters of requests to dragoman-server. */
#include "test_support.h"

#include "form.h"

#define MOST 20

/* A form that was parsed from a copy of a body. */
typedef struct {
    Form form;
    char *body;
    Err err;
    Status st;
} Parsed;

typedef enum { AS_JSON, AS_ENCODED, AS_MULTIPART } Kind;

static Parsed parse(Kind kind, const char *body, size_t length)
{
    Parsed p = { .form = { .most = MOST }, .body = malloc(length + 1) };

    assert_non_null(p.body);
    memcpy(p.body, body, length);
    p.body[length] = '\0';
    p.st = kind == AS_JSON      ? form_parse_json(&p.form, p.body, length, &p.err)
           : kind == AS_ENCODED ? form_parse_encoded(&p.form, p.body, length, &p.err)
                                : form_parse_multipart(&p.form, p.body, length, "Bx", 2, &p.err);
    return p;
}

static void end(Parsed *p)
{
    form_free(&p->form);
    free(p->body);
}

/* Checks a text; NULL: there is none. */
static void check_text(const Form *form, const char *name, const char *expected)
{
    size_t length = 77;
    const char *text = form_text(form, name, &length);

    if (!expected) {
        assert_null(text);
        return;
    }
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

TEST(decodes_url_encoded_fields)
{
    static const char body[] = "q=a+b%20c%C3%A4%&x=&y&=z&n=%6&q=2&e==%3d&nul=a%00b";
    Parsed p = parse(AS_ENCODED, body, sizeof body - 1);
    TextParts texts = { .data = NULL };
    bool is_list;
    size_t length;

    assert_ok(p.st, &p.err);
    check_text(&p.form, "q", "a b cä%");
    check_text(&p.form, "x", "");
    check_text(&p.form, "y", NULL);
    check_text(&p.form, "", "z");
    check_text(&p.form, "n", "%6");
    check_text(&p.form, "e", "==");
    assert_non_null(form_text(&p.form, "nul", &length));
    assert_int_equal(length, 3);
    assert_true(form_texts(&p.form, "q", &texts, &is_list));
    assert_int_equal(texts.len, 2);
    assert_string_equal(texts.data[1].data, "2");
    assert_false(is_list);
    free(texts.data);
    end(&p);
}

TEST(reads_multipart_forms_with_texts_and_files)
{
    static const char body[] =
        "preamble\r\n--Bx\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\n--B\r\nb\r\n--Bx \r\n"
        "content-disposition:form-data;filename=\"n;a\\\"me.txt\"; name=file\r\nContent-Type: "
        "text/plain\r\n\r\n\r\n--Bx\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n--Bx--\r\nrest";
    Parsed p = parse(AS_MULTIPART, body, sizeof body - 1);
    const Field *file;

    assert_ok(p.st, &p.err);
    check_text(&p.form, "q", "a\r\n--B\r\nb");
    check_text(&p.form, "file", NULL); /* a file is no text */
    check_text(&p.form, "empty", "");
    file = form_file(&p.form, "file");
    assert_non_null(file);
    assert_string_equal(file->file, "n;a\"me.txt");
    assert_int_equal(file->length, 0);
    assert_null(form_file(&p.form, "q"));
    end(&p);
}

TEST(rejects_multipart_forms_that_are_incomplete)
{
    static const char *const bodies[] = {
        "",
        "--Bx",
        "--Bx\r\n",
        "--Bx\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nabc",
        "--Bx\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nabc\r\n--Bx\r\n",
        "--Bx\r\n\r\nabc\r\n--Bx--",
        "--Bx\r\nContent-Disposition: form-data\r\n\r\nabc\r\n--Bx--",
        "--Bx\r\nContent-Disposition: form-data; file=\"x\r\n\r\nabc\r\n--Bx--",
        "--BxContent-Disposition: form-data; name=\"q\"\r\n\r\nabc\r\n--Bx--",
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        Parsed p = parse(AS_MULTIPART, bodies[i], strlen(bodies[i]));
        assert_int_equal(p.st, ERR_FORMAT);
        assert_non_null(strstr(p.err.text, "multipart form"));
        end(&p);
    }
}

TEST(reads_json)
{
    static const char body[] =
        "{\"q\":[\"a\",\"b\"],\"source\":\"en\",\"n\":3,\"s\":\"4\",\"half\":0.5,\"o\":{},\"mixed\":[\"a\",1]}";
    Parsed p = parse(AS_JSON, body, sizeof body - 1);
    TextParts texts = { .data = NULL };
    long number = 7;
    bool is_list;

    assert_ok(p.st, &p.err);
    form_add(&p.form, (Field){ .name = "source", .value = "fr", .length = 2 });
    form_add(&p.form, (Field){ .name = "other", .value = "x", .length = 1 });
    check_text(&p.form, "source", "en"); /* JSON comes first */
    check_text(&p.form, "other", "x");
    check_text(&p.form, "n", NULL);
    assert_true(form_texts(&p.form, "q", &texts, &is_list));
    assert_true(is_list);
    assert_int_equal(texts.len, 2);
    assert_false(form_texts(&p.form, "mixed", &texts, &is_list));
    assert_false(form_texts(&p.form, "o", &texts, &is_list));
    assert_true(form_number(&p.form, "none", &number));
    assert_int_equal(number, 7);
    assert_true(form_number(&p.form, "n", &number));
    assert_int_equal(number, 3);
    assert_true(form_number(&p.form, "s", &number));
    assert_int_equal(number, 4);
    assert_false(form_number(&p.form, "half", &number));
    assert_false(form_number(&p.form, "source", &number));
    assert_false(form_number(&p.form, "o", &number));
    free(texts.data);
    end(&p);
}

TEST(bounds_the_number_of_parameters)
{
    char body[16 * MOST] = "", json[16 * MOST] = "{\"q\":[1";
    Parsed p;

    for (size_t i = 0; i <= MOST; i++) {
        strcat(body, "a=1&");
        strcat(json, ",1");
    }
    p = parse(AS_ENCODED, body, strlen(body));
    assert_fails(p.st, ERR_FORMAT, &p.err, "the request has more than 20 parameters");
    end(&p);
    strcat(json, "]}");
    p = parse(AS_JSON, json, strlen(json));
    assert_int_equal(p.st, ERR_FORMAT);
    end(&p);
}

/* Every beginning of a form, in memory of its exact size, which the sanitizers watch. */
TEST(reads_nothing_beyond_the_body)
{
    static const char form[] =
        "--Bx\r\nContent-Disposition: form-data; name=\"q\"; filename=\"x\"\r\n\r\nab\r\n--Bx--\r\n";
    static const char encoded[] = "a=%4&b=%&c=%41%4";

    for (size_t length = 0; length < sizeof form; length++) {
        Parsed p = parse(AS_MULTIPART, form, length);
        end(&p);
    }
    for (size_t length = 0; length < sizeof encoded; length++) {
        Parsed p = parse(AS_ENCODED, encoded, length);
        assert_ok(p.st, &p.err);
        end(&p);
    }
}

TESTS(test_form);
