// Messages of the cluster about rollouts without progress. The reasons are single words. The messages quote what was
// rejected: a field of a pod, the input of an admission webhook, the output of a program. So a message is shown only
// for known reasons, and without quoted parts that could be values.

/** A reason from the cluster, safe to show. */
export interface ShownReason {
  /** One word: `FailedCreate`. */
  readonly reason: string;
  /** Without anything that could be a value; absent if only the reason may be shown. */
  readonly message?: string;
}

/** The reasons whose messages are shown. Other messages may contain the output of a program. */
const WITH_MESSAGE: ReadonlySet<string> = new Set([
  // Controllers (pkg/controller/{deployment,replicaset,statefulset,daemon}; Argo Rollouts' utils/conditions).
  "ProgressDeadlineExceeded",
  "FailedCreate",
  "FailedDelete",
  "FailedPlacement",
  "FailedDaemonPod",
  "InvalidSpec",
  "RolloutAborted",
  // The scheduler, volumes.
  "Unschedulable",
  "SchedulingGated",
  "SchedulerError",
  "FailedScheduling",
  "FailedMount",
  "FailedAttachVolume",
  "FailedBinding",
  "ProvisioningFailed",
  // The kubelet (pkg/kubelet/images, pkg/kubelet/kuberuntime).
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
  "CreateContainerConfigError",
  "ContainersNotReady",
]);

/** A reason and its message, safe to show. */
export function shownReason({ reason, message }: { readonly reason: string; readonly message: string }): ShownReason {
  const word = /^[A-Za-z][A-Za-z0-9]{0,63}$/u.test(reason) ? reason : "Unknown";
  const words = WITH_MESSAGE.has(word) ? clusterWords(message) : "";
  return words === "" ? { reason: word } : { reason: word, message: words };
}

const LONGEST = 300;
const HIDDEN = "…";

/** The first line of a message, without anything that could be a value. */
export function clusterWords(message: string): string {
  const [line = ""] = message.trim().slice(0, 4000).split("\n", 1);
  const words = line
    // Validation errors quote the rejected value (k8s.io/apimachinery field.Error), which may be a whole object.
    .replace(/\b((?:Invalid|Duplicate|Unsupported) value:|Too (?:long|many|few):).*/u, `$1 ${HIDDEN}`)
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'`]*@/giu, `$1${HIDDEN}@`)
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`?#]*)[?#][^\s"'`]*/giu, `$1?${HIDDEN}`)
    .replace(
      /(\S*\s?)("(?:[^"\\]|\\.)*"?|'(?!(?<=[A-Za-z]')(?:t|s|re|ve|ll|d|m)\b)[^']*'|`[^`]*`)/gu,
      (all: string, before: string, quoted: string) =>
        isName(before, quoted.replace(/^["'`]|["'`]$/gu, ""))
          ? all
          : `${before}${quoted[0] ?? ""}${HIDDEN}${quoted[0] ?? ""}`,
    )
    .replace(
      /\b([\w.-]*(?:token|secret|password|passwd|passphrase|pwd|credential|apikey|api_key)[\w.-]*\s?[:=]\s?)[^\s"'`]+/giu,
      (all: string, head: string) => (all.endsWith(HIDDEN) ? all : `${head}${HIDDEN}`),
    )
    // Policies name the rejected variable of a container, some of them with its value.
    .replace(/(\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s?[:=]|[A-Z][A-Z0-9]+=)\s?)[^\s"'`]+/gu, `$1${HIDDEN}`)
    .replace(/(\b(?:bearer|basic)\s+)\S+/giu, `$1${HIDDEN}`)
    .replace(/(?<!["'`\w+/=.~:@-])[\w+/=~.-]{24,}/gu, (word) => (isPlain(word) ? word : HIDDEN))
    .trim();
  return words.length <= LONGEST ? words : `${words.slice(0, LONGEST)}${HIDDEN}`;
}

// The words before the name of an object or an image in messages of Kubernetes.
const NAMED =
  /(?:^|[\s(])(?:pods?|secrets?|configmaps?|persistentvolumeclaims?|serviceaccounts?|replicasets?|statefulsets?|daemonsets?|storageclass|priorityclass|runtimeclass|namespaces?|quota|volumes?|webhook|node|image|reference|manifest|container|rollout)\s$/iu;

/** True for the name of an object, a key or an image where a name is expected. */
function isName(before: string, quoted: string): boolean {
  return NAMED.test(before) && /^[a-z0-9][\w.:/@-]{0,252}$/iu.test(quoted);
}

/** True for words with slashes, dots and hyphens, and for names of pods, which end in random letters. */
function isPlain(text: string): boolean {
  return (
    /^[./~-]*[A-Za-z]{1,24}(?:[/.~-]+[A-Za-z]{1,24})*[.,:]?$/u.test(text) ||
    /^[a-z][a-z0-9-]{0,62}-[a-z0-9]{8,10}-[a-z0-9]{5}$/u.test(text)
  );
}
