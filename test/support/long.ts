/** Whether all cases are wanted where the short form takes some of each class: FC_RUNS, as `.ci/run --long` sets it. */
export const LONG: boolean = process.env["FC_RUNS"] !== undefined;
