/**
 * A table that is asked for names from outside: it has no prototype, so `constructor` or `__proto__` are unknown to it like any
 * other name that it does not list.
 */
export const lookupTable = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null), entries);
