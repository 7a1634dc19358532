// The types of templates.js, which scripts/templates.mjs makes from the files in templates/.

export declare const TEMPLATES: Readonly<Record<string, string>>;
