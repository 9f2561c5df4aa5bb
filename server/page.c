/* page.c - the web page of the server (page.html). The policy below allows only its own script and style, which have a
 * number that is new in each reply, and lets the script reach only this server. */
#include <stdio.h>
#include <string.h>

#include "downloads.h"
#include "routes.h"

extern const char page_html[];
extern const size_t page_html_size;

void page_show(Request *request, Reply *reply)
{
    char nonce[DOWNLOAD_ID], policy[400], attribute[64];
    Buf styled = { 0 };
    Err err;
    Status st = downloads_name(nonce, &err);

    if (request->server->options->server.no_page) {
        reply_error(reply, 404, "this server has no page");
        return;
    }
    if (st != OK) {
        reply_fault(reply, st, &err);
        return;
    }
    snprintf(policy, sizeof policy,
             "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; connect-src 'self'; img-src 'self' "
             "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             nonce, nonce);
    snprintf(attribute, sizeof attribute, "<style nonce=\"%s\">", nonce);
    buf_put_replaced(&styled, page_html, page_html_size, "<style>", attribute);
    snprintf(attribute, sizeof attribute, "<script nonce=\"%s\">", nonce);
    if (buf_check(&styled, &err) == OK)
        buf_put_replaced(&reply->body, styled.data, styled.len, "<script>", attribute);
    else
        reply_fault(reply, ERR_MEMORY, &err);
    buf_free(&styled);
    reply->type = "text/html; charset=utf-8";
    reply_header(reply, "Content-Security-Policy", policy);
    reply_header(reply, "Referrer-Policy", "no-referrer");
    reply_header(reply, "X-Frame-Options", "DENY");
}
