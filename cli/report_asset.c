/* report_asset.c - the front end of reports, put into the tool by the assembler: node is not needed to build. */
#include "report.h"

#ifndef CAPSTAN_WEB
#define CAPSTAN_WEB "web/dist"
#endif

#define EMBED(name, file)                                                                                    \
  __asm__(".section .rodata\n"                                                                               \
          ".global " #name "\n"                                                                              \
          ".global " #name "_end\n" #name ":\n"                                                              \
          ".incbin \"" CAPSTAN_WEB "/" file "\"\n" #name "_end:\n"                                           \
          ".byte 0\n"                                                                                        \
          ".previous\n");                                                                                    \
  extern const char name[], name##_end[]

EMBED(capstan_report_js, "report.js");
EMBED(capstan_report_css, "report.css");
EMBED(capstan_space_js, "space.js");
EMBED(capstan_study_js, "study.js");
EMBED(capstan_study_css, "study.css");

static web_asset between(const char *start, const char *end) {
  web_asset a = {start, (size_t)(end - start)};
  return a;
}

web_asset web_report_script(void) { return between(capstan_report_js, capstan_report_js_end); }
web_asset web_report_style(void) { return between(capstan_report_css, capstan_report_css_end); }
web_asset web_space_script(void) { return between(capstan_space_js, capstan_space_js_end); }
web_asset web_study_script(void) { return between(capstan_study_js, capstan_study_js_end); }
web_asset web_study_style(void) { return between(capstan_study_css, capstan_study_css_end); }
