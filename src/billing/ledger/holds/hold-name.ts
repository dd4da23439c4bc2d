const PREFIX = "kept:";

/** What stands for a process where a hold belongs to none: such holds end with what they are for. */
export const storedHoldName = (name: string): string => PREFIX + name;

/** As a pattern of SQL. */
export const STORED_HOLD_NAMES = `${PREFIX}%`;
