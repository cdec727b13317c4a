/* FMI 2.0 (fmi-standard.org): co-simulation and model exchange. */

#include "fmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int Reference;
typedef struct {
    void (*logger)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*stepFinished)(void *, int);
    void *environment;
} Callbacks;
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} EventInfo;
typedef struct {
    Model *model;
    Callbacks callbacks;
    char *name;
} Instance;

static Status fail(Instance *c, Status status) {
    if (status == ERROR) c->model->mode = FAILED;
    if (c->callbacks.logger != NULL)
        c->callbacks.logger(c->callbacks.environment, c->name, status, status == ERROR ? "logStatusError" : "logStatusDiscard", "%s", c->model->message);
    return status;
}

static Status refuse(Instance *c, const char *function) {
    model_fail(c->model, "%s is not allowed in the state \"%s\".", function, mode_name(c->model->mode));
    return fail(c, ERROR);
}


/* file:///a%20b -> /a b; what is no file address stays as it is. */
static void path_of(const char *address, char *path, size_t size) {
    size_t k = 0;
    if (address == NULL) address = "";
    if (strncmp(address, "file:", 5) == 0) {
        address += 5;
        if (strncmp(address, "//", 2) == 0) {
            address += 2;
            while (*address != 0 && *address != '/') address++;
        }
    }
    for (; *address != 0 && k + 1 < size; address++) {
        unsigned value;
        if (*address == '%' && sscanf(address + 1, "%2x", &value) == 1) {
            path[k++] = (char)value;
            address += 2;
        } else {
            path[k++] = *address;
        }
    }
    path[k] = 0;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources, const Callbacks *callbacks, int visible, int logging) {
    char path[4096], message[256];
    Instance *c = calloc(1, sizeof *c);
    (void)visible, (void)logging;
    if (c == NULL) return NULL;
    if (callbacks != NULL) c->callbacks = *callbacks;
    path_of(resources, path, sizeof path);
    c->name = strdup(name == NULL ? "" : name);
    c->model = model_new(path, guid, kind == 1, message, sizeof message);
    if (c->model == NULL) {
        if (c->callbacks.logger != NULL) c->callbacks.logger(c->callbacks.environment, c->name, ERROR, "logStatusError", "%s", message);
        free(c->name);
        free(c);
        return NULL;
    }
    return c;
}

EXPORT void fmi2FreeInstance(void *instance) {
    Instance *c = instance;
    if (c == NULL) return;
    model_free(c->model);
    free(c->name);
    free(c);
}

EXPORT Status fmi2SetDebugLogging(void *instance, int on, size_t count, const char *const *categories) {
    ALLOW(ANY_MODE | IN(FAILED));
    (void)on, (void)count, (void)categories;
    return OK;
}

EXPORT Status fmi2SetupExperiment(void *instance, int toleranceDefined, double tolerance, double start, int stopDefined, double stop) {
    ALLOW(IN(INSTANTIATED));
    (void)stopDefined, (void)stop;
    TRY(model_begin(c->model, start, toleranceDefined ? tolerance : 0.0));
    return OK;
}

EXPORT Status fmi2EnterInitializationMode(void *instance) {
    ALLOW(IN(INSTANTIATED));
    c->model->mode = INITIALIZING;
    return OK;
}

EXPORT Status fmi2ExitInitializationMode(void *instance) {
    ALLOW(IN(INITIALIZING));
    TRY(model_ready(c->model));
    c->model->mode = c->model->co_simulation ? STEPPING : EVENTS;
    return OK;
}

EXPORT Status fmi2Terminate(void *instance) {
    ALLOW(RUNNING);
    c->model->mode = TERMINATED;
    return OK;
}

EXPORT Status fmi2Reset(void *instance) {
    ALLOW(ANY_MODE | IN(FAILED));
    model_reset(c->model);
    return OK;
}

EXPORT Status fmi2GetReal(void *instance, const Reference *reference, size_t count, double *value) {
    ALLOW(ANY_MODE | IN(FAILED));
    for (size_t k = 0; k < count; k++) TRY(model_get(c->model, reference[k], value + k));
    return OK;
}

EXPORT Status fmi2SetReal(void *instance, const Reference *reference, size_t count, const double *value) {
    ALLOW(ANY_MODE & ~IN(TERMINATED));
    for (size_t k = 0; k < count; k++) TRY(model_set(c->model, reference[k], value[k]));
    return OK;
}

/* All variables are real. */
#define NO_VARIABLES(name, ...)                                                                    \
    EXPORT Status name(void *instance, const Reference *reference, size_t count, __VA_ARGS__) {    \
        ALLOW(ANY_MODE);                                                                           \
        (void)reference, (void)value;                                                              \
        if (count == 0) return OK;                                                                 \
        model_fail(c->model, "%s: this model has real variables only.", __func__);                 \
        return fail(c, ERROR);                                                                     \
    }
NO_VARIABLES(fmi2GetInteger, int *value)
NO_VARIABLES(fmi2GetBoolean, int *value)
NO_VARIABLES(fmi2GetString, const char **value)
NO_VARIABLES(fmi2SetInteger, const int *value)
NO_VARIABLES(fmi2SetBoolean, const int *value)
NO_VARIABLES(fmi2SetString, const char *const *value)

#define GET_STATE fmi2GetFMUstate
#define SET_STATE fmi2SetFMUstate
#define FREE_STATE fmi2FreeFMUstate
#define SERIALIZED_SIZE fmi2SerializedFMUstateSize
#define SERIALIZE_STATE fmi2SerializeFMUstate
#define DESERIALIZE_STATE fmi2DeSerializeFMUstate
#include "states.h"

EXPORT Status fmi2GetDirectionalDerivative(void *instance, const Reference *unknown, size_t unknowns, const Reference *known, size_t knowns, const double *seed, double *sensitivity) {
    ALLOW(ANY_MODE);
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)sensitivity;
    model_fail(c->model, "This model provides no directional derivatives.");
    return fail(c, ERROR);
}

/* ---- model exchange ---- */

EXPORT Status fmi2EnterEventMode(void *instance) {
    ALLOW(IN(EVENTS) | IN(CONTINUOUS));
    c->model->mode = EVENTS;
    return OK;
}

EXPORT Status fmi2NewDiscreteStates(void *instance, EventInfo *info) {
    ALLOW(IN(EVENTS));
    memset(info, 0, sizeof *info);
    return OK;
}

EXPORT Status fmi2EnterContinuousTimeMode(void *instance) {
    ALLOW(IN(EVENTS));
    c->model->mode = CONTINUOUS;
    return OK;
}

EXPORT Status fmi2CompletedIntegratorStep(void *instance, int final, int *enterEventMode, int *terminate) {
    ALLOW(IN(CONTINUOUS));
    (void)final;
    *enterEventMode = *terminate = 0;
    return OK;
}

EXPORT Status fmi2SetTime(void *instance, double time) {
    ALLOW(IN(EVENTS) | IN(CONTINUOUS));
    TRY(model_set_time(c->model, time));
    return OK;
}

EXPORT Status fmi2SetContinuousStates(void *instance, const double *states, size_t count) {
    ALLOW(IN(EVENTS) | IN(CONTINUOUS));
    TRY(model_set_states(c->model, states, count));
    return OK;
}

EXPORT Status fmi2GetDerivatives(void *instance, double *derivatives, size_t count) {
    ALLOW(IN(INITIALIZING) | IN(EVENTS) | IN(CONTINUOUS) | IN(TERMINATED));
    if (count != model_state_count(c->model)) return refuse(c, __func__);
    TRY(model_derivatives(c->model, derivatives));
    return OK;
}

EXPORT Status fmi2GetEventIndicators(void *instance, double *indicators, size_t count) {
    ALLOW(ANY_MODE);
    (void)indicators;
    return count == 0 ? OK : refuse(c, __func__);
}

EXPORT Status fmi2GetContinuousStates(void *instance, double *states, size_t count) {
    ALLOW(IN(INITIALIZING) | IN(EVENTS) | IN(CONTINUOUS) | IN(TERMINATED));
    if (count != model_state_count(c->model)) return refuse(c, __func__);
    memcpy(states, model_states(c->model), 8 * count);
    return OK;
}

EXPORT Status fmi2GetNominalsOfContinuousStates(void *instance, double *nominals, size_t count) {
    ALLOW(ANY_MODE);
    for (size_t k = 0; k < count; k++) nominals[k] = 1.0;
    return OK;
}

/* ---- co-simulation ---- */

EXPORT Status fmi2SetRealInputDerivatives(void *instance, const Reference *reference, size_t count, const int *order, const double *value) {
    ALLOW(ANY_MODE);
    (void)reference, (void)order, (void)value;
    return count == 0 ? OK : refuse(c, __func__);
}

EXPORT Status fmi2GetRealOutputDerivatives(void *instance, const Reference *reference, size_t count, const int *order, double *value) {
    ALLOW(ANY_MODE);
    (void)reference, (void)order, (void)value;
    return count == 0 ? OK : refuse(c, __func__);
}

EXPORT Status fmi2DoStep(void *instance, double from, double length, int noSetBefore) {
    ALLOW(IN(STEPPING));
    (void)noSetBefore;
    TRY(model_step(c->model, from, length));
    return OK;
}

EXPORT Status fmi2CancelStep(void *instance) {
    Instance *c = instance;
    return c == NULL ? ERROR : refuse(c, __func__);
}

static Status no_status(void *instance, const char *function) {
    Instance *c = instance;
    if (c == NULL) return ERROR;
    model_fail(c->model, "%s: steps end before fmi2DoStep returns.", function);
    return fail(c, DISCARD);
}
EXPORT Status fmi2GetStatus(void *instance, int kind, int *value) { return (void)kind, (void)value, no_status(instance, __func__); }
EXPORT Status fmi2GetIntegerStatus(void *instance, int kind, int *value) { return (void)kind, (void)value, no_status(instance, __func__); }
EXPORT Status fmi2GetStringStatus(void *instance, int kind, const char **value) { return (void)kind, (void)value, no_status(instance, __func__); }
EXPORT Status fmi2GetRealStatus(void *instance, int kind, double *value) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (kind != 2) return no_status(instance, __func__);
    *value = model_time(c->model);
    return OK;
}
EXPORT Status fmi2GetBooleanStatus(void *instance, int kind, int *value) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (kind != 3) return no_status(instance, __func__);
    *value = 0;
    return OK;
}
