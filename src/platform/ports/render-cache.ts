/** Renderings by what they were made from. */
export interface RenderCache {
  /** Undefined for one that is not there, or not as it was kept. */
  readonly get: (key: string) => Promise<string | undefined>;
  readonly put: (key: string, text: string) => Promise<void>;
}
