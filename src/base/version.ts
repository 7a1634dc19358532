declare const __ROLLSTAMP_VERSION__: string | undefined;

/** The version of the package, which the build inserts. */
export const VERSION: string = typeof __ROLLSTAMP_VERSION__ === "string" ? __ROLLSTAMP_VERSION__ : "0.0.0-dev";
