import type { Cluster } from "./cluster.ts";
import type { Engine } from "./engine-types.ts";

/** A row of docs/why/observed.md: what someone does, and what the programs make of it. */
export interface ObservedRow<Trial> {
  /** What someone does, in the words of the table. */
  readonly does: string;
  /** The programs that it is done with. */
  readonly with: string;
  /** What was observed, in the words of the table; `run` asserts it. */
  readonly says: string;
  readonly run: (trial: Trial) => Promise<void>;
}

/** A new namespace, and an engine that applies what is pushed to it. */
export interface EngineTrial<Of extends Engine = Engine> {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly engine: Of;
}
