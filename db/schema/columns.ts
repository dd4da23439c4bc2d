import { bigint } from "drizzle-orm/pg-core";

/** Integer quota units (500,000 = $1 by default). 64-bit in the database, exact as a JS number up to 2^53. */
export const quotaUnits = (name: string) => bigint(name, { mode: "number" });

/** Epoch seconds. */
export const epochSeconds = (name: string) => bigint(name, { mode: "number" });

/** Epoch milliseconds. */
export const epochMs = (name: string) => bigint(name, { mode: "number" });
