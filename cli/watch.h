/* watch.h - a page on the loopback interface that follows a run: `capstan run --watch`.
 *
 * Nothing listens unless asked. The server has a thread of its own, which sees nothing of the simulation: it hands out the last snapshot
 * that the run gave it, and notes that somebody wants the run to stop. Its address has a part that nobody else can guess. */
#ifndef WATCH_H
#define WATCH_H

#include "report.h"

typedef struct watch_server watch_server;

/* Starts to listen on 127.0.0.1 at a free port. NULL after complaining. `in_space`: the page needs the view in space. */
watch_server *watch_start(const char *where, int in_space);

/* The address of the page. */
const char *watch_address(const watch_server *w);

/* To be called often, with the run as it is: makes a snapshot if somebody waits for one. Nonzero if the run is to stop. */
int watch_tick(watch_server *w, const report_source *now);

/* Hands out a last snapshot to whoever watches, then closes. NULL is fine. */
void watch_end(watch_server *w, const report_source *now);

/* report_html.c: the page that asks for its data, and a gzip stream of bytes; both are the caller's to free. */
bytes report_live_page(int in_space);
bytes report_compress(const void *data, size_t length);

#endif
