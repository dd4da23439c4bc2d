/** A table for names from outside. It has no prototype, so `constructor` and `__proto__` are not found unless listed. */
export const lookupTable = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null), entries);
