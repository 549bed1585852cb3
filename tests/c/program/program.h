/* What the files of this program share. */
#ifndef PROGRAM_H
#define PROGRAM_H

#if !defined(__linux__)
#error "the acts of this program are of Linux, as the jail is that it is put into"
#endif

/* What an act knows and may change. */
typedef struct scene {
  const char *act, *when, *at;
  char move[16];      /* what it would choose */
  int silent;         /* it answers nothing any more */
  int answered;       /* the act has answered this command itself */
  int searching;      /* until it is told to stop */
} scene;

typedef struct act {
  const char *name;
  void (*run)(scene *s);
} act;

/* Each ends with a name that is NULL. */
extern const act ACTS_ENDS[], ACTS_LIES[], ACTS_REACH[];

#endif
