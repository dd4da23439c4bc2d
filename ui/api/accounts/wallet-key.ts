/** Cache key of everything about the user's own money, and of lists that are read page by page. */
export const WALLET_KEY = ["wallet"] as const;
