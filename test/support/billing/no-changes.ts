import type { Changes } from "../../../db/changes.ts";

/** The change feed of the only process on a database. */
export const NO_CHANGES: Changes = {
  publish: async () => {},
  enforce: async () => {},
  confirmAs: () => () => {},
  subscribe: () => () => {},
  onGap: () => () => {},
  close: async () => {},
};
