/** The current Unix time in whole seconds, the unit of timestamp columns. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
