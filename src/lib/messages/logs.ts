export const logMessages = {} as const;
