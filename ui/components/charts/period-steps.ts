/** The length of a period in seconds. */
export const STEP_SECONDS = { hour: 3600, day: 86_400, week: 604_800 } as const;
export type PeriodStep = keyof typeof STEP_SECONDS;
