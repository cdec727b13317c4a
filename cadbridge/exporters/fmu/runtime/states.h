/* An instance's state, saved, restored and written as bytes: alike in both versions of FMI but for the names, which the
   including file defines as GET_STATE, SET_STATE, FREE_STATE, SERIALIZED_SIZE, SERIALIZE_STATE and DESERIALIZE_STATE. */

EXPORT Status GET_STATE(void *instance, void **state) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (*state == NULL) *state = malloc(model_bytes(c->model));
    if (*state == NULL) {
        model_fail(c->model, "There is not enough memory for the state.");
        return fail(c, ERROR);
    }
    model_save(c->model, *state);
    return OK;
}

EXPORT Status SET_STATE(void *instance, void *state) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (state == NULL) return refuse(c, __func__);
    TRY(model_restore(c->model, state, model_bytes(c->model)));
    return OK;
}

EXPORT Status FREE_STATE(void *instance, void **state) {
    (void)instance;
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT Status SERIALIZED_SIZE(void *instance, void *state, size_t *size) {
    ALLOW(ANY_MODE | IN(FAILED));
    (void)state;
    *size = model_bytes(c->model);
    return OK;
}

EXPORT Status SERIALIZE_STATE(void *instance, void *state, uint8_t *bytes, size_t size) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (state == NULL || size < model_bytes(c->model)) {
        model_fail(c->model, "%s: a state of %zu bytes does not fit into %zu.", __func__, model_bytes(c->model), size);
        return fail(c, ERROR);
    }
    memcpy(bytes, state, model_bytes(c->model));
    return OK;
}

EXPORT Status DESERIALIZE_STATE(void *instance, const uint8_t *bytes, size_t size, void **state) {
    ALLOW(ANY_MODE | IN(FAILED));
    if (size != model_bytes(c->model)) {
        model_fail(c->model, "%s: a state of this model has %zu bytes, not %zu.", __func__, model_bytes(c->model), size);
        return fail(c, ERROR);
    }
    if (*state == NULL) *state = malloc(size);
    if (*state == NULL) return refuse(c, __func__);
    memcpy(*state, bytes, size);
    return OK;
}
