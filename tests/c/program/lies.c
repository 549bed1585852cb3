/* Acts with invalid or excessive output. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void say(scene *s, const char *answer) {
  puts(answer);
  s->answered = 1;
}

static void illegal(scene *s) { say(s, "bestmove q99"); }
static void no_move(scene *s) { say(s, "bestmove (none)"); }
static void no_text(scene *s) { say(s, "bestmove \xff\xfe"); }
static void escape(scene *s) { say(s, "bestmove \x1b[2J"); }

/* An invalid move of `at` bytes. */
static void long_move(scene *s) {
  static char answer[70000] = "bestmove ";
  memset(answer + 9, 'x', (size_t)atoi(s->at));
  say(s, answer);
}

/* An answer without a request. */
static void unasked(scene *s) {
  (void)s;
  puts("bestmove a1");
}

/* A second answer, at once. */
static void twice(scene *s) {
  printf("bestmove %s\nbestmove a1\n", s->move);
  s->answered = 1;
}

static void ready(scene *s) {
  (void)s;
  puts("readyok");
}

static void wild_report(scene *s) {
  (void)s;
  puts("info depth 4294967296 score cp 99999999999 nodes -1 pv");
  puts("info multipv 99999 score mate -2147483648 pv \x1b[2J");
  puts("info score cp 2147483647 lowerbound depth 4294967295 nodes 18446744073709551615");
}

static void flood_lines(scene *s) {
  (void)s;
  for (;;) puts("info string more and more and more and more and more and more and more");
}

static void flood_reports(scene *s) {
  (void)s;
  for (;;) puts("info depth 1 score cp 1 pv a1");
}

static void flood_line(scene *s) {
  (void)s;
  for (;;) fputs("info string without end ", stdout);
}

static void flood_options(scene *s) {
  int i;
  (void)s;
  for (i = 0; i < 2000; i++) printf("option name Option %d type check default true\n", i);
}

/* Writes 80 MiB and plays on. */
static void flood_stderr(scene *s) {
  static char line[1024];
  int i;
  (void)s;
  memset(line, 'x', sizeof line - 1);
  line[sizeof line - 1] = '\n';
  for (i = 0; i < 80 * 1024; i++) fwrite(line, 1, sizeof line, stderr);
}

const act ACTS_LIES[] = {
  { "illegal", illegal },
  { "no-move", no_move },
  { "no-text", no_text },
  { "escape", escape },
  { "long-move", long_move },
  { "unasked", unasked },
  { "twice", twice },
  { "ready", ready },
  { "wild-report", wild_report },
  { "flood-lines", flood_lines },
  { "flood-reports", flood_reports },
  { "flood-line", flood_line },
  { "flood-options", flood_options },
  { "flood-stderr", flood_stderr },
  { NULL, NULL },
};
