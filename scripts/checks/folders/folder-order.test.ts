import { expect, test } from "bun:test";
import { arrowsOf, checkFolderOrder } from "./folder-order.ts";

const sourcesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

const DOWN = {
  "src/shop/cart/add.ts": 'import { price } from "../prices/price.ts"; price();',
  "src/shop/prices/price.ts": "export const price = () => 1;",
};
const ORDER = { "src/shop": "cart prices" };

test("imports go down the order of their folder", () => {
  expect(checkFolderOrder(sourcesOf(DOWN), ORDER).problems).toEqual([]);
});

test.each([
  ["of values", 'import { add } from "../cart/add.ts"; add();'],
  ["of types", 'import type { Item } from "../cart/add.ts"; export type Price = Item;'],
  ["that pass on", 'export { add } from "../cart/add.ts";'],
  ["while it runs", 'export const late = () => import("../cart/add.ts");'],
])("imports %s up the order are named, with the reason", (_, text) => {
  const { problems } = checkFolderOrder(sourcesOf({ ...DOWN, "src/shop/prices/late.ts": text }), ORDER);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toStartWith("src/shop/prices/late.ts imports src/shop/cart/add.ts: prices is below cart; ");
  expect(problems[0]).toContain("can be read and changed knowing only what is below it");
});

test("tests may import from everywhere", () => {
  const text = 'import { add } from "../cart/add.ts"; add();';
  expect(checkFolderOrder(sourcesOf({ ...DOWN, "src/shop/prices/price.test.ts": text }), ORDER).problems).toEqual([]);
});

test("a file with a place of its own counts like a subfolder, any other does not", () => {
  const files = {
    ...DOWN,
    "src/shop/prices/list.ts": 'import "../shop.ts";',
    "src/shop/shop.ts": 'import "./cart/add.ts";',
  };
  expect(checkFolderOrder(sourcesOf(files), ORDER).problems).toEqual([]);
  const { problems } = checkFolderOrder(sourcesOf(files), { "src/shop": "shop.ts cart prices" });
  expect(problems.map((problem) => problem.split(";")[0])).toEqual([
    "src/shop/prices/list.ts imports src/shop/shop.ts: prices is below shop.ts",
  ]);
});

test("each folder whose subfolders import each other has an order, with a place for each", () => {
  expect(checkFolderOrder(sourcesOf(DOWN), {}).problems[0]).toStartWith("src/shop: its subfolders import each other");
  const { problems } = checkFolderOrder(sourcesOf(DOWN), { "src/shop": "prices" });
  expect(problems).toEqual(["src/shop/cart: has no place in the folder's line in ORDERS"]);
});

test("a line for what is not there is needless", () => {
  const { problems } = checkFolderOrder(sourcesOf(DOWN), { ...ORDER, "src/market": "a b" });
  expect(problems).toEqual(["src/market: its line is needless"]);
});

test("arrows are counted once for each pair and direction", () => {
  const files = { ...DOWN, "src/shop/cart/remove.ts": 'import "../prices/price.ts";' };
  const [shop] = arrowsOf(sourcesOf(files), {});
  expect(shop).toMatchObject({ folder: "src/shop", parts: 2, twoWay: [] });
  expect([...(shop?.arrows.keys() ?? [])]).toEqual(["cart prices"]);
});
