/* A hostile program that speaks UCI or Gomocup's protocol, for tests of the jail and the
 * host. It plays gomoku: the first free point from the top left. `program ACT [WHEN [AT]]`
 * selects what else it does; WHEN is the first word of a command, by default `go`. The
 * system's answer to each step is printed as `info string step: allowed` or `step: EPERM`. */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const act *const TABLES[] = { ACTS_ENDS, ACTS_LIES, ACTS_REACH };

scene the_scene;

static void run(const char *name) {
  size_t i;
  for (i = 0; i < LENGTH(TABLES); i++) {
    const act *a;
    for (a = TABLES[i]; a->name; a++) {
      if (strcmp(a->name, name) == 0) a->run(&the_scene);
    }
  }
}

/* The first free point of a position text, `rows side`: rows from the top, runs as numbers. */
static void first_free(const char *text, char *move) {
  int row = 0, rows = 1, column = 0;
  const char *c;
  for (c = text; *c && *c != ' '; c++) rows += *c == '/';
  strcpy(move, "a1");
  for (c = text; *c && *c != ' '; c++) {
    if (*c == '/') {
      row++;
      column = 0;
    } else if (*c >= '0' && *c <= '9') {
      sprintf(move, "%c%d", 'a' + column, rows - row);
      return;
    } else {
      column++;
    }
  }
}

static void answer(void) {
  if (the_scene.silent) return;
  printf("info depth 1 score cp 3 nodes 7 pv %s\n", the_scene.move);
  if (!the_scene.answered) printf("bestmove %s ponder a1\n", the_scene.move);
}

/* The stones in Gomocup's protocol, by columns and rows from the top. */
static char stones[32][32];

static void lay(const char *text) {
  int column, row;
  if (sscanf(text, "%d,%d", &column, &row) == 2 && column >= 0 && row >= 0 && column < 32 && row < 32) {
    stones[row][column] = 1;
  }
}

static void answer_gomocup(void) {
  int point;
  if (the_scene.silent || the_scene.answered) return;
  for (point = 0; stones[point / 15][point % 15]; point++) continue;
  stones[point / 15][point % 15] = 1;
  printf("%d,%d\n", point % 15, point / 15);
}

/* Handles a command of Gomocup's protocol; returns whether it was one. */
static int handle_gomocup(const char *line) {
  static int listing;
  if (strcmp(line, "ABOUT") == 0) {
    if (!the_scene.silent) puts("name=\"Program\", version=\"1\"");
  } else if (strncmp(line, "START ", 6) == 0 || strcmp(line, "RESTART") == 0) {
    memset(stones, 0, sizeof stones);
    if (!the_scene.silent) puts("OK");
  } else if (strncmp(line, "INFO ", 5) == 0) {
    printf("MESSAGE received %s\n", line);
  } else if (strcmp(line, "BOARD") == 0) {
    listing = 1;
  } else if (listing && strcmp(line, "DONE") == 0) {
    listing = 0;
    answer_gomocup();
  } else if (listing) {
    lay(line);
  } else if (strncmp(line, "TURN ", 5) == 0) {
    lay(line + 5);
    answer_gomocup();
  } else if (strcmp(line, "BEGIN") == 0) {
    answer_gomocup();
  } else {
    return 0;
  }
  return 1;
}

static void obey(const char *line) {
  the_scene.answered = 0;
  size_t word = strcspn(line, " ");
  if (strlen(the_scene.when) == word && strncmp(line, the_scene.when, word) == 0) run(the_scene.act);
  if (handle_gomocup(line)) return;
  if (strcmp(line, "uci") == 0 && !the_scene.silent) {
    puts("A program for tests");
    puts("id name Program");
    puts("id author Jos\xe9");
    puts("option name Skill Level type spin default 3 min 0 max 20");
    puts("option name Threads type spin default 1 min 1 max 8");
    puts("option name Style type combo default calm var calm var wild");
    puts("option name Clear Hash type button");
    puts("uciok");
  } else if (strcmp(line, "isready") == 0) {
    if (!the_scene.silent) puts("readyok");
  } else if (strncmp(line, "setoption ", 10) == 0) {
    printf("info string received %s\n", line);
  } else if (strncmp(line, "position fen ", 13) == 0) {
    first_free(line + 13, the_scene.move);
    printf("info string received %s\n", line);
  } else if (strncmp(line, "go", 2) == 0) {
    const char *only = strstr(line, " searchmoves ");
    if (only) sscanf(only + 13, "%15s", the_scene.move);
    printf("info string received %s\n", line);
    the_scene.searching = strstr(line, "infinite") != NULL;
    if (!the_scene.searching) answer();
  } else if (strcmp(line, "stop") == 0 && the_scene.searching) {
    the_scene.searching = 0;
    answer();
  } else if (strcmp(line, "quit") == 0) {
    exit(0);
  }
}

int main(int count, char **arguments) {
  static char line[1 << 20];
  setvbuf(stdout, NULL, _IOLBF, 1 << 16);
  the_scene.act = count > 1 ? arguments[1] : "none";
  the_scene.when = count > 2 ? arguments[2] : "go";
  the_scene.at = count > 3 ? arguments[3] : "";
  if (strcmp(the_scene.when, "begin") == 0) run(the_scene.act);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\r\n")] = 0;
    obey(line);
  }
  return 0;
}
