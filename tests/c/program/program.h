/* Shared by the files of this program. */
#ifndef PROGRAM_H
#define PROGRAM_H

#if !defined(__linux__)
#error "this program and its jail need Linux"
#endif

/* The context of an act, which it may change. */
typedef struct scene {
  const char *act, *when, *at;
  char move[16];      /* the move that it would choose */
  int silent;         /* answers no more commands */
  int answered;       /* the act has answered this command itself */
  int searching;      /* until a stop command */
} scene;

typedef struct act {
  const char *name;
  void (*run)(scene *s);
} act;

/* Each table ends with a NULL name. */
extern const act ACTS_ENDS[], ACTS_LIES[], ACTS_REACH[];

#endif
