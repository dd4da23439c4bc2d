import { expect, test } from "bun:test";
import { lookupTable } from "./lookup-table.ts";

test.each(["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"])(
  "a lookup table does not know %s",
  (name) => {
    expect(lookupTable({ known: 1 })[name]).toBeUndefined();
    expect(lookupTable({ known: 1 }).known).toBe(1);
  },
);
