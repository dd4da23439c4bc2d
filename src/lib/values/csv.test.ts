import { expect, test } from "bun:test";
import { type CsvCell, csvOf } from "./csv.ts";

async function* of(...slices: CsvCell[][][]) {
  yield* slices;
}

test("cells are quoted where they must be, and none starts a formula", async () => {
  const rows: CsvCell[][] = [
    [1, "a,b", 'say "hi"'],
    [-2, "=1+1", "+1"],
    [null, "@x", "\tx"],
    [true, "two\r\nlines", "-3"],
  ];
  const text = await new Response(csvOf(["n", "a", "b"], of(rows.slice(0, 2), rows.slice(2)))).text();
  expect(text.split("\r\n").slice(0, 4)).toEqual(["n,a,b", '1,"a,b","say ""hi"""', "-2,'=1+1,'+1", ",'@x,'\tx"]);
  expect(text).toEndWith('true,"two\r\nlines",\'-3\r\n');
});

test.each([..."=+-@＝＋－＠\t\r"])("text that begins with %j is no formula", async (first) => {
  const text = await new Response(csvOf(["a"], of([[`${first}1+1`]]))).text();
  expect(text).toContain(`'${first}1+1`);
});

test("it begins with a byte order mark, and an empty table is its head", async () => {
  const bytes = await new Response(csvOf(["id", "name"], of())).bytes();
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes)).toBe("id,name\r\n");
});

test("whoever goes away ends the reading", async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<CsvCell[][]> {
    try {
      for (;;) yield [[1]];
    } finally {
      ended = true;
    }
  }
  const reader = csvOf(["n"], endless()).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});
