import type { KrmFunction } from "../../src/krm-function.ts";
/** Writes digests of ConfigMaps and Secrets into the pod templates that use them. */
export declare const configHash: KrmFunction;
