/* watch.c - see watch.h.
 *
 *   GET  /TOKEN/      the page
 *   GET  /TOKEN/data  the last snapshot, as in a report (web/src/data.js), in a gzip stream; 204 while there is no newer one
 *   POST /TOKEN/stop  the run is to stop
 *
 * Requests that do not know the token, or that come for another host's name, get 404: a page elsewhere that a browser shows can neither
 * read a run nor stop it. One request at a time; a client that dawdles is cut off. */
#include "watch.h"
#include "cli.h"
#include "progress.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { TOKEN = 16, REQUEST = 4096, WAKE = 200 /* [ms] */ };

#define EVERY    0.4 /* seconds between snapshots, at least */
#define SHARE    0.1 /* of the time that snapshots may take */
#define FAREWELL 3.0 /* seconds that viewers have to fetch the last one */
#define ABSENT   5.0 /* seconds without a request, after which there is no viewer */
#define ASKING   2.0 /* seconds that a client may take to say what it wants, */
#define TAKING   8.0 /* and to take it: a run that has ended waits for its last client */

struct watch_server {
  int socket;
  char token[2 * TOKEN + 1], address[128];
  unsigned port;
  pthread_t thread;
  bytes page;
  pthread_mutex_t lock; /* of what follows */
  bytes snapshot;       /* gzip */
  long number;          /* of it; 0: none yet */
  long sent;            /* the newest that was fetched */
  double asked;         /* time of the last request */
  double made, cost;    /* when the last one was made, and how long that took; the thread of the run only */
  atomic_int stop, end;
};

/* ---------------------------------------------------------------- requests */

/* Gives what is left until a time to the next call that waits for the client; 0 if that is nothing. */
static int time_left(int client, int which, double until) {
  enum { MILLION = 1000000 };
  long left = (long)(MILLION * (until - seconds_now()));
  struct timeval most = {.tv_sec = left / MILLION, .tv_usec = left % MILLION};
  return left > 0 && setsockopt(client, SOL_SOCKET, which, &most, sizeof most) == 0;
}

static void send_all(int client, const void *data, size_t length) {
  const char *at = (const char *)data;
  double until = seconds_now() + TAKING;
  while (length > 0 && time_left(client, SO_SNDTIMEO, until)) {
    ssize_t n = send(client, at, length, MSG_NOSIGNAL);
    if (n <= 0) return;
    at += n;
    length -= (size_t)n;
  }
}

static void respond(int client, const char *status, const char *type, const char *more, const void *body,
                    size_t length) {
  char head[512];
  int n = snprintf(
      head, sizeof head,
      "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n%s\r\n",
      status, type, length, more);
  send_all(client, head, (size_t)n);
  send_all(client, body, length);
}

static void send_snapshot(watch_server *w, int client, long have) {
  pthread_mutex_lock(&w->lock);
  w->asked = seconds_now();
  bytes copy = {0};
  long number = w->number;
  if (number > have) bytes_add(&copy, w->snapshot.data, w->snapshot.length);
  if (number > w->sent) w->sent = number;
  pthread_mutex_unlock(&w->lock);
  char count[64];
  snprintf(count, sizeof count, "X-Snapshot: %ld\r\n", number);
  respond(client, number > have ? "200 OK" : "204 No Content", "application/gzip", count, copy.data,
          copy.length);
  free(copy.data);
}

/* Reads up to the end of the header; 0 if there is none. */
static int read_request(int client, char *text) {
  size_t n = 0;
  double until = seconds_now() + ASKING;
  while (n < REQUEST - 1 && time_left(client, SO_RCVTIMEO, until)) {
    ssize_t got = recv(client, text + n, REQUEST - 1 - n, 0);
    if (got <= 0) return 0;
    text[n += (size_t)got] = 0;
    if (strstr(text, "\r\n\r\n")) return 1;
  }
  return 0;
}

/* Whether the request is meant for this server: a foreign host name that resolves to 127.0.0.1 is refused. */
static int host_is_ours(const watch_server *w, const char *text) {
  const char *host = strstr(text, "\r\nHost: ");
  if (!host) host = strstr(text, "\r\nhost: ");
  static const char *const names[] = {"127.0.0.1", "localhost"};
  for (int i = 0; host && i < 2; i++) {
    char wanted[64];
    int n = snprintf(wanted, sizeof wanted, "%s:%u\r\n", names[i], w->port);
    if (strncmp(host + 8, wanted, (size_t)n) == 0) return 1;
  }
  return 0;
}

static void answer(watch_server *w, int client) {
  char text[REQUEST] = "", method[8] = "", path[200] = "", prefix[2 * TOKEN + 3];
  if (!read_request(client, text)) return;
  snprintf(prefix, sizeof prefix, "/%s/", w->token);
  size_t known = strlen(prefix);
  if (sscanf(text, "%7s %199s", method, path) != 2 || strncmp(path, prefix, known) != 0 ||
      !host_is_ours(w, text)) {
    respond(client, "404 Not Found", "text/plain", "", "not here\n", 9);
    return;
  }
  int get = strcmp(method, "GET") == 0, post = strcmp(method, "POST") == 0;
  const char *what = path + known;
  if (get && !*what) {
    respond(client, "200 OK", "text/html; charset=utf-8", "", w->page.data, w->page.length);
  } else if (get && strncmp(what, "data", 4) == 0 && (!what[4] || what[4] == '?')) {
    send_snapshot(w, client, strncmp(what, "data?", 5) == 0 ? strtol(what + 5, NULL, 10) : 0);
  } else if (post && strcmp(what, "stop") == 0) {
    atomic_store(&w->stop, 1);
    respond(client, "200 OK", "text/plain", "", "stopping\n", 9);
  } else {
    respond(client, "404 Not Found", "text/plain", "", "not here\n", 9);
  }
}

static void *serve(void *data) {
  watch_server *w = (watch_server *)data;
  while (!atomic_load(&w->end)) {
    struct pollfd ready = {.fd = w->socket, .events = POLLIN};
    if (poll(&ready, 1, WAKE) <= 0) continue;
    int client = accept(w->socket, NULL, NULL);
    if (client < 0) continue;
    answer(w, client);
    shutdown(client, SHUT_WR);
    close(client);
  }
  return NULL;
}

/* ---------------------------------------------------------------- the run's side */

static int make_token(char *token) {
  unsigned char random[TOKEN];
  FILE *file = fopen("/dev/urandom", "rb");
  size_t n = file ? fread(random, 1, sizeof random, file) : 0;
  if (file) fclose(file);
  for (int i = 0; i < TOKEN; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
  return n == sizeof random;
}

static int listen_here(watch_server *w) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  w->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (w->socket < 0 || bind(w->socket, (struct sockaddr *)&at, sizeof at) != 0 || listen(w->socket, 8) != 0 ||
      getsockname(w->socket, (struct sockaddr *)&at, &size) != 0)
    return 0;
  w->port = ntohs(at.sin_port);
  return 1;
}

static void release(watch_server *w) {
  if (w->socket >= 0) close(w->socket);
  pthread_mutex_destroy(&w->lock);
  free(w->page.data);
  free(w->snapshot.data);
  free(w);
}

watch_server *watch_start(const char *where, bytes page) {
  watch_server *w = (watch_server *)grow(NULL, 1, sizeof *w);
  memset(w, 0, sizeof *w);
  w->socket = -1;
  w->asked = -ABSENT;
  pthread_mutex_init(&w->lock, NULL);
  w->page = page;
  if (!make_token(w->token) || !listen_here(w) || pthread_create(&w->thread, NULL, serve, w) != 0) {
    complain(where, "the page to follow it cannot be served on 127.0.0.1");
    release(w);
    return NULL;
  }
  snprintf(w->address, sizeof w->address, "http://127.0.0.1:%u/%s/", w->port, w->token);
  return w;
}

const char *watch_address(const watch_server *w) { return w->address; }

void watch_encode_run(const void *now, bytes *out) { report_encode((const report_source *)now, 1, out); }

static void take_snapshot(watch_server *w, watch_encode encode, const void *now) {
  double began = seconds_now();
  bytes data = {0};
  encode(now, &data);
  bytes packed = report_compress(data.data, data.length);
  free(data.data);
  pthread_mutex_lock(&w->lock);
  free(w->snapshot.data);
  w->snapshot = packed;
  w->number++;
  pthread_mutex_unlock(&w->lock);
  w->made = seconds_now();
  w->cost = w->made - began;
}

int watch_tick(watch_server *w, watch_encode encode, const void *now) {
  double time = seconds_now();
  if (time - w->made >= fmax(EVERY, w->cost / SHARE)) {
    pthread_mutex_lock(&w->lock);
    int wanted = time - w->asked < ABSENT && w->sent == w->number;
    pthread_mutex_unlock(&w->lock);
    if (wanted) take_snapshot(w, encode, now);
  }
  return atomic_load(&w->stop);
}

void watch_end(watch_server *w, watch_encode encode, const void *now) {
  if (!w) return;
  double time = seconds_now();
  pthread_mutex_lock(&w->lock);
  int watched = time - w->asked < ABSENT;
  pthread_mutex_unlock(&w->lock);
  if (watched) take_snapshot(w, encode, now);
  for (int fetched = !watched; !fetched && seconds_now() - time < FAREWELL;) {
    poll(NULL, 0, 50);
    pthread_mutex_lock(&w->lock);
    fetched = w->sent == w->number;
    pthread_mutex_unlock(&w->lock);
  }
  atomic_store(&w->end, 1);
  pthread_join(w->thread, NULL);
  release(w);
}
