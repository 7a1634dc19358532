/** Whether a path is one that Helmfile reads by default (helmfile.readthedocs.io, "CLI reference"), and no workflow of that name. */
export function isHelmfile(path: string): boolean {
  return (
    !path.startsWith(".github/") && /(?:^|\/)(?:helmfile\.ya?ml|helmfile\.d\/[^/]*\.ya?ml)(?:\.gotmpl)?$/u.test(path)
  );
}

/**
 * Whether the text of a file is a helmfile: it lists releases with their charts, and is no Kubernetes object. It may contain templates
 * (helmfile.readthedocs.io, "Configuration").
 */
export function looksLikeHelmfile(text: string): boolean {
  return (
    /^releases[ \t]*:/mu.test(text) &&
    /^[ \t]*(?:-[ \t]+)?chart[ \t]*:/mu.test(text) &&
    !/^apiVersion[ \t]*:/mu.test(text)
  );
}
