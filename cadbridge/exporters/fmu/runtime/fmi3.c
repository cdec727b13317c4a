/* FMI 3.0 (fmi-standard.org): co-simulation and model exchange. */

#include "fmi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t Reference;
typedef void (*Logger)(void *environment, Status status, const char *category, const char *message);
typedef struct {
    Model *model;
    Logger logger;
    void *environment;
    bool events;  /* whether the importer of a co-simulation uses event mode */
} Instance;

static Status fail(Instance *c, Status status) {
    if (status == ERROR) c->model->mode = FAILED;
    if (c->logger != NULL) c->logger(c->environment, status, status == ERROR ? "logStatusError" : "logStatusDiscard", c->model->message);
    return status;
}

static Status refuse(Instance *c, const char *function) {
    model_fail(c->model, "%s is not allowed in the state \"%s\".", function, mode_name(c->model->mode));
    return fail(c, ERROR);
}


EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT Status fmi3SetDebugLogging(void *instance, bool on, size_t count, const char *const *categories) {
    ALLOW(ANY_MODE | IN(FAILED));
    (void)on, (void)count, (void)categories;
    return OK;
}

static Instance *instantiate(const char *token, const char *resources, int co_simulation, bool events, void *environment, Logger logger) {
    char message[256];
    Instance *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    *c = (Instance){model_new(resources, token, co_simulation, message, sizeof message), logger, environment, events};
    if (c->model != NULL) return c;
    if (logger != NULL) logger(environment, ERROR, "logStatusError", message);
    free(c);
    return NULL;
}

EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, Logger logger) {
    (void)name, (void)visible, (void)logging;
    return instantiate(token, resources, 0, true, environment, logger);
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early, const Reference *required, size_t count, void *environment, Logger logger, void *intermediate) {
    (void)name, (void)visible, (void)logging, (void)early, (void)required, (void)count, (void)intermediate;
    return instantiate(token, resources, 1, events, environment, logger);
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, Logger logger, void *clocks, void *lock, void *unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clocks, (void)lock, (void)unlock;
    if (logger != NULL) logger(environment, ERROR, "logStatusError", "This model has no scheduled execution.");
    return NULL;
}

EXPORT void fmi3FreeInstance(void *instance) {
    Instance *c = instance;
    if (c == NULL) return;
    model_free(c->model);
    free(c);
}

EXPORT Status fmi3EnterInitializationMode(void *instance, bool toleranceDefined, double tolerance, double start, bool stopDefined, double stop) {
    ALLOW(IN(INSTANTIATED));
    (void)stopDefined, (void)stop;
    TRY(model_begin(c->model, start, toleranceDefined ? tolerance : 0.0));
    c->model->mode = INITIALIZING;
    return OK;
}

EXPORT Status fmi3ExitInitializationMode(void *instance) {
    ALLOW(IN(INITIALIZING));
    TRY(model_ready(c->model));
    c->model->mode = c->model->co_simulation && !c->events ? STEPPING : EVENTS;
    return OK;
}

EXPORT Status fmi3EnterEventMode(void *instance) {
    ALLOW(RUNNING);
    c->model->mode = EVENTS;
    return OK;
}

EXPORT Status fmi3Terminate(void *instance) {
    ALLOW(RUNNING);
    c->model->mode = TERMINATED;
    return OK;
}

EXPORT Status fmi3Reset(void *instance) {
    ALLOW(ANY_MODE | IN(FAILED));
    model_reset(c->model);
    return OK;
}

EXPORT Status fmi3GetFloat64(void *instance, const Reference *reference, size_t count, double *value, size_t values) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (count != values) {
        model_fail(c->model, "%s: all variables are scalars, so %zu references have as many values, not %zu.", __func__, count, values);
        return fail(c, ERROR);
    }
    for (size_t k = 0; k < count; k++) TRY(model_get(c->model, reference[k], value + k));
    return OK;
}

EXPORT Status fmi3SetFloat64(void *instance, const Reference *reference, size_t count, const double *value, size_t values) {
    ALLOW(ANY_MODE & ~IN(TERMINATED));
    if (count != values) {
        model_fail(c->model, "%s: all variables are scalars, so %zu references have as many values, not %zu.", __func__, count, values);
        return fail(c, ERROR);
    }
    for (size_t k = 0; k < count; k++) TRY(model_set(c->model, reference[k], value[k]));
    return OK;
}

/* What a call is refused for unless it asks for nothing. */
static Status nothing(void *instance, size_t count, const char *function, const char *lacks) {
    ALLOW(ANY_MODE);
    if (count == 0) return OK;
    model_fail(c->model, "%s: this model has no %s.", function, lacks);
    return fail(c, ERROR);
}

#define NO_TYPE(type, name)                                                                                          \
    EXPORT Status fmi3Get##name(void *instance, const Reference *reference, size_t count, type *value, size_t n) {   \
        return (void)reference, (void)value, (void)n, nothing(instance, count, __func__, "variables of this type");  \
    }                                                                                                                \
    EXPORT Status fmi3Set##name(void *instance, const Reference *reference, size_t count, const type *value, size_t n) { \
        return (void)reference, (void)value, (void)n, nothing(instance, count, __func__, "variables of this type");  \
    }
NO_TYPE(float, Float32)
NO_TYPE(int8_t, Int8)
NO_TYPE(uint8_t, UInt8)
NO_TYPE(int16_t, Int16)
NO_TYPE(uint16_t, UInt16)
NO_TYPE(int32_t, Int32)
NO_TYPE(uint32_t, UInt32)
NO_TYPE(int64_t, Int64)
NO_TYPE(uint64_t, UInt64)
NO_TYPE(bool, Boolean)
NO_TYPE(char *, String)

/* Calls about things that this model lacks; `count` is the number of those asked for. */
#define LACKS(name, what, ...) \
    EXPORT Status name(void *instance, const Reference *reference, size_t count, __VA_ARGS__) { return (void)reference, nothing(instance, count, __func__, what); }
LACKS(fmi3GetBinary, "variables of this type", size_t *sizes, const uint8_t **value, size_t n)
LACKS(fmi3SetBinary, "variables of this type", const size_t *sizes, const uint8_t *const *value, size_t n)
LACKS(fmi3GetClock, "clocks", bool *value)
LACKS(fmi3SetClock, "clocks", const bool *value)
LACKS(fmi3GetIntervalDecimal, "clocks", double *intervals, int *qualifiers)
LACKS(fmi3GetIntervalFraction, "clocks", uint64_t *counters, uint64_t *resolutions, int *qualifiers)
LACKS(fmi3GetShiftDecimal, "clocks", double *shifts)
LACKS(fmi3GetShiftFraction, "clocks", uint64_t *counters, uint64_t *resolutions)
LACKS(fmi3SetIntervalDecimal, "clocks", const double *intervals)
LACKS(fmi3SetIntervalFraction, "clocks", const uint64_t *counters, const uint64_t *resolutions)
LACKS(fmi3SetShiftDecimal, "clocks", const double *shifts)
LACKS(fmi3SetShiftFraction, "clocks", const uint64_t *counters, const uint64_t *resolutions)
LACKS(fmi3GetOutputDerivatives, "derivatives of outputs", const int32_t *orders, double *value, size_t n)
LACKS(fmi3GetDirectionalDerivative, "directional derivatives", const Reference *knowns, size_t n, const double *seed, size_t seeds, double *sensitivity, size_t sensitivities)
LACKS(fmi3GetAdjointDerivative, "adjoint derivatives", const Reference *knowns, size_t n, const double *seed, size_t seeds, double *sensitivity, size_t sensitivities)

EXPORT Status fmi3GetNumberOfVariableDependencies(void *instance, Reference reference, size_t *count) {
    return (void)reference, (void)count, nothing(instance, 1, __func__, "list of dependencies");
}
EXPORT Status fmi3GetVariableDependencies(void *instance, Reference dependent, size_t *elements, Reference *independents, size_t *others, int *kinds, size_t count) {
    return (void)dependent, (void)elements, (void)independents, (void)others, (void)kinds, (void)count, nothing(instance, 1, __func__, "list of dependencies");
}

#define GET_STATE fmi3GetFMUState
#define SET_STATE fmi3SetFMUState
#define FREE_STATE fmi3FreeFMUState
#define SERIALIZED_SIZE fmi3SerializedFMUStateSize
#define SERIALIZE_STATE fmi3SerializeFMUState
#define DESERIALIZE_STATE fmi3DeserializeFMUState
#include "states.h"

EXPORT Status fmi3EnterConfigurationMode(void *instance) {
    return nothing(instance, 1, __func__, "structural parameters");
}
EXPORT Status fmi3ExitConfigurationMode(void *instance) {
    return nothing(instance, 1, __func__, "structural parameters");
}

EXPORT Status fmi3EvaluateDiscreteStates(void *instance) {
    ALLOW(IN(INITIALIZING) | IN(EVENTS));
    return OK;
}

EXPORT Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals, bool *values, bool *timed, double *next) {
    ALLOW(IN(EVENTS));
    (void)next;
    *again = *terminate = *nominals = *values = *timed = false;
    return OK;
}

/* ---- model exchange ---- */

EXPORT Status fmi3EnterContinuousTimeMode(void *instance) {
    ALLOW(IN(EVENTS));
    c->model->mode = CONTINUOUS;
    return OK;
}

EXPORT Status fmi3CompletedIntegratorStep(void *instance, bool noSetBefore, bool *enterEventMode, bool *terminate) {
    ALLOW(IN(CONTINUOUS));
    (void)noSetBefore;
    *enterEventMode = *terminate = false;
    return OK;
}

EXPORT Status fmi3SetTime(void *instance, double time) {
    ALLOW(IN(EVENTS) | IN(CONTINUOUS));
    TRY(model_set_time(c->model, time));
    return OK;
}

EXPORT Status fmi3SetContinuousStates(void *instance, const double *states, size_t count) {
    ALLOW(IN(EVENTS) | IN(CONTINUOUS));
    TRY(model_set_states(c->model, states, count));
    return OK;
}

EXPORT Status fmi3GetContinuousStateDerivatives(void *instance, double *derivatives, size_t count) {
    ALLOW(IN(INITIALIZING) | IN(EVENTS) | IN(CONTINUOUS) | IN(TERMINATED));
    if (count != model_state_count(c->model)) return refuse(c, __func__);
    TRY(model_derivatives(c->model, derivatives));
    return OK;
}

EXPORT Status fmi3GetEventIndicators(void *instance, double *indicators, size_t count) {
    return (void)indicators, nothing(instance, count, __func__, "event indicators");
}

EXPORT Status fmi3GetContinuousStates(void *instance, double *states, size_t count) {
    ALLOW(IN(INITIALIZING) | IN(EVENTS) | IN(CONTINUOUS) | IN(TERMINATED));
    if (count != model_state_count(c->model)) return refuse(c, __func__);
    memcpy(states, model_states(c->model), 8 * count);
    return OK;
}

EXPORT Status fmi3GetNominalsOfContinuousStates(void *instance, double *nominals, size_t count) {
    ALLOW(ANY_MODE);
    for (size_t k = 0; k < count; k++) nominals[k] = 1.0;
    return OK;
}

EXPORT Status fmi3GetNumberOfEventIndicators(void *instance, size_t *count) {
    ALLOW(ANY_MODE);
    *count = 0;
    return OK;
}

EXPORT Status fmi3GetNumberOfContinuousStates(void *instance, size_t *count) {
    ALLOW(ANY_MODE);
    *count = model_state_count(c->model);
    return OK;
}

/* ---- co-simulation ---- */

EXPORT Status fmi3EnterStepMode(void *instance) {
    ALLOW(IN(EVENTS));
    c->model->mode = STEPPING;
    return OK;
}

EXPORT Status fmi3DoStep(void *instance, double from, double length, bool noSetBefore, bool *events, bool *terminate, bool *early, double *reached) {
    ALLOW(IN(STEPPING));
    (void)noSetBefore;
    *events = *terminate = *early = false;
    *reached = from;
    TRY(model_step(c->model, from, length));
    *reached = model_time(c->model);
    return OK;
}

EXPORT Status fmi3ActivateModelPartition(void *instance, Reference clock, double time) {
    return (void)clock, (void)time, nothing(instance, 1, __func__, "partitions");
}
