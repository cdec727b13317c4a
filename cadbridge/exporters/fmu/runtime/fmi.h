/* What both versions of FMI ask of an instance: whose log it is, and what may be called in which mode. */

#ifndef CADBRIDGE_FMI_H
#define CADBRIDGE_FMI_H

#include "model.h"

#define EXPORT __attribute__((visibility("default")))

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;

#define IN(mode) (1u << (mode))
#define ANY_MODE (IN(INSTANTIATED) | IN(INITIALIZING) | IN(EVENTS) | IN(CONTINUOUS) | IN(STEPPING) | IN(TERMINATED))
#define RUNNING (IN(EVENTS) | IN(CONTINUOUS) | IN(STEPPING))

/* At the beginning of a function: the instance, and a refusal where the mode forbids the call. Each version has its own
   Instance, refuse and fail. */
#define ALLOW(modes)                                                            \
    Instance *c = instance;                                                     \
    if (c == NULL) return ERROR;                                                \
    if (!((modes) & IN(c->model->mode))) return refuse(c, __func__)
#define TRY(call) if ((call) != 0) return fail(c, ERROR)

static inline const char *mode_name(Mode mode) {
    static const char *const names[] = {"instantiated", "initialization mode", "event mode", "continuous-time mode",
                                        "step mode", "terminated", "an error"};
    return names[mode];
}

#endif
