import { expect, test } from "bun:test";
import { fieldsOf, type PackedRow, PackedRows, packFields } from "./packed-rows.ts";

type Entry = Readonly<{ id: number; name: string }>;

class Names extends PackedRows<Entry> {
  read = 0;
  readonly ids = new Set<number>();
  protected override entryOf({ id, text }: PackedRow): Entry {
    this.read += 1;
    return { id, name: fieldsOf(text)[1] ?? "" };
  }
  protected override added({ id }: PackedRow): void {
    this.ids.add(id);
  }
  protected override removing({ id, text }: PackedRow): void {
    expect([this.ids.delete(id), text]).toEqual([true, this.textOf(id)]);
  }
}
const row = (id: number, name: string): PackedRow => ({ id, text: packFields(["x", name]) });

test("reads a row once, until it is another", () => {
  const table = new Names();
  table.put(row(1, "ann"));
  expect([table.get(1), table.get(1)]).toEqual([
    { id: 1, name: "ann" },
    { id: 1, name: "ann" },
  ]);
  expect(table.read).toBe(1);
  const { version } = table;
  table.put(row(1, "ann"));
  expect({ version: table.version, name: table.get(1)?.name, read: table.read }).toEqual({
    version,
    name: "ann",
    read: 1,
  });
  table.put(row(1, "bob"));
  expect(table.version).toBeGreaterThan(version);
  expect(table.get(1)?.name).toBe("bob");
  table.remove(1);
  expect(table.get(1)).toBeUndefined();
  expect([table.size, table.ids.size]).toEqual([0, 0]);
});

test("what did not change is still covered by a sweep", () => {
  const table = new Names();
  for (const id of [1, 2, 3]) table.put(row(id, "same"));
  const sweep = table.beginSweep();
  for (const id of [1, 3]) table.put(row(id, "same"));
  expect([...sweep.missing()]).toEqual([2]);
  expect([...table.rows()]).toEqual([1, 2, 3].map((id) => row(id, "same")));
});
