/** Whether a path is one that Helmfile reads by default (helmfile.readthedocs.io, "CLI reference"). */
export function isHelmfile(path: string): boolean {
  return /(?:^|\/)(?:helmfile\.ya?ml|helmfile\.d\/[^/]*\.ya?ml)(?:\.gotmpl)?$/u.test(path);
}
