import type { Changes } from "../../db/changes.ts";

/** A change feed of a process that nobody else works beside. */
export const NO_CHANGES: Changes = {
  publish: async () => {},
  enforce: async () => {},
  confirmAs: () => () => {},
  subscribe: () => () => {},
  onGap: () => () => {},
  close: async () => {},
};
