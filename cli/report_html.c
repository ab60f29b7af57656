/* report_html.c - the page around the data: one file, in which everything is. See report.h. */
#include "cli.h"
#include "plot.h"
#include "report.h"
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---------------------------------------------------------------- compression */

/* The data of reports shrink hardly further with a higher one, which takes three times as long. */
enum { LEVEL = 4 };

/* A gzip stream of the bytes; ends the program if memory does, as grow does. */
bytes report_compress(const void *data, size_t length) {
  z_stream z = {0};
  bytes out = {0};
  /* 15 bits of window, + 16 for the gzip format */
  if (deflateInit2(&z, LEVEL, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    out_of_memory();
  }
  out.room = deflateBound(&z, (uLong)length) + 64;
  out.data = (unsigned char *)grow(NULL, out.room, 1);
  z.next_in = (z_const Bytef *)data;
  z.avail_in = (uInt)length;
  z.next_out = out.data;
  z.avail_out = (uInt)out.room;
  deflate(&z, Z_FINISH);
  out.length = z.total_out;
  deflateEnd(&z);
  return out;
}

static void put_base64(FILE *out, const unsigned char *data, size_t length) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char line[4 * 256];
  size_t n = 0;
  for (size_t i = 0; i < length; i += 3) {
    unsigned v = (unsigned)data[i] << 16;
    if (i + 1 < length) v |= (unsigned)data[i + 1] << 8;
    if (i + 2 < length) v |= data[i + 2];
    line[n++] = digit[v >> 18 & 63];
    line[n++] = digit[v >> 12 & 63];
    line[n++] = i + 1 < length ? digit[v >> 6 & 63] : '=';
    line[n++] = i + 2 < length ? digit[v & 63] : '=';
    if (n == sizeof line || i + 3 >= length) {
      fwrite(line, 1, n, out);
      n = 0;
    }
  }
}

void page_data(FILE *out, const char *id, const void *data, size_t length) {
  bytes packed = report_compress(data, length);
  fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
  put_base64(out, packed.data, packed.length);
  fputs("</script>\n", out);
  free(packed.data);
}

/* ---------------------------------------------------------------- the page */

static int in_space(const report_source *sources, int n) {
  cps_contents has = {.dim = 2};
  for (int i = 0; i < n && has.dim < 3; i++)
    if (sources[i].run->scenario) cps_scenario_contents(sources[i].run->scenario, &has);
  return has.dim == 3;
}

/* Says that this script or style, and no other, is obeyed. */
void page_hash(FILE *out, web_asset asset) {
  char hex[65];
  unsigned char digest[32];
  cps_sha256_hex(asset.text, asset.length, hex);
  for (int i = 0; i < 32; i++) {
    char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    digest[i] = (unsigned char)strtoul(two, NULL, 16);
  }
  fputs(" 'sha256-", out);
  put_base64(out, digest, sizeof digest);
  fputc('\'', out);
}

/* The page up to its body. Nothing may be loaded from anywhere, and no script may run but our own, and no styles but our own, whatever
 * is in the data: scripts set the style of an element by its properties, which a policy allows, and not by an attribute. A live page
 * asks where it came from. */
void page_open(FILE *out, const char *title, web_asset style, const web_asset *scripts, int n_scripts,
               int live) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\"%s>\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src",
          live ? " data-live" : "");
  for (int i = 0; i < n_scripts; i++) page_hash(out, scripts[i]);
  fputs("; style-src", out);
  page_hash(out, style);
  fprintf(out, "; img-src data: blob:%s\">\n<title>", live ? "; connect-src 'self'" : "");
  plot_escape(out, title);
  fputs(" \xC2\xB7 Capstan</title>\n<style>", out);
  fwrite(style.text, 1, style.length, out);
  fputs("</style>\n</head>\n<body>\n<header class=\"top\"><div class=\"brand\"><span "
        "class=\"word\">Capstan</span></div><h1>",
        out);
  plot_escape(out, title);
  fputs("</h1><noscript>This page needs JavaScript; it loads nothing from any network.</noscript></header>\n",
        out);
}

void page_close(FILE *out, web_asset script) {
  fputs("<script>", out);
  fwrite(script.text, 1, script.length, out);
  fputs("</script>\n</body>\n</html>\n", out);
}

/* The head of a report; the script of the view in space runs only in pages that have it. */
static void put_head(FILE *out, const char *title, int with_space, int live) {
  const web_asset scripts[] = {web_report_script(), web_space_script()};
  page_open(out, title, web_report_style(), scripts, with_space ? 2 : 1, live);
}

static void put_scripts(FILE *out, int with_space) {
  web_asset space = web_space_script();
  if (with_space) page_data(out, "space", space.text, space.length);
  page_close(out, web_report_script());
}

static void put_page(FILE *out, const report_source *sources, int n) {
  int with_space = in_space(sources, n);
  put_head(out, sources[0].title && *sources[0].title ? sources[0].title : sources[0].label, with_space, 0);
  bytes data = {0};
  report_encode(sources, n, &data);
  page_data(out, "data", data.data, data.length);
  free(data.data);
  put_scripts(out, with_space);
}

bytes report_live_page(int with_space) {
  bytes page = {0};
  char *text = NULL;
  FILE *memory = text_open(&text, &page.length);
  if (memory) {
    put_head(memory, "A run that goes on", with_space, 1);
    put_scripts(memory, with_space);
    if (!text_close(memory, &text)) page.length = 0;
  }
  page.data = (unsigned char *)text;
  return page;
}

int report_write(const char *where, const char *path, int named, const report_source *sources, int n) {
  FILE *file = named ? open_output(where, path) : open_output_inside(where, path);
  if (!file) return STATUS_IO;
  put_page(file, sources, n);
  return close_output(where, path, file);
}

report_source report_source_of(const char *label, const outcome *o) {
  const cps_scenario *s = o->scenario;
  report_source source = {.label = label, .run = o, .version = cps_version()};
  cps_result_energy(o->result, &source.energy);
  cps_result_counters(o->result, &source.counters);
  if (!s) return source;
  source.title = cps_scenario_title(s);
  cps_contents has;
  cps_scenario_contents(s, &has);
  source.file = cps_scenario_file(s);
  source.hash = cps_scenario_hash(s);
  source.solver = has.solver;
  source.text = cps_scenario_text(s, NULL);
  return source;
}

void report_label(char *label, size_t size, const char *folder) {
  size_t end = strlen(folder);
  while (end > 1 && folder[end - 1] == '/') end--;
  size_t start = end;
  while (start > 0 && folder[start - 1] != '/') start--;
  snprintf(label, size, "%.*s", (int)(end - start), folder + start);
}

int report_write_run(const char *where, const char *folder, const outcome *o) {
  char path[4000], label[256];
  if (snprintf(path, sizeof path, "%s/report.html", folder) >= (int)sizeof path) {
    complain(where, "the name of the report is too long");
    return STATUS_IO;
  }
  report_label(label, sizeof label, folder);
  report_source source = report_source_of(label, o);
  char *summary = summary_text(o);
  if (!summary) {
    complain(where, "out of memory for the report");
    return STATUS_IO;
  }
  source.summary = summary;
  int status = report_write(where, path, 0, &source, 1);
  free(summary);
  return status;
}
