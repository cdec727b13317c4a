/* A mechanism as one block of numbers, computed with the solver's own compiled kernels.

   The block holds every table, state and workspace of the solver. `model.bin` holds it as it is at the start, with
   byte offsets where the kernels want addresses, and the list of those places. So an instance is one allocation, its
   state is a copy of it, and instances share nothing. */

#ifndef CADBRIDGE_MODEL_H
#define CADBRIDGE_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* Places in the block (words of 8 bytes) and counts: the order is that of PLACES in image.py. */
enum {
    MARCH, MARCH_RESULT, MARCH_TOLERANCE, STAGE, STAGE_RESULT, OBSERVE, OBSERVE_RESULT, SETTLE, SETTLE_RESULT,
    SETTLE_TOLERANCE, LEAST, TOLERANCE, TIME, SINCE, CHANGED, CLOCK, COUNTS, SAMPLE_TIME, FILLER, DRIVE,
    BODY_COUNT, ANGLE_COUNT, DRIVE_COUNT, ROW_COUNT, COORDINATE_COUNT, X, Q, V, ANGLES, GIVEN, DERIVATIVES,
    ACCELERATION, TURNING, POWER, SLOPE_ACCELERATION, SLOPE_TURNING, SLOPE_POWER, MULTIPLIERS, REPEATED, LEAST_X,
    LEAST_Y, ENERGY, ROTATION, BLOCKS, BLOCK_ROW, INPUT, SIGNAL_START, SIGNAL_TIME, SIGNAL_VALUE, MASS, INVERSE_MASS,
    EVEN_MASS, INERTIA, INVERSE_INERTIA, EVEN_INERTIA, MOTOR_COUNT, MOTOR, MOTOR_TERM, MOTOR_ROW, MOTOR_STIFFNESS,
    MOTOR_DAMPING, MOTOR_EFFORT, MOTOR_GAIN, MOTOR_BIAS, MOTOR_BOUNDS, TERM_VALUE, TERM_RATE, EFFORTS, EFFORT_COUNT, WRENCHES, WRENCH_COUNT, WRENCH_START,
    WRENCH_BLOCK, WRENCH_BODY, WRENCH_LEVER, ORIGINS, ORIGIN_COUNT, ORIGIN_BODY, ORIGIN_LEVER, PLACE_COUNT
};

/* What a value reference stands for: the order is that of KINDS in variables.py. */
enum { CLOCK_TIME, INPUT_VALUE, PARAMETER, BODY_MASS, STATE, DERIVATIVE, OUTPUT, REACTION, KIND_COUNT };

typedef enum { INSTANTIATED, INITIALIZING, EVENTS, CONTINUOUS, STEPPING, TERMINATED, FAILED } Mode;

typedef struct {
    int64_t words, pointers, variables;
    int64_t *start;     /* the block as it is at the start */
    int64_t *pointer;   /* (pointers) words that hold addresses */
    int64_t *place;     /* (PLACE_COUNT) */
    int64_t *variable;  /* (variables, 3): kind, place, body of a mass */
    uint8_t token[16];
} Table;

typedef struct {
    Table table;
    int64_t *block;
    int co_simulation;
    Mode mode;
    int looked;   /* whether the outputs are those of the present state and inputs */
    int derived;  /* whether the derivatives are */
    char message[512];
} Model;

/* NULL, with the reason in `message`, where the table cannot be read or is of another model. */
Model *model_new(const char *resources, const char *token, int co_simulation, char *message, size_t size);
void model_free(Model *);
void model_reset(Model *);

/* All return 0, or -1 with the reason in `message`. */
int model_begin(Model *, double start, double tolerance);
int model_ready(Model *);
int model_get(Model *, uint32_t reference, double *value);
int model_set(Model *, uint32_t reference, double value);
int model_step(Model *, double from, double length);
int model_derivatives(Model *, double *values);
int model_set_states(Model *, const double *values, size_t count);
int model_set_time(Model *, double time);

size_t model_state_count(const Model *);
const double *model_states(const Model *);
double model_time(const Model *);

/* The state of an instance as bytes that any instance of the same model may take. */
size_t model_bytes(const Model *);
void model_save(const Model *, uint8_t *bytes);
int model_restore(Model *, const uint8_t *bytes, size_t size);

int model_fail(Model *, const char *format, ...);

#endif
