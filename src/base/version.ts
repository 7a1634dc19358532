declare const __ROLLSTAMP_VERSION__: string | undefined;

/** The version of the package; the build puts it in. */
export const VERSION: string = typeof __ROLLSTAMP_VERSION__ === "string" ? __ROLLSTAMP_VERSION__ : "0.0.0-dev";
