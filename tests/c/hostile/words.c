/* Acts that write where they should not: floods, and forged messages of the engine
 * process. The forged frames have the format of host/engine-process. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

enum { FLOOD_MEBI = 256, DESCRIPTORS = 1024 };

/* ---- Floods ---- */

/* Writes lines of 64 letters up to a limit; stops if the reader takes no more. */
static void flood(const scene *s, int file) {
  static char block[65536];
  uint64_t written = 0, most = number_at(s, FLOOD_MEBI) << 20;
  size_t i;
  ssize_t n = 0;
  signal(SIGPIPE, SIG_IGN);
  for (i = 0; i < sizeof block; i++) block[i] = i % 64 == 63 ? '\n' : 'x';
  while (written < most && (n = write(file, block, sizeof block)) > 0) written += (uint64_t)n;
  note_end(s, "bytes", n > 0 ? 0 : errno, written);
}

static void flood_stdout(const scene *s) { flood(s, 1); }
static void flood_stderr(const scene *s) { flood(s, 2); }

/* Terminal control sequences, and invalid UTF-8. */
static void escape_stderr(const scene *s) {
  static const char bytes[] = "\033]0;owned\007\033[2J\033[31m\xff\xfe\0hidden\r\n";
  note_result(s, "stderr", write(2, bytes, sizeof bytes - 1));
}

/* ---- Forged answers ---- */

static size_t frame(char *to, const char *json) {
  uint32_t len = (uint32_t)strlen(json);
  int i;
  for (i = 0; i < 4; i++) to[i] = (char)(len >> (8 * i) & 0xff);
  memcpy(to + 4, json, len);
  return len + 4;
}

#define SPENT "{\"wall_us\":0,\"cpu_us\":0,\"fuel\":0,\"peak_memory_bytes\":0,\"logged_bytes\":0}"
#define CHOSEN "{\"chosen\":{\"Ok\":{\"choice\":{\"decision\":\"Resign\",\"offers_draw\":false,\"line\":null},\"spent\":" SPENT "}}}"

/* Writes to all descriptors except those that only this process reads. */
static void write_everywhere(const scene *s, const char *bytes, size_t len) {
  uint64_t taken = 0;
  int file;
  signal(SIGPIPE, SIG_IGN);
  for (file = 0; file < DESCRIPTORS; file++) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0) continue;
    fcntl(file, F_SETFL, flags | O_NONBLOCK);
    if (write(file, bytes, len) == (ssize_t)len) taken++;
    fcntl(file, F_SETFL, flags);
  }
  note_number(s, "descriptors that accepted it", taken);
}

static void forge_stdout(const scene *s) {
  char bytes[512];
  size_t len = frame(bytes, CHOSEN);
  note_result(s, "frame", write(1, bytes, len));
  note_result(s, "line", write(1, CHOSEN "\n", sizeof CHOSEN));
}

/* Forges the answer before the process's own; it claims to have used no time. */
static void forge_answer(const scene *s) {
  char bytes[512];
  write_everywhere(s, bytes, frame(bytes, CHOSEN));
}

/* Forges an answer to no request. */
static void forge_other(const scene *s) {
  char bytes[512];
  write_everywhere(s, bytes, frame(bytes, "{\"done\":{\"Ok\":" SPENT "}}"));
}

static void forge_ready(const scene *s) {
  char bytes[512];
  write_everywhere(s, bytes, frame(bytes, "{\"ready\":{\"Ok\":null}}"));
}

/* Forges a frame length beyond the limit. */
static void forge_length(const scene *s) { write_everywhere(s, "\xff\xff\xff\xff", 4); }

/* Forges an incomplete frame: the next message of the process would complete it. */
static void forge_half(const scene *s) { write_everywhere(s, "\x00\x10\x00\x00{\"log\":[", 12); }

static void forge_garbage(const scene *s) {
  write_everywhere(s, "\x08\x00\x00\x00\xff\xfe\xfd\xfc[[[[", 12);
}

static void forge_nesting(const scene *s) {
  static char bytes[65540];
  size_t len = sizeof bytes - 4;
  int i;
  memset(bytes, '[', sizeof bytes);
  for (i = 0; i < 4; i++) bytes[i] = (char)(len >> (8 * i) & 0xff);
  write_everywhere(s, bytes, sizeof bytes);
}

/* Reads the host's messages from the channel. */
static void read_everywhere(const scene *s) {
  static char bytes[65536];
  uint64_t taken = 0;
  int file;
  for (file = 0; file < DESCRIPTORS; file++) {
    int flags = fcntl(file, F_GETFL);
    ssize_t n;
    if (flags < 0) continue;
    fcntl(file, F_SETFL, flags | O_NONBLOCK);
    while ((n = read(file, bytes, sizeof bytes)) > 0) taken += (uint64_t)n;
    fcntl(file, F_SETFL, flags);
  }
  note_number(s, "bytes meant for others", taken);
}

/* ---- Output outside of calls ---- */

static const sb_host_v1 *late_host;

static void *talk(void *unused) {
  static const char text[] = "said outside a call";
  uint64_t end = seconds() + LIFE_SECONDS;
  sb_text words;
  (void)unused;
  words.ptr = text;
  words.len = sizeof text - 1;
  while (seconds() < end) late_host->log(late_host->ctx, SB_INFO, words);
  return NULL;
}

/* A thread that calls the host outside of any call, which the header forbids. */
static void talk_later(const scene *s) {
  pthread_t thread;
  if (!s->host) return;
  late_host = s->host;
  if (pthread_create(&thread, NULL, talk, NULL)) note(s, "thread", "refused");
  else pthread_detach(thread);
}

/* Logs more than the host keeps. */
static void flood_log(const scene *s) {
  uint64_t i, most = number_at(s, 1000000);
  for (i = 0; i < most; i++) note_number(s, "line", i);
}

const act ACTS_WORDS[] = {
  { "flood-stdout", flood_stdout },
  { "flood-stderr", flood_stderr },
  { "escape-stderr", escape_stderr },
  { "forge-stdout", forge_stdout },
  { "forge-answer", forge_answer },
  { "forge-other", forge_other },
  { "forge-ready", forge_ready },
  { "forge-length", forge_length },
  { "forge-half", forge_half },
  { "forge-garbage", forge_garbage },
  { "forge-nesting", forge_nesting },
  { "read-everywhere", read_everywhere },
  { "talk-later", talk_later },
  { "flood-log", flood_log },
  { NULL, NULL },
};
