// Names of kubectl.

/**
 * The object of the last `kubectl apply`. For a Secret, it contains the values (core/v1, annotation_key_constants.go).
 */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The annotation of `kubectl rollout restart` (kubectl pkg/polymorphichelpers/objectrestarter.go). */
export const KUBECTL_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";
