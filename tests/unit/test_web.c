/* test_web.c - requests to a server that stalls. */
#include "test_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "get.h"

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"

/* Accepts connections, sends the beginning of an answer to each, and keeps them open. */
static void *serve(void *argument)
{
    const int server = *(int *)argument;
    int clients[16];
    size_t count = 0;

    while (count < 16 && (clients[count] = accept(server, NULL, NULL)) >= 0)
        (void)!write(clients[count++], ANSWER, sizeof ANSWER - 1);
    while (count) close(clients[--count]);
    return NULL;
}

static void gives_up_when_a_server_stalls(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    WebReply reply;
    Web *web;
    Buf text = { 0 };
    char url[100], expected[300];
    double start;
    Err err;

    (void)state;
    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server, 16), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/list", ntohs(address.sin_port));
    setenv("no_proxy", "*", true);
    assert_ok(web_new(&web, url, NULL, &err), &err);
    web_set_patience(web, 1, 2);
    start = clock_seconds();
    assert_int_equal(web_get_text(web, url, 1000, &text, &reply, &err), ERR_IO);
    assert_true(clock_seconds() - start < 8); /* five attempts took more */
    snprintf(expected, sizeof expected, "get: %s: the server sent next to nothing for 2 seconds (", url);
    assert_memory_equal(err.text, expected, strlen(expected));
    web_free(web);
    buf_free(&text);
    shutdown(server, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(server);
}

TEST_FILE(test_web)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(gives_up_when_a_server_stalls) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
