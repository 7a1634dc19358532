// Node's global, for a browser.
export { Buffer } from "buffer/";
