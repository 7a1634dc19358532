// The types of pages.js, which scripts/pages.mjs makes from the scripts and the style in pages/.

export declare const STYLE: string;
export declare const DOCUMENT_SCRIPT: string;
