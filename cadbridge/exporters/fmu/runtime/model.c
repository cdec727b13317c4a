#define _GNU_SOURCE
#include "model.h"
#include "digest.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The solver's entries: arguments and the address of the results stand in words (solver/compilation/compiled.py). */
int32_t solver_march(const int64_t *);
int32_t solver_stage_here(const int64_t *);
int32_t solver_observe_into(const int64_t *);
int32_t solver_settle(const int64_t *);
int32_t solver_least_into(const int64_t *);

static const char MAGIC[8] = "CBFMU001";
enum { MARCH_GOES_ON, MARCH_ENDED, MARCH_STUCK };
enum { CLOCK_NOW = 0, CLOCK_END = 2, CLOCK_KINK = 11 };  /* of a course's clock, solver/runs/course.py */
enum { TORQUE, PD, LED, VOLTAGE, SERVO };  /* laws of motors, as in tables.py */
enum { SAVED_WORDS = 4 };           /* before the block: magic, token (2), mode */

static const int64_t MOST_STEPS = 20000000;
static const double RETURN_RATE = 20.0;  /* 1/s, see model_derivatives */
static const double SAME_TIME = 1e-9;

/* The model that computes in this thread: the kernels ask for functions of time without saying whose. */
static __thread Model *active;

#define PLACE(m, name) ((m)->table.place[name])
#define REALS(m, name) ((double *)((m)->block + PLACE(m, name)))
#define WHOLES(m, name) ((m)->block + PLACE(m, name))
#define COUNT(m, name) PLACE(m, name)

int model_fail(Model *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->message, sizeof m->message, format, arguments);
    va_end(arguments);
    return -1;
}

/* ---- functions of time ---- */

/* The quintic through value, rate and second rate at both ends of a piece: value, rate, second rate at t. */
static void within_piece(const double *time, const double *value, double t, double *out) {
    double h = time[1] - time[0], s = (t - time[0]) / h;
    const double *a = value, *b = value + 3;
    double p0 = a[0], p1 = h * a[1], p2 = h * h * a[2] / 2;
    double gap = b[0] - p0 - p1 - p2, rate = h * b[1] - p1 - 2 * p2, bend = h * h * b[2] - 2 * p2;
    double p3 = 10 * gap - 4 * rate + bend / 2, p4 = -15 * gap + 7 * rate - bend, p5 = 6 * gap - 3 * rate + bend / 2;
    out[0] = p0 + s * (p1 + s * (p2 + s * (p3 + s * (p4 + s * p5))));
    out[1] = (p1 + s * (2 * p2 + s * (3 * p3 + s * (4 * p4 + s * 5 * p5)))) / h;
    out[2] = (2 * p2 + s * (6 * p3 + s * (12 * p4 + s * 20 * p5))) / (h * h);
}

/* What the scenario says of drive `row` at t; beyond the scenario's ends the value there. */
static void scenario_value(const Model *m, int64_t row, double t, double *out) {
    const int64_t *start = WHOLES(m, SIGNAL_START);
    const double *time = REALS(m, SIGNAL_TIME), *value = REALS(m, SIGNAL_VALUE);
    int64_t low = start[row], high = start[row + 1] - 1;
    out[0] = out[1] = out[2] = 0.0;
    if (low > high) return;
    if (low == high || t < time[low] || t > time[high]) {
        out[0] = value[3 * (t > time[high] ? high : low)];
        return;
    }
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (time[middle] <= t) low = middle;
        else high = middle;
    }
    within_piece(time + low, value + 3 * low, t, out);
}

/* The drives at t: the scenario's, and the inputs, whose rates go on from where they were set. */
static void fill(int64_t rows, double t, int64_t address) {
    const Model *m = active;
    double *out = (double *)(uintptr_t)address, since = t - *REALS(m, SINCE);
    const double *input = REALS(m, INPUT);
    for (int64_t k = 0; k < rows; k++, input += 3, out += 3) {
        scenario_value(m, k, t, out);
        out[0] += input[0] + since * (input[1] + 0.5 * since * input[2]);
        out[1] += input[1] + since * input[2];
        out[2] += input[2];
    }
}

/* ---- one instance ---- */

static void put_addresses(Model *m) {
    for (int64_t k = 0; k < m->table.pointers; k++) m->block[m->table.pointer[k]] += (int64_t)(uintptr_t)m->block;
    *WHOLES(m, FILLER) = (int64_t)(uintptr_t)&fill;
}

static void take_addresses(const Model *m, int64_t *words) {
    for (int64_t k = 0; k < m->table.pointers; k++) words[m->table.pointer[k]] -= (int64_t)(uintptr_t)m->block;
    words[PLACE(m, FILLER)] = 0;
}

void model_reset(Model *m) {
    memcpy(m->block, m->table.start, 8 * (size_t)m->table.words);
    put_addresses(m);
    m->looked = m->derived = 0;
    m->mode = INSTANTIATED;
    m->message[0] = 0;
}

static int64_t *read_file(const char *path, int64_t *words) {
    FILE *file = fopen(path, "rb");
    int64_t *data = NULL;
    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        if (size > 0 && size % 8 == 0 && (data = malloc((size_t)size)) != NULL) {
            *words = size / 8;
            if (fread(data, 8, (size_t)*words, file) != (size_t)*words) {
                free(data);
                data = NULL;
            }
        }
    }
    fclose(file);
    return data;
}

/* Whether the token of a table is the digest of all the rest of it. Kernels follow hundreds of counts and indices that
   stand in the block: none of them can be another than when the model was exported. */
static int is_whole(int64_t *data, int64_t words) {
    uint8_t token[16], digest[32];
    memcpy(token, data + 1, 16);
    memset(data + 1, 0, 16);
    digest_of((const uint8_t *)data, 8 * (size_t)words, digest);
    memcpy(data + 1, token, 16);
    return memcmp(token, digest, 16) == 0;
}

/* Whether the words of a file are a table; then its parts. */
static int understood(int64_t *data, int64_t words, Table *table) {
    enum { HEAD = 7 };
    if (words < HEAD || memcmp(data, MAGIC, 8) != 0 || data[3] != PLACE_COUNT || !is_whole(data, words)) return 0;
    int64_t block = data[4], pointers = data[5], variables = data[6];
    if (block < 0 || pointers < 0 || variables < 0 || block > words || pointers > words || variables > words) return 0;
    if (HEAD + PLACE_COUNT + block + pointers + 3 * variables != words) return 0;
    memcpy(table->token, data + 1, 16);
    table->words = block, table->pointers = pointers, table->variables = variables;
    table->place = data + HEAD;
    table->start = table->place + PLACE_COUNT;
    table->pointer = table->start + block;
    table->variable = table->pointer + pointers;
    for (int64_t k = 0; k < pointers; k++)
        if (table->pointer[k] < 0 || table->pointer[k] >= block) return 0;
    for (int64_t k = 0; k < variables; k++)
        if (table->variable[3 * k] < 0 || table->variable[3 * k] >= KIND_COUNT || table->variable[3 * k + 1] < 0 ||
            table->variable[3 * k + 1] >= block)
            return 0;
    return 1;
}

/* The folder of resources, if the importer said none that holds the table: it lies two folders above this library. */
static void own_resources(char *path, size_t size) {
    Dl_info info;
    path[0] = 0;
    if (dladdr((void *)(uintptr_t)&own_resources, &info) == 0 || info.dli_fname == NULL) return;
    snprintf(path, size, "%s", info.dli_fname);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) {
            path[0] = 0;
            return;
        }
        *slash = 0;
    }
    strncat(path, "/resources", size - strlen(path) - 1);
}

static int64_t *find_table(const char *resources, int64_t *words) {
    char path[4096], own[2048];
    int64_t *data = NULL;
    if (resources != NULL && resources[0] != 0) {
        snprintf(path, sizeof path, "%s/model.bin", resources);
        data = read_file(path, words);
    }
    if (data == NULL) {
        own_resources(own, sizeof own);
        snprintf(path, sizeof path, "%s/model.bin", own);
        data = read_file(path, words);
    }
    return data;
}

/* The token as the model description writes it: 32 hexadecimal digits in groups, in braces or not. */
static int same_token(const uint8_t *token, const char *text) {
    int digits = 0;
    for (; text != NULL && *text != 0; text++) {
        if (*text == '-' || *text == '{' || *text == '}') continue;
        int c = *text, value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (value < 0 || digits >= 32) return 0;
        if ((digits % 2 == 0 ? token[digits / 2] >> 4 : token[digits / 2] & 15) != value) return 0;
        digits++;
    }
    return digits == 32;
}

Model *model_new(const char *resources, const char *token, int co_simulation, char *message, size_t size) {
    int64_t words = 0, *data = find_table(resources, &words);
    Model *m = calloc(1, sizeof *m);
    const char *fault = NULL;
    if (data == NULL) fault = "The file model.bin cannot be read from the folder of resources.";
    else if (m == NULL) fault = "There is not enough memory.";
    else if (!understood(data, words, &m->table)) fault = "The file model.bin in the folder of resources is damaged.";
    else if (!same_token(m->table.token, token)) fault = "The token (guid) is not that of this model: instantiate it with the one of its modelDescription.xml.";
    else if ((m->block = malloc(8 * (size_t)m->table.words + 8)) == NULL) fault = "There is not enough memory.";
    if (fault != NULL) {
        snprintf(message, size, "%s", fault);
        free(data);
        free(m);
        return NULL;
    }
    m->co_simulation = co_simulation;
    model_reset(m);
    return m;
}

void model_free(Model *m) {
    if (m == NULL) return;
    /* The parts of the table lie in one allocation: magic, token, counts, then the places. */
    free(m->table.place - 7);
    free(m->block);
    free(m);
}

/* ---- the state ---- */

size_t model_state_count(const Model *m) { return (size_t)(13 * COUNT(m, BODY_COUNT) + COUNT(m, ANGLE_COUNT)); }
const double *model_states(const Model *m) { return REALS(m, GIVEN); }
double model_time(const Model *m) { return *REALS(m, TIME); }

typedef struct { int where; int64_t size; } Part;

static void parts(const Model *m, Part *part) {
    int64_t n = COUNT(m, BODY_COUNT);
    part[0] = (Part){X, 3 * n}, part[1] = (Part){Q, 4 * n}, part[2] = (Part){V, 6 * n};
    part[3] = (Part){ANGLES, COUNT(m, ANGLE_COUNT)};
}

static void take_given(Model *m) {
    Part part[4];
    const double *given = REALS(m, GIVEN);
    parts(m, part);
    for (int k = 0; k < 4; given += part[k].size, k++)
        memcpy(m->block + PLACE(m, part[k].where), given, 8 * (size_t)part[k].size);
    double *q = REALS(m, Q);
    for (int64_t i = 0; i < COUNT(m, BODY_COUNT); i++, q += 4) {
        double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int j = 0; j < 4; j++) q[j] /= size;
    }
}

static void give(Model *m) {
    Part part[4];
    double *given = REALS(m, GIVEN);
    parts(m, part);
    for (int k = 0; k < 4; given += part[k].size, k++)
        memcpy(given, m->block + PLACE(m, part[k].where), 8 * (size_t)part[k].size);
}

static void fill_drives(Model *m) {
    active = m;
    fill(COUNT(m, DRIVE_COUNT), *REALS(m, TIME), (int64_t)(uintptr_t)REALS(m, DRIVE));
}

/* The state put on the constraints; -1 where they cannot all be met from there. */
static int settle(Model *m) {
    fill_drives(m);
    solver_settle(WHOLES(m, SETTLE));
    if (!(REALS(m, SETTLE_RESULT)[1] < 1e-6))
        return model_fail(m, "The constraints cannot all be met at t = %.9g s: a loop cannot close, or led joints contradict each other.", model_time(m));
    return 0;
}

/* Accelerations and forces at the state as it stands, into the workspace. */
static void stage(Model *m) {
    fill_drives(m);
    solver_stage_here(WHOLES(m, STAGE));
    *WHOLES(m, REPEATED) = REALS(m, STAGE_RESULT)[0] != 0.0;
}

static void keep_slope(Model *m) {
    int64_t n = COUNT(m, BODY_COUNT);
    memcpy(REALS(m, SLOPE_ACCELERATION), REALS(m, ACCELERATION), 48 * (size_t)n);
    memcpy(REALS(m, SLOPE_TURNING), REALS(m, TURNING), 8 * (size_t)COUNT(m, ANGLE_COUNT));
    memcpy(REALS(m, SLOPE_POWER), REALS(m, POWER), 8 * (size_t)(COUNT(m, DRIVE_COUNT) + 1));
}

static int check_finite(Model *m) {
    const double *a = REALS(m, ACCELERATION);
    double total = 0.0;
    for (int64_t i = 0; i < 6 * COUNT(m, BODY_COUNT); i++) total += a[i];
    if (isfinite(total)) return 0;
    return model_fail(m, "The accelerations have no finite value at t = %.9g s: check the inputs and parameters, and whether a body that can move has mass.", model_time(m));
}

int model_begin(Model *m, double start, double tolerance) {
    if (!isfinite(start)) return model_fail(m, "The start time is not a finite number.");
    *REALS(m, TIME) = *REALS(m, SINCE) = start;
    /* Its own steps are as exact as the scenario asks; an importer that asks for more than the default gets more. */
    double own = REALS(m, TOLERANCE)[0], usual = REALS(m, TOLERANCE)[1];
    if (tolerance > 0.0 && tolerance < usual) own = fmax(own * tolerance / usual, 1e-13);
    for (int k = 0; k < 2; k++) REALS(m, MARCH_TOLERANCE)[k] = REALS(m, SETTLE_TOLERANCE)[k] = own;
    return 0;
}

int model_ready(Model *m) {
    take_given(m);
    if (settle(m) != 0) return -1;
    stage(m);
    keep_slope(m);
    give(m);
    *WHOLES(m, CHANGED) = 0;
    m->looked = m->derived = 0;
    return check_finite(m);
}

/* ---- outputs ---- */

static void tell_efforts(Model *m) {
    double *out = REALS(m, EFFORTS);
    const double *drive = REALS(m, DRIVE), *value = REALS(m, TERM_VALUE), *rate = REALS(m, TERM_RATE);
    const int64_t *motor = WHOLES(m, MOTOR), *row = WHOLES(m, MOTOR_ROW), *term = WHOLES(m, MOTOR_TERM);
    memset(out, 0, 8 * (size_t)COUNT(m, EFFORT_COUNT));
    for (int64_t k = 0; k < COUNT(m, MOTOR_COUNT); k++, motor += 2) {
        int64_t i = term[k];
        double effort = drive[3 * k];
        if (motor[1] < 0) continue;
        if (motor[0] == LED) effort = -REALS(m, MULTIPLIERS)[row[k]];
        if (motor[0] == PD) {
            double most = REALS(m, MOTOR_EFFORT)[k];
            effort = REALS(m, MOTOR_STIFFNESS)[k] * (drive[3 * k] - value[i]) + REALS(m, MOTOR_DAMPING)[k] * (drive[3 * k + 1] - rate[i]);
            effort = fmin(fmax(effort, -most), most);
        }
        if (motor[0] == SERVO) {
            const double *g = REALS(m, MOTOR_GAIN) + 3 * k, *b = REALS(m, MOTOR_BIAS) + 3 * k, *ends = REALS(m, MOTOR_BOUNDS) + 2 * k;
            double u = drive[3 * k];
            effort = g[0] * u + b[0] + (g[1] * u + b[1]) * value[i] + (g[2] * u + b[2]) * rate[i];
            effort = fmin(fmax(effort, ends[0]), ends[1]);
        }
        out[motor[1]] += effort;
    }
}

/* The point of a body that lies at `lever` from its centre of mass, from the centre, in world axes. */
static void turned(const Model *m, int64_t body, const double *lever, double *out) {
    const double *R = REALS(m, ROTATION) + 9 * body;
    for (int j = 0; j < 3; j++) out[j] = R[3 * j] * lever[0] + R[3 * j + 1] * lever[1] + R[3 * j + 2] * lever[2];
}

/* Poses of the bodies' own frames: origin and quaternion. */
static void tell_origins(Model *m) {
    const int64_t *body = WHOLES(m, ORIGIN_BODY);
    const double *lever = REALS(m, ORIGIN_LEVER);
    double *out = REALS(m, ORIGINS), reach[3];
    for (int64_t k = 0; k < COUNT(m, ORIGIN_COUNT); k++, out += 7) {
        turned(m, body[k], lever + 3 * k, reach);
        for (int j = 0; j < 3; j++) out[j] = REALS(m, X)[3 * body[k] + j] + reach[j];
        memcpy(out + 3, REALS(m, Q) + 4 * body[k], 32);
    }
}

/* Force and torque of each joint on its body, about the joint's origin: minus the rows' gradients by the multipliers. */
static void tell_wrenches(Model *m) {
    const int64_t *start = WHOLES(m, WRENCH_START), *block = WHOLES(m, WRENCH_BLOCK), *body = WHOLES(m, WRENCH_BODY);
    double *out = REALS(m, WRENCHES), reach[3];
    for (int64_t k = 0; k < COUNT(m, WRENCH_COUNT); k++, out += 6) {
        memset(out, 0, 48);
        for (int64_t e = start[k]; e < start[k + 1]; e++) {
            const double *gradient = REALS(m, BLOCKS) + 6 * block[e];
            double pull = REALS(m, MULTIPLIERS)[WHOLES(m, BLOCK_ROW)[block[e]]];
            for (int j = 0; j < 6; j++) out[j] -= pull * gradient[j];
        }
        const double *lever = REALS(m, WRENCH_LEVER) + 4 * k;
        turned(m, body[k], lever, reach);
        out[3] -= reach[1] * out[2] - reach[2] * out[1];
        out[4] -= reach[2] * out[0] - reach[0] * out[2];
        out[5] -= reach[0] * out[1] - reach[1] * out[0];
        for (int j = 0; j < 6; j++) out[j] *= lever[3];
    }
}

/* Where rows repeat each other, the multipliers of least norm of all that do the same. */
static void least(Model *m) {
    if (!*WHOLES(m, REPEATED)) return;
    memset(REALS(m, LEAST_Y), 0, 48 * (size_t)COUNT(m, BODY_COUNT));
    solver_least_into(WHOLES(m, LEAST));
    memcpy(REALS(m, MULTIPLIERS), REALS(m, LEAST_X), 8 * (size_t)COUNT(m, ROW_COUNT));
    *WHOLES(m, REPEATED) = 0;
}

static int look(Model *m) {
    if (m->looked) return 0;
    if (!m->co_simulation || m->mode <= INITIALIZING) take_given(m);
    if ((!m->co_simulation || m->mode <= INITIALIZING || *WHOLES(m, CHANGED)) && settle(m) != 0) return -1;
    stage(m);
    solver_observe_into(WHOLES(m, OBSERVE));
    memcpy(REALS(m, ENERGY), REALS(m, OBSERVE_RESULT), 16);
    least(m);
    tell_efforts(m);
    tell_origins(m);
    tell_wrenches(m);
    m->looked = 1;
    return 0;
}

/* ---- values ---- */

int model_get(Model *m, uint32_t reference, double *value) {
    if (reference >= m->table.variables) return model_fail(m, "There is no variable with the value reference %u.", reference);
    const int64_t *variable = m->table.variable + 3 * (size_t)reference;
    if (variable[0] == OUTPUT || variable[0] == REACTION) {
        if (look(m) != 0) return -1;
    } else if (variable[0] == DERIVATIVE && model_derivatives(m, NULL) != 0) {
        return -1;
    }
    *value = ((double *)m->block)[variable[1]];
    return 0;
}

static int set_mass(Model *m, int64_t body, double mass) {
    double *own = REALS(m, MASS) + body, part = mass / *own;
    if (!(mass > 0.0)) return model_fail(m, "The mass of a body must be greater than 0, not %.9g kg.", mass);
    /* The same shape of another density: the inertia follows the mass. */
    *own = mass;
    REALS(m, INVERSE_MASS)[body] /= part;
    REALS(m, EVEN_MASS)[body] /= part;
    for (int k = 0; k < 9; k++) {
        REALS(m, INERTIA)[9 * body + k] *= part;
        REALS(m, INVERSE_INERTIA)[9 * body + k] /= part;
        REALS(m, EVEN_INERTIA)[9 * body + k] /= part;
    }
    return 0;
}

int model_set(Model *m, uint32_t reference, double value) {
    if (reference >= m->table.variables) return model_fail(m, "There is no variable with the value reference %u.", reference);
    const int64_t *variable = m->table.variable + 3 * (size_t)reference;
    double *own = (double *)m->block + variable[1];
    if (!isfinite(value)) return model_fail(m, "The value of the variable with the value reference %u is not a finite number.", reference);
    if (variable[0] == CLOCK_TIME || variable[0] >= DERIVATIVE)
        return model_fail(m, "The variable with the value reference %u is computed: it cannot be set.", reference);
    if (variable[0] == STATE && m->mode > INITIALIZING)
        return model_fail(m, "A state can be set before the end of initialization only (value reference %u).", reference);
    if (*own == value) return 0;
    if (variable[0] == BODY_MASS) {
        if (set_mass(m, variable[2], value) != 0) return -1;
    } else if (variable[0] == PARAMETER && variable[2] == 1 && value < 0.0) {
        return model_fail(m, "The parameter with the value reference %u must not be negative.", reference);
    } else {
        *own = value;
    }
    if (variable[0] == INPUT_VALUE) *REALS(m, SINCE) = model_time(m);
    *WHOLES(m, CHANGED) = 1;
    m->looked = m->derived = 0;
    return 0;
}

/* ---- co-simulation ---- */

/* The start of a step where inputs or parameters changed: led joints jump there, and accelerations are others. Inputs
   with rates begin anew at each communication point. */
static int begin_anew(Model *m) {
    const double *input = REALS(m, INPUT);
    for (int64_t k = 0; k < COUNT(m, DRIVE_COUNT); k++)
        if (input[3 * k + 1] != 0.0 || input[3 * k + 2] != 0.0) *WHOLES(m, CHANGED) = 1;
    *REALS(m, SINCE) = model_time(m);
    if (!*WHOLES(m, CHANGED)) return 0;
    if (settle(m) != 0) return -1;
    stage(m);
    keep_slope(m);
    *WHOLES(m, CHANGED) = 0;
    return check_finite(m);
}

int model_step(Model *m, double from, double length) {
    double now = model_time(m), *clock = REALS(m, CLOCK);
    int64_t *counts = WHOLES(m, COUNTS), steps = 0;
    if (!(length > 0.0) || !isfinite(length)) return model_fail(m, "The communication step must be greater than 0, not %.9g s.", length);
    if (!(fabs(from - now) <= SAME_TIME * fmax(1.0, fabs(now))))
        return model_fail(m, "The communication point is %.9g s, but this model is at %.9g s; to go back in time, restore a state that was saved there.", from, now);
    *REALS(m, TIME) = from;
    if (begin_anew(m) != 0) return -1;
    clock[CLOCK_NOW] = from, clock[CLOCK_END] = from + length;
    clock[CLOCK_KINK] = INFINITY; /* a load bends where the state as it is now shows it */
    *REALS(m, SAMPLE_TIME) = from + length;
    memset(counts, 0, 48);
    active = m;
    for (;;) {
        solver_march(WHOLES(m, MARCH));
        int how = (int)REALS(m, MARCH_RESULT)[0];
        if (how == MARCH_ENDED) break;
        *REALS(m, TIME) = clock[CLOCK_NOW];
        if (how >= MARCH_STUCK)
            return model_fail(m, "At t = %.9g s no step is short enough: the motion reaches a pose from which the mechanism cannot go on (a dead point, joints that lock), or inputs are too large.", clock[CLOCK_NOW]);
        steps += counts[0] + counts[1];
        counts[0] = counts[1] = 0;
        if (steps > MOST_STEPS)
            return model_fail(m, "At t = %.9g s the step has taken %lld parts and has not ended: the forces are too stiff for this method.", clock[CLOCK_NOW], (long long)steps);
    }
    *REALS(m, TIME) = from + length;
    give(m);
    m->looked = m->derived = 0;
    return 0;
}

/* ---- model exchange ---- */

int model_set_time(Model *m, double time) {
    if (!isfinite(time)) return model_fail(m, "The time is not a finite number.");
    *REALS(m, TIME) = *REALS(m, SINCE) = time;
    m->looked = m->derived = 0;
    return 0;
}

int model_set_states(Model *m, const double *values, size_t count) {
    if (count != model_state_count(m)) return model_fail(m, "This model has %zu continuous states, not %zu.", model_state_count(m), count);
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k])) return model_fail(m, "The continuous state %zu is not a finite number.", k);
    memcpy(REALS(m, GIVEN), values, 8 * count);
    m->looked = m->derived = 0;
    return 0;
}

/* q' of the world's angular velocity w. */
static void turning_rate(const double *w, const double *q, double *out) {
    out[0] = 0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]);
    out[1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    out[2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    out[3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
}

/* y' = f(P y) + k (P y - y), P y being the state y put on the constraints: exact on them, and drawn back to them at the
   rate k where the importer's steps leave them. So all bodies' poses are states, and loops, gears and rows that repeat
   each other need no choice of coordinates that may fail on the way. */
int model_derivatives(Model *m, double *values) {
    int64_t n = COUNT(m, BODY_COUNT);
    double *out = REALS(m, DERIVATIVES);
    if (!m->derived) {
        take_given(m);
        if (settle(m) != 0) return -1;
        stage(m);
        if (check_finite(m) != 0) return -1;
        const double *v = REALS(m, V), *q = REALS(m, Q);
        for (int64_t i = 0; i < n; i++) {
            memcpy(out + 3 * i, v + 6 * i, 24);
            turning_rate(v + 6 * i + 3, q + 4 * i, out + 3 * n + 4 * i);
        }
        memcpy(out + 7 * n, REALS(m, ACCELERATION), 48 * (size_t)n);
        memcpy(out + 13 * n, REALS(m, TURNING), 8 * (size_t)COUNT(m, ANGLE_COUNT));
        Part part[4];
        parts(m, part);
        const double *given = REALS(m, GIVEN);
        for (int k = 0, at = 0; k < 4; k++) {
            const double *on = (const double *)(m->block + PLACE(m, part[k].where));
            for (int64_t j = 0; j < part[k].size; j++, at++) out[at] += RETURN_RATE * (on[j] - given[at]);
        }
        m->derived = 1;
        m->looked = 0;
    }
    if (values != NULL) memcpy(values, out, 8 * model_state_count(m));
    return 0;
}

/* ---- saved states ---- */

size_t model_bytes(const Model *m) { return 8 * (size_t)(m->table.words + SAVED_WORDS); }

void model_save(const Model *m, uint8_t *bytes) {
    int64_t *words = (int64_t *)(void *)bytes;
    memcpy(words, MAGIC, 8);
    memcpy(words + 1, m->table.token, 16);
    words[3] = m->mode;
    memcpy(words + SAVED_WORDS, m->block, 8 * (size_t)m->table.words);
    take_addresses(m, words + SAVED_WORDS);
}

int model_restore(Model *m, const uint8_t *bytes, size_t size) {
    const int64_t *words = (const int64_t *)(const void *)bytes;
    if (size != model_bytes(m) || memcmp(words, MAGIC, 8) != 0 || memcmp(words + 1, m->table.token, 16) != 0 ||
        words[3] < INSTANTIATED || words[3] > FAILED)
        return model_fail(m, "The saved state is not one of this model.");
    memcpy(m->block, words + SAVED_WORDS, 8 * (size_t)m->table.words);
    put_addresses(m);
    m->mode = (Mode)words[3];
    m->looked = m->derived = 0;
    return 0;
}
