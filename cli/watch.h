/* watch.h - a page on the loopback interface that follows a run or a study: `capstan run --watch`, `capstan sweep --watch`.
 *
 * Nothing listens unless asked. The server has a thread of its own, which sees nothing of the simulation: it hands out the last snapshot
 * that the run gave it, and notes a request to stop the run. Its address has a random part that cannot be guessed. */
#ifndef WATCH_H
#define WATCH_H

#include "report.h"

typedef struct watch_server watch_server;

/* Starts to listen on 127.0.0.1 at a free port, with a page of which it takes ownership. NULL after complaining. */
watch_server *watch_start(const char *where, bytes page);

/* The address of the page. */
const char *watch_address(const watch_server *w);

/* What a snapshot carries (report_pack.h) of the thing that is watched. */
typedef void (*watch_encode)(const void *now, bytes *out);

/* To be called often: makes a snapshot of `now` if a viewer waits for one. Nonzero if what is watched is to stop. */
int watch_tick(watch_server *w, watch_encode encode, const void *now);

/* Hands out a last snapshot to viewers, then closes. NULL is fine. */
void watch_end(watch_server *w, watch_encode encode, const void *now);

/* Of a report_source. */
void watch_encode_run(const void *now, bytes *out);

/* report_html.c: the page that asks for its data, and a gzip stream of bytes; both are the caller's to free. */
bytes report_live_page(int in_space);
bytes report_compress(const void *data, size_t length);

#endif
