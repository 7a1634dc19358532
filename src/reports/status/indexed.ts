/** Objects by their uid, and by what they belong to. */
export class Indexed<T> {
  readonly #owners = new Map<string, string>();
  readonly #byOwner = new Map<string, Map<string, T>>();

  set(uid: string, owner: string, value: T): void {
    this.delete(uid);
    this.#owners.set(uid, owner);
    const group = this.#byOwner.get(owner) ?? new Map<string, T>();
    this.#byOwner.set(owner, group.set(uid, value));
  }

  /** The owner of what was there; undefined where it was not. */
  delete(uid: string): string | undefined {
    const owner = this.#owners.get(uid);
    if (owner === undefined) return undefined;
    this.#owners.delete(uid);
    const group = this.#byOwner.get(owner);
    group?.delete(uid);
    if (group?.size === 0) this.#byOwner.delete(owner);
    return owner;
  }

  ownerOf(uid: string): string | undefined {
    return this.#owners.get(uid);
  }

  of(owner: string): ReadonlyMap<string, T> {
    return this.#byOwner.get(owner) ?? new Map<string, T>();
  }
}
