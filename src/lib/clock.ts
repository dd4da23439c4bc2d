/** The present in whole epoch seconds, as every timestamp column but the drawing table's has it. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
