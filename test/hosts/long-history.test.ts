import { describe } from "node:test";
import { isRightOver } from "../reports/log/long-history.ts";

describe("rollstamp log over a long history", () => {
  isRightOver(2000, "all, in one file");
  isRightOver(2000, "one in forty, in files of their own");
});
