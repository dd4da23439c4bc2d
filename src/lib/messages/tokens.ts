export const tokenMessages = {} as const;
